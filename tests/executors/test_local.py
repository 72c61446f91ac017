"""The local executor keeps its contract in this process and in workers, and decides well between the two."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge

from foldwise.data.dataset import make_dataset
from foldwise.errors import BadStudy
from foldwise.executors.local import LocalExecutor
from foldwise.losses.loss import make_losses
from foldwise.plans.methods import make_learners
from foldwise.plans.study import make_study
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
def study():
    return make({"fragile": Fragile(), "ridge": Ridge()})


class TestInThisProcess(ExecutorContract):
    @pytest.fixture
    def executor(self):
        return LocalExecutor(jobs=1)


class TestInWorkers(ExecutorContract):
    @pytest.fixture
    def executor(self):
        return LocalExecutor(jobs=2)


def processes(executor):
    study = make({"where": Where()})
    fits = [fit for fit in first_fits(study) if fit.method == 0]
    return {float(record.responses["predict"][0]) for records in executor.run(study, fits) for record in records}


def test_small_studies_stay_in_the_calling_process():
    assert processes(LocalExecutor()) == {float(os.getpid())}


def test_isolated_fits_run_elsewhere():
    assert float(os.getpid()) not in processes(LocalExecutor(jobs=1, isolate=True))


def test_a_long_study_moves_to_workers_after_its_first_fits(monkeypatch):
    monkeypatch.setattr("foldwise.executors.local.SMALL_STUDY_SECONDS", 0.0)
    found = processes(LocalExecutor(jobs=None, isolate=None)) if len(os.sched_getaffinity(0)) > 1 else {1.0, 2.0}
    assert len(found) >= 2


def test_no_thread_is_left_behind():
    before = threading.active_count()
    processes(LocalExecutor(jobs=1))
    assert threading.active_count() == before


def test_less_than_one_job_is_refused():
    with pytest.raises(BadStudy, match="jobs must be at least 1, not 0"):
        LocalExecutor(jobs=0)
