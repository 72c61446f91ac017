"""Every example runs; holds the folder examples/."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SCRIPTS = sorted(path.name for path in EXAMPLES.glob("*.py") if path.name != "cluster.py")


def run(*words: str, folder: Path) -> str:
    found = subprocess.run(
        [sys.executable, "-W", "error::FutureWarning", *words],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert found.returncode == 0, found.stderr[-3000:]
    return found.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_an_example_runs(name, tmp_path):
    assert len(run(str(EXAMPLES / name), folder=tmp_path).splitlines()) > 3


@pytest.mark.slow
def test_the_study_file_runs_and_compares_its_three_learners(tmp_path):
    answer = json.loads(run("-m", "foldwise", "compare", str(EXAMPLES / "study.toml"), "--json", folder=tmp_path))
    risks = {method["name"]: method["risk"] for method in answer["methods"]}
    assert answer["best"] == min(("k-nn", "ridge", "small tree"), key=risks.__getitem__)
    assert risks["ridge"] < risks["baseline"]


@pytest.mark.extras
@pytest.mark.parametrize("engine", ["dask", "ray"])
def test_the_numbers_of_a_cluster_are_those_of_this_process(engine, tmp_path):
    assert f"{engine}: the same numbers" in run(str(EXAMPLES / "cluster.py"), engine, folder=tmp_path)


def test_the_list_of_examples_has_all_of_them():
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    names = [path.name for path in EXAMPLES.iterdir() if path.suffix in (".py", ".ipynb", ".toml")]
    assert [name for name in names if f"`{name}`" not in listed] == []
