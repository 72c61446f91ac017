"""A fit (executors/worker.py) leaves its process as it found it, also the one that the user works in."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import sklearn
import trial
from saboteur import SaboteurRegressor
from sklearn.base import BaseEstimator, RegressorMixin

import foldwise as fw
from faults import Moment, change_the_world, raise_exception
from foldwise.executors.world import World
from foldwise.learners.model import seed_world


class Witness(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Notes in which state it finds its process."""

    seen: ClassVar[list[object]] = []

    def fit(self, X: Any, y: Any) -> Witness:
        self.seen.append([state(), random.random(), np.random.random()])
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X))


class Changing(Witness):
    """Changes its process after it has looked at it."""

    def fit(self, X: Any, y: Any) -> Changing:
        super().fit(X, y)
        change_the_world(Moment(0.0, 0.0, None))
        return self


class Stamping(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Warns, and fails, in the way of XGBoost: with the time of day."""

    clock = count(10)

    def fit(self, X: Any, y: Any) -> Stamping:
        stamp = f"[15:07:{next(self.clock)}]"
        warnings.warn(f"{stamp} WARNING: /somewhere/learner.cc:782: \nParameters not used.\n", stacklevel=1)
        if y[0] > 0:
            raise ValueError(f"{stamp} /somewhere/learner.cc:12: Check failed.")
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X))


def state() -> list[object]:
    handlers = [str(getattr(h, "__qualname__", h)) for h in map(signal.getsignal, (signal.SIGINT, signal.SIGTERM))]
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return [os.getcwd(), dict(os.environ), np.geterr(), handlers, streams, sys.getrecursionlimit()]


@pytest.mark.filterwarnings("default")
def test_what_a_learner_changes_is_put_back() -> None:
    before = state()
    with World(), np.errstate():
        change_the_world(Moment(0.0, 0.0, None))
        changed = state()
    assert state() == before
    assert all(now != then for now, then in zip(changed, before, strict=True))


def test_options_of_scikit_learn_are_put_back() -> None:
    before = sklearn.get_config()
    with World():
        sklearn.set_config(assume_finite=True, transform_output="pandas", enable_metadata_routing=True)
    assert sklearn.get_config() == before


def change_and_fail() -> None:
    with World(), np.errstate():
        os.environ["FOLDWISE_SABOTEUR"] = "was here"
        os.chdir("/")
        raise_exception(Moment(0.0, 0.0, None))


def test_it_is_put_back_after_an_error_too() -> None:
    before = state()
    with pytest.raises(ValueError, match="the saboteur was here"):
        change_and_fail()
    assert state() == before


def test_a_folder_that_is_gone_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    with World(), np.errstate():
        os.chdir("/")
        (tmp_path / "gone").rmdir()
    assert os.getcwd() == "/"


def test_it_works_outside_the_main_thread() -> None:
    done: list[bool] = []

    def fit() -> None:
        with World(), np.errstate():
            os.environ["FOLDWISE_SABOTEUR"] = "was here"
        done.append("FOLDWISE_SABOTEUR" not in os.environ)

    thread = threading.Thread(target=fit)
    thread.start()
    thread.join()
    assert done == [True]


@pytest.mark.parametrize("stage", ["fit", "predict"])
def test_the_next_fit_sees_nothing_of_the_last(stage: str) -> None:
    X, y = trial.data("regression")
    found: list[list[object]] = []
    for fault in (None, "changed world"):
        Witness.seen.clear()
        learners = {"saboteur": SaboteurRegressor(fault=fault, stage=stage), "witness": Witness()}
        fw.compare(learners, X, y, outer=3, jobs=1, isolate=False)
        found.append(list(Witness.seen))
    assert len(found[0]) == 3
    assert found[0] == found[1]


@pytest.mark.filterwarnings("default")
def test_fits_of_one_batch_find_the_same_world() -> None:
    X, y = trial.data("regression")
    Witness.seen.clear()
    fw.compare({"changing": Changing()}, X, y, outer=6, jobs=1, isolate=False)  # all but the first are one batch
    found = [seen[0] for seen in Witness.seen]
    assert len(found) == 6
    assert all(each == found[0] for each in found)


CHANGES: dict[str, Callable[[], object]] = {
    "one more": lambda: warnings.simplefilter("ignore"),
    "errors": lambda: warnings.simplefilter("error"),
    "none": warnings.resetwarnings,
    "left open": lambda: warnings.catch_warnings(record=True).__enter__(),
    "shown otherwise": lambda: setattr(warnings, "showwarning", lambda *args, **options: None),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_warnings_of_a_fit_are_caught_whatever_the_last_one_did_to_filters(change: str) -> None:
    before = (warnings.filters, list(warnings.filters), warnings.showwarning)
    with World() as world:
        warnings.warn("the first fit", stacklevel=1)
        CHANGES[change]()
        assert [str(message) for message in world.warned()] == ["the first fit"]
        for _ in range(2):
            warnings.warn("the second fit", stacklevel=1)
        assert [str(message) for message in world.warned()] == ["the second fit"] * 2
    assert warnings.filters is before[0]
    assert (list(warnings.filters), warnings.showwarning) == before[1:]


@pytest.mark.parametrize("sign", [-1.0, 1.0], ids=["warns", "fails"])
def test_what_a_fit_says_is_told_without_the_time_of_day(sign: float) -> None:
    X = np.arange(12.0).reshape(-1, 1)
    try:
        answer = fw.compare(Stamping(), X, sign * (0.5 + X[:, 0]), outer=3, jobs=1, guards=False).to_dict()
    except fw.FitsFailed as problem:
        answer = problem.result.to_dict()
    assert "15:07" not in str(answer)
    if sign < 0:
        assert "3 fits warned: UserWarning: Parameters not used." in str(answer["notes"])


def test_global_random_numbers_depend_on_the_fit_and_go_on_where_they_were() -> None:
    generator = np.random.mtrand.get_bit_generator()
    ours, numpys = random.getstate(), np.random.get_state()
    expected = [random.random(), np.random.random()]
    random.setstate(ours)
    np.random.set_state(numpys)
    drawn = []
    with World() as world:
        for _ in range(2):
            seed_world(7)
            drawn.append([random.random(), np.random.random()])
            np.random.mtrand.set_bit_generator(np.random.PCG64(3))
            world.put_back()
    assert np.random.mtrand.get_bit_generator() is generator
    assert [random.random(), np.random.random()] == expected
    assert drawn[0] == drawn[1] == [random.Random(7).random(), np.random.RandomState(7).random()]
