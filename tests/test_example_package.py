"""The example package of examples/foldwise-plugin: its parts are found by name, in Python and from the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import foldwise as fw
from foldwise.api.study_file import read_study
from foldwise.cli import run
from foldwise.errors import BadLearner, BadPlugin, BadStudy

EXAMPLE = Path(__file__).parent.parent / "examples" / "foldwise-plugin"
MODULE = "foldwise_plugin_example"
NAME = "median-of-neighbours"
X = np.random.default_rng(0).normal(size=(60, 2))
Y = X[:, 0] + 0.1 * np.random.default_rng(1).normal(size=60)
WORDS = {"jobs": 1, "progress": False, "outer": 3, "inner": 2}


def write_metadata(folder: Path, groups: dict[str, dict[str, str]]) -> None:
    """What an installer would leave of the entry points."""
    info = folder / "example-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: example\nVersion: 0.1.0\n")
    lines = [
        line for group, parts in groups.items() for line in (f"[{group}]", *(f"{k} = {v}" for k, v in parts.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))


@pytest.fixture
def installed(tmp_path, monkeypatch):
    write_metadata(tmp_path, tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]["entry-points"])
    monkeypatch.syspath_prepend(str(EXAMPLE / "src"))
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    for name in [name for name in sys.modules if name.startswith(MODULE)]:
        del sys.modules[name]


def test_a_learner_is_listed_without_importing_its_package(installed):
    listed = fw.list_learners().set_index("name")
    assert listed.loc[NAME, "summary"] == "brought by an installed package"
    assert MODULE not in sys.modules


def test_parts_are_used_by_name(installed):
    words = {**WORDS, "outer": "blocks", "interval": "split range"}
    result = fw.compare([NAME, "ridge"], X, Y, loss="shortfall", **words).to_dict()
    mine = result["methods"][0]
    assert (mine["name"], mine["status"], mine["interval"]) == (NAME, "ok", "split range")
    assert result["loss"] == "shortfall"
    assert "5" in result["outer"]
    from foldwise_plugin_example.learner import tuned
    from foldwise_plugin_example.loss import shortfall
    from foldwise_plugin_example.splitter import Blocks

    own = fw.compare({NAME: tuned()}, X, Y, loss=shortfall, **{**WORDS, "outer": Blocks()}).to_dict()["methods"][0]
    assert own["risk"] == mine["risk"]


def test_a_tuner_by_name_saves_fits_and_is_refused_in_a_study_file(installed, tmp_path):
    words = {**WORDS, "inner": 3, "solvers": False}
    near = fw.learner("k-nn", n_neighbors=[1, 2, 3, 5, 8, 13])
    grid, half = (fw.compare([near], X, Y, **words, tuner=tuner).to_dict() for tuner in ("grid", "better half"))
    assert half["methods"][0]["status"] == "ok"
    assert half["methods"][0]["fits"] < grid["methods"][0]["fits"]
    path = tmp_path / "study.toml"
    path.write_text('data = "diabetes"\nlearners = ["ridge"]\ntuner = "better half"\n')
    with pytest.raises(BadStudy, match="cannot name the tuner 'better half' of another package"):
        read_study(path)


def test_an_executor_by_name_gives_the_same_numbers(installed):
    here, there = (fw.compare(["ridge"], X, Y, **WORDS, engine=engine).to_dict() for engine in ("local", "serial"))
    assert here["methods"][0]["folds"] == there["methods"][0]["folds"]
    assert f"{MODULE}.executor" in sys.modules


def test_a_learner_by_name_takes_other_parameters(installed):
    fixed, other = fw.learner(NAME, n_neighbors=2), fw.learner(NAME, n_neighbors=[2, 4])
    assert fixed.estimator.n_neighbors == 2
    assert other.space == {"n_neighbors": [2, 4]}
    methods = fw.compare({"a": other, "b": fw.blend([NAME, "ridge"])}, X, Y, **WORDS).to_dict()["methods"]
    assert [method["status"] for method in methods[:2]] == ["ok", "ok"]


def test_an_inner_splitter_by_name(installed):
    result = fw.compare([fw.tune(fw.learner(NAME).estimator, n_neighbors=[1, 5])], X, Y, **{**WORDS, "inner": "blocks"})
    assert result.to_dict()["methods"][0]["status"] == "ok"


def test_the_command_line_knows_the_names_but_a_study_file_may_not_say_them(installed, tmp_path, capsys):
    table = tmp_path / "table.csv"
    table.write_text("a,b,y\n" + "\n".join(f"{a},{b},{y}" for (a, b), y in zip(X, Y, strict=True)))
    store = tmp_path / "run"
    flags = ["--target", "y", "--learners", NAME, "--loss", "shortfall", "--outer", "blocks", "--jobs", "1"]
    assert run(["compare", str(table), *flags, "--store", str(store), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["methods"][0]["name"] == NAME
    assert run(["resume", str(store)]) == 2
    assert f"asks for the learner '{NAME}' of another package. Run the same line" in capsys.readouterr().err
    for line, found in {
        f"learners = ['ridge', '{NAME}']": "learner",
        f"[learners.mine]\nlearner = '{NAME}'": "learner",
        f"learners = ['blend(ridge+{NAME})']": "learner",
        "loss = 'shortfall'": "loss",
        "loss = ['squared', 'shortfall']": "loss",
        "outer = 'blocks'": "splitter",
        "inner = 'blocks'": "splitter",
        "interval = 'split range'": "interval",
        "engine = 'serial'": "engine",
    }.items():
        file = tmp_path / "study.toml"
        file.write_text(f"data = 'table.csv'\ntarget = 'y'\n{line}\n")
        with pytest.raises(BadStudy, match=f"a study file cannot name the {found} '.*' of another package"):
            read_study(file)


def test_names_of_ours_come_first_and_what_is_no_learner_is_refused(tmp_path, monkeypatch):
    write_metadata(tmp_path, {"foldwise.learners": {"ridge": "math:pi", "pie": "math:pi", "tau": "builtins:dict"}})
    monkeypatch.syspath_prepend(str(tmp_path))
    assert fw.compare(["ridge"], X, Y, **WORDS).best == "ridge"
    assert "pie" in set(fw.list_learners()["name"])
    for name in ("pie", "tau"):
        with pytest.raises(BadPlugin, match=f"the learner '{name}' of another package is no estimator"):
            fw.learner(name)
    with pytest.raises(BadLearner, match="learner 'pies'"):
        fw.learner("pies")


@pytest.mark.extras
def test_the_package_is_built_installed_and_keeps_its_contracts(tmp_path):
    target = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target"]
    subprocess.run([*install, str(target), str(EXAMPLE)], check=True)
    code = f"import foldwise as fw; print({NAME!r} in set(fw.list_learners()['name']))"
    path = os.pathsep.join([str(target), *(place for place in sys.path if place)])
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "True"
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(EXAMPLE / "tests")]
    subprocess.run(tests, env={**os.environ, "PYTHONPATH": path}, check=True, cwd=tmp_path)
