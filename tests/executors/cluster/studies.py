"""Small studies for the tests of engines."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

import foldwise as fw
from foldwise.data.dataset import make_dataset
from foldwise.executors.cluster.node import NodeStudy, versions
from foldwise.executors.options import Limits
from foldwise.executors.workload import modules_of, workload_of, write_workload
from foldwise.losses.loss import make_losses
from foldwise.plans.methods import make_learners
from foldwise.plans.runnable import StudyOptions, make_study
from foldwise.splits.making import make_splits


class Fragile(RegressorMixin, BaseEstimator):
    """Fails where the first training row is not row 0."""

    def fit(self, X, y):
        if X[0, 0] != 0.0:
            raise RuntimeError("the first row is missing")
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


class Slow(Fragile):
    """Takes its time, and leaves a file that tells that it began."""

    def __init__(self, seconds=0.2, folder=None):
        self.seconds = seconds
        self.folder = folder

    def fit(self, X, y):
        if self.folder is not None:
            (Path(self.folder) / f"{os.getpid()}-{time.monotonic_ns()}").touch()
        time.sleep(self.seconds)
        self.mean_ = float(np.mean(y))
        return self


class Killer(Fragile):
    """Kills the process of the engine that has its fits, where the first training row is row 1."""

    def fit(self, X, y):
        if X[0, 0] == 1.0:
            _, parent = Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[:2]
            os.kill(int(parent), signal.SIGKILL)
            time.sleep(60.0)
        self.mean_ = float(np.mean(y))
        return self


class Stays(Fragile):
    """Cannot be pickled."""

    def __reduce__(self):
        raise TypeError("I stay here")


def table(rows=40):
    """The first column numbers the rows."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.arange(float(rows)), rng.normal(size=rows)])
    return X, X @ [0.1, 1.0] + rng.normal(size=rows)


def make(learners, *, folds=5):
    """A study without solvers, so that every fit is one of its own."""
    data = make_dataset(*table())
    losses, outer = make_losses(None, data), make_splits(folds, data, seed=0)
    return make_study(
        data, make_learners(learners, data, losses), losses=losses, outer=outer, options=StudyOptions(solvers=False)
    )


def fragile():
    return make({"fragile": Fragile(), "ridge": Ridge()})


def node_study(runnable, *, token="t" * 32, limits=None):
    work = workload_of(runnable)
    names = tuple(learner.name for learner in runnable.learners)
    required = tuple(versions().items())
    return NodeStudy(token, names, tuple(modules_of(work)), work.threads, limits or Limits(), required)


def files(runnable, folder):
    """The files of a study, as nodes are sent them."""
    folder.mkdir(exist_ok=True)
    write_workload(workload_of(runnable), folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def answer(**where):
    """What a comparison says, but for what may differ between two runs of it."""
    learners = {
        "ridge": fw.tune(Ridge(), alpha=[0.1, 1.0, 10.0]),
        "tree": fw.tune(DecisionTreeRegressor(), max_depth=[1, 2, 3]),
        "fragile": Fragile(),
    }
    found = fw.compare(learners, *table(), outer=4, inner=3, seed=3, **where).to_dict()
    for part in (found, *found["methods"]):
        for name in ("seconds", "fits_made"):
            part.pop(name, None)
    return json.dumps(found, sort_keys=True)
