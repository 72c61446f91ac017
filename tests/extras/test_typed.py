"""The public API from outside: a small project under mypy strict and under pyright."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.extras
OUTSIDE = Path(__file__).parent / "typed" / "outside.py"
CHECKERS = {
    "mypy": ["mypy", "--strict", "--cache-dir", "/dev/null"],
    "pyright": ["basedpyright", "--level", "error", "--pythonpath", sys.executable],
}


def check(checker: str, path: Path) -> subprocess.CompletedProcess[str]:
    command = Path(sys.executable).parent / CHECKERS[checker][0]
    return subprocess.run(
        [command, *CHECKERS[checker][1:], path], capture_output=True, text=True, timeout=600, cwd=path.parent
    )


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_project_that_uses_it_is_well_typed(checker):
    found = check(checker, OUTSIDE)
    assert found.returncode == 0, found.stdout


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_mistake_is_seen(checker, tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text('import foldwise as fw\n\nbest: int = fw.compare("diabetes").best\nfw.risk("ridge", otter=3)\n')
    found = check(checker, wrong)
    assert found.returncode != 0
    assert "best" in found.stdout or "int" in found.stdout
