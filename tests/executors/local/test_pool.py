"""A pool (executors/local/nursery.py, executors/local/child.py) outlives kills and learners that fork."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge

import foldwise as fw
from foldwise.data.dataset import make_dataset
from foldwise.executors.local.channel import Channel
from foldwise.executors.local.local_executor import LocalExecutor
from foldwise.executors.local.nursery import is_deserted
from foldwise.executors.local.pool import Pool, _Worker
from foldwise.executors.options import RunOptions
from foldwise.losses.loss import make_losses
from foldwise.plans.methods import make_learners
from foldwise.plans.runnable import make_study
from foldwise.splits.making import make_splits
from foldwise.testing.executors import first_fits


class Unlucky(RegressorMixin, BaseEstimator):
    """Its process is killed the first time it is fitted to any rows."""

    def __init__(self, folder=""):
        self.folder = folder

    def fit(self, X, y):
        mark = Path(self.folder) / f"{float(np.sum(X)):.12f}"
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


class Forking(RegressorMixin, BaseEstimator):
    """Forks, and its child goes on as if nothing had happened, or ends as Python does."""

    def __init__(self, does_exit=False):
        self.does_exit = does_exit

    def fit(self, X, y):
        self.is_child_ = os.fork() == 0
        if self.is_child_ and self.does_exit:
            sys.exit(0)
        return self

    def predict(self, X):
        return np.full(len(X), float(self.is_child_))


class Parricide(RegressorMixin, BaseEstimator):
    """Kills the process that started it, and lives on for a while."""

    def fit(self, X, y):
        os.kill(os.getppid(), signal.SIGKILL)
        signal.pause()
        return self

    def predict(self, X):
        return np.zeros(len(X))


def make(learner, folds=4):
    rng = np.random.default_rng(0)
    data = make_dataset(rng.normal(size=(40, 2)), rng.normal(size=40))
    losses = make_losses(None, data)
    learners = make_learners({"learner": learner}, data, losses)
    return make_study(data, learners, losses=losses, outer=make_splits(folds, data, seed=0))


def records_of(runnable, executor):
    fits = [fit for fit in first_fits(runnable) if fit.method == 0]
    with closing(executor):
        found = [record for records in executor.run(runnable, fits) for record in records]
    assert sorted(record.key for record in found) == sorted({fit.key for fit in fits})
    return found


@pytest.fixture
def idle_pool(tmp_path):
    """A pool of two ready workers behind which nobody fits."""
    pool, ends = Pool(tmp_path, jobs=2), []
    for number in (1, 2):
        ours, theirs = socket.socketpair()
        ends += [ours, theirs]
        pool._workers[number] = _Worker(number, Channel(ours), is_ready=True)
    yield pool
    for end in ends:
        end.close()


def handed_out(pool, fits):
    pool.add([(fit,) for fit in fits])
    pool._hand_out()
    return [[len(batch) for batch in worker.batches] for worker in pool._workers.values()]


def test_the_last_batches_go_to_whoever_is_free_first(idle_pool):
    fits = [fit for fit in first_fits(make(Unlucky(), folds=3)) if fit.method == 0]
    assert handed_out(idle_pool, fits) == [[1], [1]]
    assert len(idle_pool._waiting) == 1


def test_fits_travel_together_once_their_method_was_timed(idle_pool):
    fits = [fit for fit in first_fits(make(Unlucky(), folds=20)) if fit.method == 0]
    idle_pool.seconds = {}
    assert handed_out(idle_pool, fits[:8]) == [[1, 1], [1, 1]]
    for worker in idle_pool._workers.values():
        worker.batches.clear()
    idle_pool.seconds[0] = 0.025
    assert handed_out(idle_pool, fits[8:]) == [[4, 3], [3, 2]]


@pytest.mark.slow
def test_a_learner_that_kills_its_parent_costs_itself():
    rng = np.random.default_rng(0)
    X, learners = rng.normal(size=(30, 2)), {"parricide": Parricide(), "ridge": Ridge()}
    methods = fw.compare(learners, X, X[:, 0] ** 2, outer=2, jobs=2, isolate=True, solvers=False).to_dict()["methods"]
    statuses = {method["name"]: (method["status"], method["failed"]) for method in methods}
    assert (statuses["parricide"], statuses["ridge"]) == (("failed", 2), ("ok", 0))


@pytest.mark.slow
def test_a_nursery_killed_before_it_has_heard_anything_is_replaced():
    executor = LocalExecutor(RunOptions(jobs=1, isolate=True))
    runnable = make(Forking(), folds=2)
    executor._begin(runnable)
    os.kill(executor._pool_for(runnable)._nursery.pid, signal.SIGKILL)
    assert len(records_of(runnable, executor)) == 2


@pytest.mark.slow
def test_many_fits_that_are_tried_again_alone_do_not_look_like_workers_that_cannot_start(tmp_path, monkeypatch):
    monkeypatch.setattr("foldwise.executors.local.pool.MOST_IDLE_DEATHS", 2)
    found = records_of(make(Unlucky(folder=str(tmp_path)), folds=7), LocalExecutor(RunOptions(jobs=1, isolate=True)))
    assert [record.status for record in found] == ["ok"] * 7
    assert len(list(tmp_path.iterdir())) == 7


@pytest.mark.few(1)
@pytest.mark.parametrize("does_exit", [False, True])
def test_the_child_of_a_learner_that_forks_does_no_fits_of_ours(does_exit):
    found = records_of(make(Forking(does_exit=does_exit)), LocalExecutor(RunOptions(jobs=1, isolate=True)))
    assert [record.responses["predict"][0] for record in found] == [0.0] * 4


@pytest.mark.slow
def test_paths_that_are_no_text_are_passed_over_as_python_does(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "path", [tmp_path, *sys.path])
    assert len(records_of(make(Forking(), folds=2), LocalExecutor(RunOptions(jobs=1, isolate=True)))) == 2


def test_a_nursery_knows_while_it_starts_whether_its_coordinator_is_gone():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.send(b"something that is not read yet")
        assert not is_deserted(theirs)
        ours.close()
        assert is_deserted(theirs)


def test_a_pool_that_is_closed_at_once_does_not_wait_for_its_nursery_to_start(tmp_path):
    (tmp_path / "sluggish.py").write_text("import time; time.sleep(4)")
    pool = Pool(tmp_path, jobs=1, modules=["sluggish"])
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(tmp_path)
        pool.start()
    began = time.monotonic()
    pool.close()
    assert time.monotonic() - began < 1
