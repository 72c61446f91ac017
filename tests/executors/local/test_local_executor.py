"""The local executor keeps its contract in this process and in workers, and decides well between the two."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from contextlib import closing

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge

import foldwise as fw
from foldwise.data.dataset import make_dataset
from foldwise.errors import BadStudy
from foldwise.executors.local.local_executor import LocalExecutor
from foldwise.executors.options import RunOptions
from foldwise.losses.loss import make_losses
from foldwise.plans.methods import make_learners
from foldwise.plans.queue import Queue
from foldwise.plans.runnable import make_study
from foldwise.splits.making import make_splits
from foldwise.testing.executors import ExecutorContract, first_fits


class Fragile(RegressorMixin, BaseEstimator):
    """Fails where the first training row is not row 0; knows where it ran."""

    def __init__(self, depth=1):
        self.depth = depth

    def fit(self, X, y):
        if X[0, 0] != 0.0:
            raise RuntimeError("the first row is missing")
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


class Where(RegressorMixin, BaseEstimator):
    """Predicts the number of its process."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full(len(X), float(os.getpid()))


def make(learners):
    rng = np.random.default_rng(0)
    X = np.column_stack([np.arange(40.0), rng.normal(size=40)])
    data = make_dataset(X, X @ [0.1, 1.0] + rng.normal(size=40))
    losses = make_losses(None, data)
    outer = make_splits(5, data, seed=0)
    return make_study(data, make_learners(learners, data, losses), losses=losses, outer=outer)


@pytest.fixture
def runnable():
    return make({"fragile": Fragile(), "ridge": Ridge()})


class TestInThisProcess(ExecutorContract):
    @pytest.fixture
    def executor(self):
        return LocalExecutor(RunOptions(jobs=1))


class TestInWorkers(ExecutorContract):
    @pytest.fixture
    def executor(self):
        with closing(LocalExecutor(RunOptions(jobs=2))) as executor:
            yield executor

    @pytest.mark.slow
    def test_it_can_be_used_again_after_it_was_closed(self, executor, runnable):
        super().test_it_can_be_used_again_after_it_was_closed(executor, runnable)


def processes(executor):
    runnable = make({"where": Where()})
    fits = [fit for fit in first_fits(runnable) if fit.method == 0]
    with closing(executor):
        return {float(record.responses["predict"][0]) for records in executor.run(runnable, fits) for record in records}


def test_small_studies_stay_in_the_calling_process():
    assert processes(LocalExecutor()) == {float(os.getpid())}


def test_isolated_fits_run_elsewhere():
    assert float(os.getpid()) not in processes(LocalExecutor(RunOptions(jobs=1, isolate=True)))


def test_a_long_study_moves_to_workers_after_its_first_fits(monkeypatch):
    monkeypatch.setattr("foldwise.executors.local.local_executor.SMALL_STUDY_SECONDS", 0.0)
    monkeypatch.setattr(
        "foldwise.executors.local.pool.Pool.is_ready", lambda pool: True
    )  # else fits go on here meanwhile
    found = processes(LocalExecutor()) if len(os.sched_getaffinity(0)) > 1 else {1.0, 2.0}
    assert len(found) >= 2


def test_only_the_cheapest_builtin_learners_are_fitted_here_until_workers_are_there(monkeypatch):
    sent = []
    of_pool = "foldwise.executors.local.pool.Pool"
    monkeypatch.setattr(f"{of_pool}.start", lambda pool: None)
    monkeypatch.setattr(f"{of_pool}.is_ready", lambda pool: False)
    monkeypatch.setattr(f"{of_pool}.run", lambda pool, batches: sent.extend(batches) or iter(()))
    runnable = make({"where": Where(), "linear": fw.learner("linear"), "forest": fw.learner("forest")})
    with closing(LocalExecutor(RunOptions(jobs=2))) as executor:
        found = [record for records in executor.run(runnable, first_fits(runnable)) for record in records]
    assert {record.learner for record in found} == {"linear", "baseline"}
    assert {runnable.learners[fit.method].name for batch in sent for fit in batch} == {"where", "forest"}


def test_no_thread_is_left_behind():
    before = threading.active_count()
    processes(LocalExecutor(RunOptions(jobs=1)))
    assert threading.active_count() == before


def test_less_than_one_job_is_refused():
    with pytest.raises(BadStudy, match="jobs must"):
        LocalExecutor(RunOptions(jobs=0))


# Learners that end their process are kept away from the one that runs the tests.
DEADLY = """
import json, os, pathlib, sys, time
import numpy as np
from sklearn.neighbors import KNeighborsRegressor
import foldwise as fw

folder = pathlib.Path(sys.argv[1])

class Deadly(KNeighborsRegressor):
    def fit(self, X, y):
        if self.n_neighbors == 3 and len(X) == 40 and sys.argv[2] != "spared":
            if sys.argv[2] == "sleeper" and (folder / "died").exists():
                (folder / "sleeps").touch()
                time.sleep(60)
            (folder / "died").touch()
            os._exit(9)
        return super().fit(X, y)

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 2))
y = X[:, 0] + rng.normal(size=60)
learners = {"deadly": fw.tune(Deadly(), n_neighbors=[1, 3, 5] if sys.argv[2] != "spared" else [1, 5])}
result = fw.compare(learners, X, y, outer=0.1, inner=0.25, jobs=2, on_failure="drop_candidate")
print(json.dumps(result.to_dict()))
"""


def deadly(folder, way):
    """The script above in a process group of its own, with a folder of its own for temporary files."""
    # a background job of a shell ignores interrupts, and its children would too
    heeding = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    words = [sys.executable, "-c", heeding + DEADLY, str(folder), way]
    environment = {**os.environ, "TMPDIR": str(folder)}
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True)


def wait_until(is_true, seconds=60):
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_gone(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.slow
def test_a_fit_that_kills_its_worker_is_a_failed_record_and_costs_only_itself(tmp_path):
    with deadly(tmp_path, "deadly") as dying, deadly(tmp_path, "spared") as spared:
        found, expected = (json.loads(process.communicate(timeout=120)[0]) for process in (dying, spared))
    assert (dying.returncode, spared.returncode) == (0, 0)
    method, other = found["methods"][0], expected["methods"][0]
    assert (method["failed"], method["fits"], other["failed"], other["fits"]) == (1, 7, 0, 5)
    assert any("the worker process exited with code 9" in note["text"] for note in found["notes"])
    for name in ("risk", "low", "high", "selection_score", "train_risk", "folds"):
        assert method[name] == other[name]
    wait_until(lambda: is_gone(dying.pid), 10)
    assert list(tmp_path.glob("foldwise-*")) == []


@pytest.mark.slow
def test_an_interrupt_ends_a_fit_that_is_tried_again_alone(tmp_path):
    with deadly(tmp_path, "sleeper") as process:
        wait_until((tmp_path / "sleeps").exists)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
    assert process.returncode == -signal.SIGINT
    wait_until(lambda: is_gone(process.pid), 10)
    assert list(tmp_path.glob("foldwise-*")) == []


def test_fits_that_were_handed_on_are_let_go_of(monkeypatch):
    """They hold the rows of their training sets, which are many in leave-one-out."""
    handed, plain = [], Queue.next

    def watched(queue, records=()):
        gc.collect()
        assert [ref() for ref in handed] == [None] * len(handed)
        fits = plain(queue, records)
        handed.extend([weakref.ref(fits)] if fits else [])
        return fits

    monkeypatch.setattr(Queue, "next", watched)
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40.0)
    fw.compare({"ridge": fw.tune(Ridge(), alpha=[1.0, 10.0])}, X, y, outer=4, inner=3, jobs=1)
    assert len(handed) == 2
