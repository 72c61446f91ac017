"""The run (run.py) gives the same bytes for any number of workers, order of completion and interruption."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge, SGDRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import foldwise as fw
from foldwise.executors.worker import Worker
from foldwise.executors.workload import workload_of
from foldwise.plans.fit import Batch, Fit
from foldwise.plans.runnable import RunnableStudy
from foldwise.records.record import Record

PER_RUN = ("fits_made", "seconds")


def as_bytes(result: Any) -> bytes:
    """The answer as JSON, without what may differ between runs."""
    answer = result.to_dict()
    for part in (answer, *answer["methods"]):
        for name in PER_RUN:
            del part[name]
    return json.dumps(answer).encode()


class Shuffled:
    """Does the fits in a random order, a few at a time; what a solver answers together comes together."""

    def __init__(self, seed: int, *, stop_after: int | None = None) -> None:
        self.rng = np.random.default_rng(seed)
        self.left = stop_after
        self.handed = 0
        self.waiting: list[Batch] = []

    def run(self, runnable: RunnableStudy, fits: Sequence[Fit]) -> Iterator[list[Record]]:
        self.worker = Worker(workload_of(runnable))
        self.add(fits)
        while self.waiting:
            some = [self.waiting.pop() for _ in self.waiting[:3]]
            records = [record for unit in some for record in self.worker.do(unit)]
            if self.left is not None and self.left < len(records):
                raise KeyboardInterrupt
            self.left = None if self.left is None else self.left - len(records)
            self.handed += len(records)
            yield [records[at] for at in self.rng.permutation(len(records))]

    def add(self, fits: Sequence[Fit]) -> None:
        units = self.worker.solvers.batches(fits)
        self.waiting += [units[at] for at in self.rng.permutation(len(units))]

    def close(self) -> None:
        """There is nothing to let go of."""


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Have studies run by another executor."""

    def change(executor: Any) -> None:
        monkeypatch.setattr("foldwise.api.running.make_executor", lambda options, stop: executor)

    return change


def learners() -> dict[str, Any]:
    """Some that draw random numbers from a seed we give, and one that takes them from NumPy's global state."""

    class Noisy(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # local: only its code can be sent to a worker
        def __init__(self, scale: float = 1.0) -> None:
            self.scale = scale

        def fit(self, X: Any, y: Any) -> Noisy:
            self.mean_ = y.mean() + self.scale * np.random.normal()
            return self

        def predict(self, X: Any) -> Any:
            return np.full(len(X), self.mean_)

    return {
        "forest": fw.tune(RandomForestRegressor(2), max_depth=[1, 3]),
        "descent": fw.tune(make_pipeline(StandardScaler(), SGDRegressor()), alpha=[1e-3, 1e-1]),
        "ridge": fw.tune(Ridge(), alpha=fw.log_range(0.1, 10, 3)),
        "noisy": fw.tune(Noisy(), scale=[0.1, 1.0]),
    }


def compare(curved: Any, **words: Any) -> Any:
    return fw.compare(learners(), *curved, outer=7, loss=["squared", "absolute"], **({"jobs": 1, "seed": 5} | words))


@pytest.fixture(scope="module")
def undisturbed(curved: Any) -> bytes:
    return as_bytes(compare(curved))


def test_the_same_line_twice_gives_the_same_bytes(curved: Any, undisturbed: bytes) -> None:
    np.random.seed(99)  # the global state must not matter
    assert as_bytes(compare(curved)) == undisturbed


def test_two_workers_give_the_bytes_of_one(curved: Any, undisturbed: bytes) -> None:
    assert as_bytes(compare(curved, jobs=2)) == undisturbed


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", range(3))
def test_any_order_of_completion_gives_the_same_bytes(curved: Any, undisturbed: bytes, use: Any, seed: int) -> None:
    use(Shuffled(seed))
    assert as_bytes(compare(curved)) == undisturbed


@pytest.mark.few(2)
@pytest.mark.parametrize("stop_after", [0, 1, 40, 75, 80])
def test_an_interrupted_store_is_continued_to_the_same_bytes(
    curved: Any, undisturbed: bytes, use: Any, stop_after: int, tmp_path: Path
) -> None:
    first = Shuffled(stop_after, stop_after=stop_after)
    use(first)
    with pytest.raises(KeyboardInterrupt):
        compare(curved, store=tmp_path / "run")
    use(Shuffled(7))
    continued = compare(curved, store=tmp_path / "run")
    assert as_bytes(continued) == undisturbed
    assert continued.fits_made == continued.fits - first.handed
    assert as_bytes(fw.load(tmp_path / "run")) == undisturbed


def test_an_often_interrupted_store_makes_no_fit_twice(
    curved: Any, undisturbed: bytes, use: Any, tmp_path: Path
) -> None:
    handed = 0
    for attempt in range(4):
        some = Shuffled(attempt, stop_after=20)
        use(some)
        with pytest.raises(KeyboardInterrupt):
            compare(curved, store=tmp_path / "run")
        handed += some.handed
    use(Shuffled(4))
    continued = compare(curved, store=tmp_path / "run")
    assert as_bytes(continued) == undisturbed
    assert handed >= 20
    assert continued.fits_made == continued.fits - handed


def test_another_seed_gives_other_bytes(curved: Any, undisturbed: bytes) -> None:
    assert as_bytes(compare(curved, seed=6)) != undisturbed


class Noting(RandomForestRegressor):
    """A forest that notes with which seed it was grown on which rows."""

    seeds: ClassVar[dict[bytes, set[int]]] = {}

    def fit(self, X: Any, y: Any) -> Noting:
        self.seeds.setdefault(X.tobytes(), set()).add(self.random_state)
        return super().fit(X, y)  # type: ignore[no-any-return]


def test_candidates_share_the_seed_of_their_training_rows(curved: Any) -> None:
    """A forest of 2 trees is then the beginning of the forest of 4 on the same rows."""
    Noting.seeds.clear()
    fw.compare({"forest": fw.tune(Noting(), n_estimators=[2, 4])}, *curved, outer=3, inner="pairs", jobs=1)
    seeds = [seed for seeds in Noting.seeds.values() for seed in seeds]
    assert len(Noting.seeds) == 3 + 3
    assert len(seeds) == len(set(seeds)) == 6
    Noting.seeds.clear()
    fw.compare({"forest": Noting(1, random_state=11)}, *curved, outer=3, jobs=1)
    assert list(Noting.seeds.values()) == [{11}] * 3  # a seed that the user gave is his


def test_the_caller_finds_the_global_random_state_as_it_was(curved: Any) -> None:
    np.random.seed(1)
    expected = np.random.RandomState(1).normal(size=3)
    compare(curved)
    np.testing.assert_array_equal(np.random.normal(size=3), expected)
