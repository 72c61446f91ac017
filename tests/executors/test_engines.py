from __future__ import annotations

import sys
from importlib import import_module

import numpy as np
import pytest
from click.testing import CliRunner

import foldwise as fw
from foldwise.api.study_file import read_study, stored_study
from foldwise.cli import app
from foldwise.cli.flags import EngineName
from foldwise.errors import BadStudy
from foldwise.executors.engines import ENGINES, check_engine, make_executor
from foldwise.executors.local.local_executor import LocalExecutor
from foldwise.executors.options import RunOptions
from foldwise.executors.stop import Stop
from foldwise.records.sqlite import SqliteStore
from foldwise.studies.stored import ORIGIN


def test_an_engine_is_made_by_its_name_and_hears_of_the_end_of_the_run():
    stop = Stop()
    executor = make_executor(RunOptions(jobs=3), stop)
    assert isinstance(executor, LocalExecutor)
    assert (executor.jobs, executor.stop) == (3, stop)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"engine": "rays"}, "there is no engine 'rays'. Did you mean 'ray'?"),
        ({"engine": "local", "address": "tcp://head"}, "the local engine has no address, but 'tcp://head' was given"),
        ({"engine": "dask", "isolate": False}, "fits on dask always run in processes of their own. Leave isolate out"),
        ({"isolate": False, "fit_timeout": 1}, "limits of a fit need a process of its own, but isolate is False"),
        ({"engine": 7}, "engine must be a name or an executor, and 7 has no method run"),
        ({"engine": LocalExecutor(), "jobs": 2}, "jobs was given with an executor of your own. Set jobs where you"),
    ],
)
def test_what_an_engine_cannot_do_is_said(words, says):
    with pytest.raises(BadStudy) as caught:
        make_executor(RunOptions(**words), Stop())
    assert str(caught.value).startswith(says)


class Counting(LocalExecutor):
    """An executor of a user's own."""

    fits = 0

    def run(self, runnable, fits):
        for records in super().run(runnable, fits):
            self.fits += len(records)
            yield records


def test_an_executor_of_ones_own_is_used_and_can_be_used_again():
    x = np.linspace(0, 1, 40)
    executor = Counting(RunOptions(jobs=1))
    words = {"outer": 4, "inner": 2}
    expected = fw.compare(["ridge:small"], x[:, None], np.sin(9 * x), **words)
    for _ in range(2):
        executor.fits = 0
        found = fw.compare(["ridge:small"], x[:, None], np.sin(9 * x), **words, engine=executor)
        assert executor.fits == found.to_dict()["fits_made"] > 0
        assert found.losses().equals(expected.losses())


@pytest.fixture
def packaged(tmp_path, monkeypatch):
    """An installed package that brings an engine named `twin`."""
    code = "from foldwise.executors.local.local_executor import LocalExecutor\nclass Twin(LocalExecutor): pass\n"
    (tmp_path / "engine_of_others.py").write_text(code)
    info = tmp_path / "engine_of_others-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: engine_of_others\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[foldwise.executors]\ntwin = engine_of_others:Twin\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("engine_of_others", None)


def test_an_engine_of_another_package_is_made_by_its_name(packaged):
    assert check_engine("twin") == "twin"
    assert "engine_of_others" not in sys.modules
    executor = make_executor(RunOptions(engine="twin", jobs=3), Stop())
    assert (type(executor).__name__, executor.jobs) == ("Twin", 3)
    with pytest.raises(BadStudy, match=r"there is no engine 'twins'. Did you mean 'twin'\?"):
        check_engine("twins")


def test_neither_a_study_file_nor_a_strangers_store_calls_for_code_of_another_package(packaged):
    (packaged / "study.toml").write_text("data = 'diabetes'\nengine = 'twin'")
    with pytest.raises(BadStudy, match="a study file cannot name the engine 'twin' of another package"):
        read_study(packaged / "study.toml")
    store = SqliteStore(packaged / "run")
    ORIGIN.write(store, {"data": "diabetes", "engine": "twin"})
    store.close()
    assert stored_study(packaged / "run").engine is None
    assert stored_study(packaged / "run", engine="twin").engine == "twin"
    assert "engine_of_others" not in sys.modules


def test_the_command_takes_every_engine_and_names_the_nearest(packaged):
    assert EngineName(list(ENGINES)).convert("twin", None, None) == "twin"
    found = CliRunner().invoke(app, ["compare", "diabetes", "--engine", "rai"])
    assert (found.exit_code, "there is no engine 'rai'. Did you mean 'ray'?" in found.output) == (2, True)
    assert f"--engine [{'|'.join(ENGINES)}]" in CliRunner().invoke(app, ["compare", "--help"]).output


def test_a_curve_a_risk_and_a_benchmark_take_it_too():
    x = np.linspace(0, 1, 40)
    table = (x[:, None], np.sin(9 * x))
    executor = Counting(RunOptions(jobs=1))
    made = []
    for ask in (
        lambda: fw.risk("linear", *table, outer=4, engine=executor),
        lambda: fw.curve("k-nn", *table, n_neighbors=[1, 5], outer=4, engine=executor),
        lambda: fw.learning_curve("linear", *table, sizes=(0.5, 1.0), outer=4, engine=executor),
        lambda: fw.benchmark({"one": table, "two": table}, ["linear"], outer=4, engine=executor),
    ):
        ask()
        made.append(executor.fits)
    assert made == sorted(set(made))
    assert made[0] > 0


def test_every_engine_of_the_table_is_a_class_that_takes_options():
    for place in ENGINES.values():
        module, _, name = place.partition(":")
        assert callable(getattr(import_module(module), name))
