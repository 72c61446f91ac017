"""The built wheel works in a fresh environment with the core dependencies alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.extras


def call(*words, cwd):
    hidden = ("PYTHONPATH", "PYTHONHOME", "PYTHONWARNINGS")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run([str(word) for word in words], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def fresh(tmp_path_factory):
    """The folder of programs of a new environment that holds the wheel, and nothing of the source."""
    folder = tmp_path_factory.mktemp("fresh")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    call(*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", folder / "wheel", ROOT, cwd=folder)
    (wheel,) = (folder / "wheel").glob("foldwise-*.whl")
    call(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    programs = folder / "venv" / "bin"
    constraints = ("--constraint", ROOT / "constraints.txt")
    call(programs / "python", "-m", "pip", "install", "--quiet", *constraints, wheel, cwd=folder)
    return programs


def test_help_and_version_answer(fresh, tmp_path):
    assert "compare" in call(fresh / "foldwise", "--help", cwd=tmp_path)
    assert call(fresh / "foldwise", "--version", cwd=tmp_path).startswith("foldwise 0.")


def test_the_import_is_light(fresh, tmp_path):
    code = "import sys, foldwise; print([n for n in ('sklearn', 'pandas', 'scipy') if n in sys.modules])"

    assert call(fresh / "python", "-c", code, cwd=tmp_path).strip() == "[]"


def test_no_extra_is_needed_to_compare_save_predict_and_report(fresh, tmp_path):
    words = ("compare", "diabetes", "--learners", "ridge", "--outer", "3", "--inner", "2", "--json")
    outputs = ("--save", "m.skops", "--report", "report.html")
    answer = json.loads(call(fresh / "foldwise", *words, *outputs, cwd=tmp_path))
    new_rows = ROOT / "examples" / "patients.csv"
    predictions = call(fresh / "foldwise", "predict", "m.skops", new_rows, cwd=tmp_path)

    assert answer["best"] == "ridge"
    assert len(predictions.splitlines()) == len(new_rows.read_text(encoding="utf-8").splitlines())
    assert "ridge" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_wheel_says_that_it_is_typed(fresh, tmp_path):
    code = "import foldwise, pathlib; print((pathlib.Path(foldwise.__file__).parent / 'py.typed').exists())"

    assert call(fresh / "python", "-c", code, cwd=tmp_path).strip() == "True"
