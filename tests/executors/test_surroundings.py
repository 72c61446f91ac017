"""A learner that changes its process for all others costs nobody but itself, here and in a worker process."""

from __future__ import annotations

import gc
import locale
import os
import resource
import signal
import sys
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge

import foldwise as fw
from foldwise.executors.surroundings import Surroundings


def patch_numpy() -> None:
    np.mean = lambda *_, **__: 1e9  # type: ignore[assignment]


def patch_method() -> None:
    Ridge.predict = lambda self, X: np.full(len(X), 1e9)


def patch_function() -> None:
    sys.modules["sklearn.linear_model._ridge"]._ridge_regression = None


def set_config() -> None:
    sklearn.set_config(assume_finite=True, transform_output="pandas", enable_metadata_routing=True)


def lower_soft_limit() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (60, hard))


def change_the_rest() -> None:
    os.umask(0o777)
    gc.disable()
    sys.path.insert(0, "/nowhere")
    locale.setlocale(locale.LC_ALL, "C.UTF-8")
    signal.signal(signal.SIGUSR1, lambda *_: None)


def lower_hard_limit() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50))


RESTORED = [patch_numpy, patch_method, patch_function, set_config, lower_soft_limit, change_the_rest]
HERE, WORKER = {"jobs": 1, "isolate": False}, {"jobs": 1, "isolate": True}


class Vandal(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    def __init__(self, act: Any = None) -> None:
        self.act = act

    def fit(self, X: Any, y: Any) -> Vandal:
        self.mean_ = float(sum(y) / len(y))
        self.act()
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean_)


class Witness(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Predicts in which state it finds its process."""

    def fit(self, X: Any, y: Any) -> Witness:
        self.found_ = abs(hash(str(state()))) % 10**6 + float(np.mean(y))
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.found_)


def state() -> tuple[Any, ...]:
    mask = os.umask(0)
    os.umask(mask)
    handler = str(signal.getsignal(signal.SIGUSR1))
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    plain = (mask, gc.isenabled(), "/nowhere" in sys.path, locale.setlocale(locale.LC_ALL), handler, limits)
    return *plain, sorted(sklearn.get_config().items(), key=str), sys.getrecursionlimit()


def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    return X, X[:, 0] + rng.normal(size=30)


def others(learners: dict[str, Any], **where: Any) -> dict[str, Any]:
    """The risks of all but the vandal, and how many of its fits failed."""
    found = fw.compare(learners, *data(), outer=4, solvers=False, **where).to_dict()["methods"]
    return {one["name"]: one["risk"] for one in found if one["name"] != "vandal"}


@pytest.fixture
def healthy(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    return {"vandal": Vandal(int), "ridge": Ridge(), "witness": Witness()}


def all_at_once() -> None:
    for act in RESTORED:
        act()


@pytest.mark.parametrize("act", RESTORED)
def test_what_a_learner_changes_for_all_is_put_back(act: Any, healthy: dict[str, Any]) -> None:
    before, mean, predict = state(), np.mean, Ridge.predict
    expected = others(healthy, **HERE)

    assert others({**healthy, "vandal": Vandal(act)}, **HERE) == expected
    assert (state(), np.mean, Ridge.predict) == (before, mean, predict)


@pytest.mark.slow
def test_it_is_put_back_in_a_worker_too_or_the_worker_is_replaced(healthy: dict[str, Any]) -> None:
    expected = others(healthy, **WORKER)
    assert others({**healthy, "vandal": Vandal(all_at_once)}, **WORKER) == expected
    assert others({**healthy, "vandal": Vandal(lower_hard_limit)}, **WORKER) == expected


class Parricide(Vandal):
    """Kills the process that started it, and lives on for a while."""

    def fit(self, X: Any, y: Any) -> Parricide:
        os.kill(os.getppid(), signal.SIGKILL)
        signal.pause()
        return self


@pytest.mark.slow
def test_a_learner_that_kills_its_parent_costs_itself() -> None:
    learners = {"parricide": Parricide(), "ridge": Ridge()}
    found = fw.compare(learners, *data(), outer=2, jobs=2, isolate=True, solvers=False).to_dict()["methods"]

    statuses = {one["name"]: (one["status"], one["failed"]) for one in found}
    assert (statuses["parricide"], statuses["ridge"]) == (("failed", 2), ("ok", 0))


def test_a_method_that_hides_an_inherited_one_is_taken_away() -> None:
    surroundings = Surroundings([Ridge])
    Ridge.score = lambda *_: 1.0
    assert surroundings.restore()
    assert "score" not in vars(Ridge)
