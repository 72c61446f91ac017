"""Every command of the README runs as pasted, and its answer is the one that stands beside it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) for line in block.splitlines()]


def test_every_command_is_known():
    """Those that set up are run by CI itself: `make test` runs this test, and `make demo` is the command below."""
    kinds = {line.split()[0] for line in COMMANDS}
    assert kinds == {"pip", "make", "foldwise"}
    targets = {line.split()[1] for line in COMMANDS if line.startswith("make")}
    assert targets == {"demo", "test"}


def test_the_demo_is_the_command_of_the_readme():
    (compare, predict) = [line for line in COMMANDS if line.startswith("foldwise")]
    demo = (ROOT / "Makefile").read_text(encoding="utf-8").replace("demo/", "")
    assert f"$(BIN)/{compare}" in demo
    assert f"$(BIN)/{predict}" in demo


@pytest.mark.slow
def test_the_commands_run_and_print_what_stands_there(tmp_path):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80"}
    printed = ""
    for line in COMMANDS:
        if line.startswith("foldwise"):
            found = subprocess.run(line.split(), cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600)
            assert found.returncode == 0, found.stderr
            printed += found.stdout
    (shown,) = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
    words = " ".join(printed.split())
    for part in shown.strip().split("\n\n"):
        assert " ".join(part.split()) in words
    assert (tmp_path / "report.html").stat().st_size > 50_000
