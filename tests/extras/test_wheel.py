"""The source distribution and the wheel made from it work in a fresh environment with the core dependencies alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
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


def environment(folder, *packages):
    """The folder of programs of a new environment with these packages."""
    call(sys.executable, "-m", "venv", folder, cwd=folder.parent)
    pip = (folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    call(*pip, "--constraint", ROOT / "constraints.txt", *packages, cwd=folder.parent)
    return folder / "bin"


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The source distribution, and the wheel that is made from it and not from the folder."""
    folder = tmp_path_factory.mktemp("built")
    python = environment(folder / "builder", "hatchling") / "python"
    call(python, "-m", "hatchling", "build", "--target", "sdist", "--directory", folder, cwd=ROOT)
    (sdist,) = folder.glob("foldwise-*.tar.gz")
    pip = (python, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check")
    call(*pip, "--no-deps", "--no-build-isolation", "--wheel-dir", folder, sdist, cwd=folder)
    (wheel,) = folder.glob("foldwise-*.whl")
    return sdist, wheel


@pytest.fixture(scope="session")
def fresh(built, tmp_path_factory):
    """The folder of programs of a new environment that holds the wheel, and nothing of the source."""
    return environment(tmp_path_factory.mktemp("fresh") / "venv", built[1])


def test_the_source_distribution_has_all_that_its_tests_and_pages_need(built):
    sdist, wheel = built
    with tarfile.open(sdist) as files:
        names = {name.partition("/")[2] for name in files.getnames()}
    for folder in ("tests", "benchmarks", "docs", "examples", "src/foldwise"):
        ours = [path for path in (ROOT / folder).rglob("*.py") if "_site" not in path.parts]
        there = {path.relative_to(ROOT).as_posix() for path in ours}
        assert there - names == set()
    assert {"README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE", "constraints.txt", "Makefile"} <= names
    sources = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src" / "foldwise").rglob("*.py")}
    with zipfile.ZipFile(wheel) as files:
        packed = set(files.namelist())
    assert sources - packed == set()
    assert [name for name in packed if not name.startswith("foldwise")] == []


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
