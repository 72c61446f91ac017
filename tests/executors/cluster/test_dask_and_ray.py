"""Dask and Ray (executors/cluster/bridge.py) do what the local engine does."""

from __future__ import annotations

import importlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import kin
import leftovers
import pytest
import trial

import studies
from faults import FAULTS
from foldwise.errors import BadLearner, BadStore, BadStudy, FitsFailed
from foldwise.executors.cluster.cluster_executor import DaskExecutor, RayExecutor
from foldwise.executors.options import RunOptions
from foldwise.records.sqlite import SqliteStore
from foldwise.testing.executors import ExecutorContract, first_fits

pytestmark = pytest.mark.extras
LOOPBACK = ("0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000")
ENGINES = {"dask": DaskExecutor, "ray": RayExecutor}
WORKER = {"dask": "spawn_main", "ray": "ray::run_batch"}
DEADLY = ["segfault", "exit", "endless loop", "exception"]
HERE = Path(__file__).parent


@pytest.fixture
def short(request):
    """A folder with a short name: Ray keeps sockets in it, whose names must fit into 107 letters."""
    with tempfile.TemporaryDirectory(prefix="fw", dir="/tmp") as folder:
        yield Path(folder)


class Contract(ExecutorContract):
    engine = ""

    @pytest.fixture(scope="class")
    @classmethod
    def executor(cls):
        with closing(ENGINES[cls.engine](RunOptions(jobs=2))) as executor:
            yield executor
            bridge = executor._nursery.pid
        assert kin.below(bridge) == [bridge]

    @pytest.fixture
    def runnable(self):
        return studies.fragile()

    def test_a_killed_worker_of_the_engine_costs_nothing(self, executor, tmp_path):
        runnable = studies.make({"slow": studies.Slow(0.3, str(tmp_path))}, folds=8)
        fits = [fit for fit in first_fits(runnable) if fit.method == 0]
        killed, found = [], []
        for records in executor.run(runnable, fits):
            found += records
            if not killed and any(tmp_path.iterdir()):
                workers = [pid for pid in kin.below(executor._nursery.pid) if WORKER[self.engine] in kin.command(pid)]
                killed = workers[:1]
                os.kill(killed[0], signal.SIGKILL)

        assert killed
        assert Counter(record.status for record in found) == {"ok": 8}
        assert len(list(tmp_path.iterdir())) <= 8 + 2  # what the dead worker had in hand was done again

    def test_a_fit_that_kills_every_worker_it_lands_on_is_blamed_and_no_other(self, executor):
        runnable = studies.make({"killer": studies.Killer()}, folds=10)
        found = [record for records in executor.run(runnable, first_fits(runnable)) for record in records]

        assert Counter((record.learner, record.status) for record in found) == {
            ("baseline", "ok"): 10,
            ("killer", "ok"): 9,
            ("killer", "crashed"): 1,
        }
        (crashed,) = [record.error for record in found if not record.is_ok]
        assert "each time it was tried, also alone" in crashed

    def test_nothing_listens_beyond_this_machine(self, executor, runnable):
        list(executor.run(runnable, first_fits(runnable)[:2]))

        found = kin.listening(kin.below(executor._nursery.pid))

        assert found
        assert set(found) <= set(LOOPBACK)


class TestDask(Contract):
    engine = "dask"


class TestRay(Contract):
    engine = "ray"


@pytest.fixture(scope="module")
def on_this_machine():
    """The trial of saboteurs on the local executor."""
    saboteurs = {name: {"fault": name, "seconds": 60.0, **trial.ONE_FIT} for name in DEADLY}
    return saboteurs, trial.answer("regression", saboteurs, {"jobs": 2, "isolate": True, "fit_timeout": 3.0})


@pytest.mark.parametrize("engine", ENGINES)
def test_saboteurs_get_their_status_and_every_number_is_the_local_one(engine, on_this_machine, short):
    saboteurs, expected = on_this_machine
    environment = leftovers.marked(short / "t")
    words = {"engine": engine, "jobs": 2, "fit_timeout": 3.0}
    spec = json.dumps({"task": "regression", "saboteurs": saboteurs, "words": words})

    done = subprocess.run(
        [sys.executable, trial.__file__, spec], env=environment, capture_output=True, text=True, timeout=170
    )

    assert done.returncode == 0, done.stderr[-2000:]
    leftovers.assert_nothing_left(environment)
    found = json.loads(done.stdout)
    assert without_times(found) == without_times(json.loads(json.dumps(expected)))
    for name in DEADLY:
        assert found["statuses"][name] == {"ok": 11, FAULTS[name].status: 1}


def without_times(value):
    """The same without what differs between two runs of one study."""
    if isinstance(value, dict):
        return {key: without_times(part) for key, part in value.items() if key not in ("seconds", "fits_made")}
    return [without_times(part) for part in value] if isinstance(value, list) else value


@contextmanager
def cluster_of_others(engine, folder):
    """A cluster in another process, with a temporary folder of its own, as on another machine."""
    environment = leftovers.marked(folder / "t") | {"PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])}
    words = [sys.executable, str(HERE / "heads.py"), engine, str(folder)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(words, env=environment, text=True, start_new_session=True, **pipes)
    try:
        line = next(line for line in process.stdout if line.startswith("address "))
        yield line.split()[1], process, environment
    finally:
        process.communicate(timeout=30)


@pytest.fixture
def token(monkeypatch):
    """Ray asks for one, and would write it into the home folder; its head shall listen to this machine alone."""
    monkeypatch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "f" * 64)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_cluster_that_runs_already_is_used_and_left_as_it_was(engine, short, token):
    with cluster_of_others(engine, short) as (address, process, _):
        runnable = studies.fragile()
        fits = first_fits(runnable)
        with closing(ENGINES[engine](RunOptions(address=address))) as executor:
            found = [record for records in executor.run(runnable, fits) for record in records]
            assert any((short / "t").glob("foldwise-*/X.npy"))
        assert Counter(record.status for record in found) == {"ok": 14, "error": 1}
        assert leftovers.wait_until(lambda: not any((short / "t").glob("foldwise-*")), 5)
        assert process.poll() is None
        assert studies.answer(engine=engine, address=address, jobs=1) == studies.answer(jobs=1)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_cluster_that_dies_ends_the_run_with_what_was_finished(engine, short, token):
    runnable = studies.make({"slow": studies.Slow(0.3)}, folds=20)
    found = []

    def use(executor, process):
        for records in executor.run(runnable, first_fits(runnable)):
            if records and not found:
                os.killpg(process.pid, signal.SIGKILL)
            found.extend(records)

    with (
        cluster_of_others(engine, short) as (address, process, _),
        closing(ENGINES[engine](RunOptions(address=address))) as executor,
        pytest.raises(FitsFailed, match=rf"the {engine} cluster at {address} is gone"),
    ):
        use(executor, process)
    assert 0 < len(found) < 40


@pytest.mark.parametrize("victim", ["raylet/raylet", "ray::DashboardAgent", "ray::RuntimeEnvAgent"])
def test_a_lost_raylet_or_agent_ends_the_run_and_no_fit_is_blamed(victim, short, monkeypatch):
    """Of a cluster of one node nothing is left then; the same line goes on."""
    monkeypatch.setattr("tempfile.tempdir", str(short))
    monkeypatch.setenv("TMPDIR", str(short))
    runnable = studies.make({"slow": studies.Slow(0.2)}, folds=20)
    found = []

    def use(executor):
        for records in executor.run(runnable, first_fits(runnable)):
            if records and not found:
                below = kin.below(executor._nursery.pid)
                os.kill(next(pid for pid in below if victim in kin.command(pid)), signal.SIGKILL)
            found.extend(records)

    with (
        closing(RayExecutor(RunOptions(jobs=2))) as executor,
        pytest.raises(FitsFailed, match="is gone"),
    ):
        use(executor)
    assert {record.status for record in found} == {"ok"}
    assert len(found) < 40
    assert leftovers.wait_until(lambda: not any(short.iterdir()), 5), list(short.glob("**/*"))


def test_a_lost_node_of_several_costs_no_fit_and_leaves_nothing(short, token):
    runnable = studies.make({"slow": studies.Slow(0.2)}, folds=20)
    found = []
    with cluster_of_others("nodes", short) as (address, process, _):
        with closing(RayExecutor(RunOptions(address=address))) as executor:
            for records in executor.run(runnable, first_fits(runnable)):
                if records and not found:
                    raylets = [pid for pid in kin.below(process.pid) if "raylet/raylet" in kin.command(pid)]
                    os.kill(max(raylets), signal.SIGKILL)
                found.extend(records)
        assert Counter((record.learner, record.status) for record in found) == {
            ("slow", "ok"): 20,
            ("baseline", "ok"): 20,
        }
        assert leftovers.wait_until(lambda: not any((short / "t").glob("foldwise-*")), 5)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_node_without_the_code_of_a_learner_is_told_by_name(engine, short, token, tmp_path, monkeypatch):
    """A module of the coordinator's folder, which no node has."""
    (tmp_path / "farwood.py").write_text("from sklearn.linear_model import Ridge\nclass Far(Ridge):\n    pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    runnable = studies.make({"far": importlib.import_module("farwood").Far()})
    sys.path.remove(str(tmp_path))
    with (
        cluster_of_others(engine, short) as (address, _, _),
        closing(ENGINES[engine](RunOptions(address=address))) as executor,
        pytest.raises(BadLearner, match=r"on the node .*No module named 'farwood'.*can be imported on every node"),
    ):
        list(executor.run(runnable, first_fits(runnable)))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_node_with_another_version_of_a_learners_package_is_refused(engine, short, token):
    runnable = studies.fragile()
    methods = tuple(replace(method, packages={"click": "0.1"}) for method in runnable.study.methods)
    runnable = replace(runnable, study=replace(runnable.study, methods=methods))
    with (
        cluster_of_others(engine, short) as (address, _, _),
        closing(ENGINES[engine](RunOptions(address=address))) as executor,
        pytest.raises(BadStudy, match=r"has click \S+ instead of 0\.1, so that its numbers might differ"),
    ):
        list(executor.run(runnable, first_fits(runnable)))


def test_an_address_where_nobody_is_is_named():
    runnable = studies.fragile()
    with (
        closing(DaskExecutor(RunOptions(address="tcp://127.0.0.1:9"))) as executor,
        pytest.raises(FitsFailed, match=r"the dask cluster at tcp://127.0.0.1:9 cannot be used"),
    ):
        list(executor.run(runnable, first_fits(runnable)))


def command(engine, folder, *, way):
    """A command that is ended by a signal when its store has the first records: code, words, environment, seconds."""
    environment = leftovers.marked(folder / "t") | {"PYTHONPATH": os.pathsep.join(sys.path)}
    words = ["compare", "diabetes", "--learners", "ridge,forest", "--jobs", "2", "--engine", engine, "--store", "run"]
    call = [sys.executable, "-c", "from foldwise.cli import main; main()", *words]
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(call, env=environment, cwd=folder, **pipes) as process:
        leftovers.wait_until(lambda: process.poll() is not None or stored(folder / "run"), 90)
        sent = time.monotonic()
        process.send_signal(way)
        _, said = process.communicate(timeout=30)
    return process.returncode, said, environment, time.monotonic() - sent


def stored(folder):
    """How many records a store has, while somebody writes to it."""
    try:
        with closing(SqliteStore(folder, readonly=True)) as store:
            return len(list(store.keys()))
    except (BadStore, sqlite3.Error):  # it is being made
        return 0


@pytest.mark.parametrize("engine", ENGINES)
def test_an_interrupt_ends_a_command_soon_keeps_what_is_done_and_leaves_nothing(engine, short):
    code, said, environment, seconds = command(engine, short, way=signal.SIGINT)

    assert code == 130, said
    assert seconds < 10  # soon, also where another test has the other core
    assert "foldwise resume run" in said
    assert stored(short / "run") > 0
    leftovers.assert_nothing_left(environment)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_killed_coordinator_leaves_no_process(engine, short):
    _, _, environment, _ = command(engine, short, way=signal.SIGKILL)

    leftovers.wait_until(lambda: not leftovers.processes(environment), 10.0)
    assert [kin.command(pid) for pid in leftovers.processes(environment)] == []


def test_a_command_whose_raylet_is_lost_ends_with_code_1_and_goes_on_with_resume(short):
    environment = leftovers.marked(short / "t") | {"PYTHONPATH": os.pathsep.join(sys.path)}
    call = [sys.executable, "-c", "from foldwise.cli import main; main()"]
    words = ["compare", "diabetes", "--learners", "ridge,forest", "--jobs", "2", "--engine", "ray", "--store", "run"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([*call, *words], env=environment, cwd=short, **pipes) as process:
        leftovers.wait_until(lambda: process.poll() is not None or stored(short / "run"), 90)
        raylet = next(pid for pid in kin.below(process.pid) if "raylet/raylet" in kin.command(pid))
        os.kill(raylet, signal.SIGKILL)
        _, said = process.communicate(timeout=120)
    leftovers.assert_nothing_left(environment)
    kept = stored(short / "run")

    again = subprocess.run(
        [*call, "resume", "run", "--engine", "local", "--json"], env=environment, cwd=short, timeout=300, **pipes
    )

    assert (process.returncode, "the ray cluster is gone" in said) == (1, True), said
    assert kept > 0
    assert again.returncode == 0, again.stderr
    found = json.loads(again.stdout)
    assert [method["failed"] for method in found["methods"]] == [0] * len(found["methods"])
