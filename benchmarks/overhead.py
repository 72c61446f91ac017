"""What the framework costs and what sharing saves, side by side with scikit-learn in one run.

First, CPU milliseconds per fit where a fit takes next to no time, so that what is left is the
framework. Then three tasks, the same folds and the same numbers on both sides (asserted), CPU
seconds at one job, the smallest of some alternating rounds:

- *small fits*: nested 5 x 5 with fits of about a millisecond, the same number of fits on both sides;
- *pairs*: nested 10 x 9 with fits of 50 ms, final tuning included on both sides;
- *lines*: nested 13 x 4 with fits of 50 ms, final tuning included on both sides.

    python benchmarks/overhead.py [--quick | --per-fit]
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.tree import DecisionTreeRegressor
from threadpoolctl import threadpool_limits

import foldwise as fw

SCORING = "neg_mean_squared_error"


class Busy(RegressorMixin, BaseEstimator):
    """A learner whose fit keeps one core busy for so many milliseconds and predicts a shifted mean."""

    def __init__(self, shift: float = 0.0, milliseconds: float = 50.0) -> None:
        self.shift = shift
        self.milliseconds = milliseconds

    def fit(self, X: Any, y: Any) -> Busy:
        until = time.process_time() + self.milliseconds / 1000
        while time.process_time() < until:
            pass
        self.mean_ = float(np.mean(y)) + self.shift
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean_)


def small_fits(quick: bool) -> tuple[str, float, float]:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.normal(size=200)
    learner, grid = (
        DecisionTreeRegressor(random_state=0),
        {"max_depth": [1, 2, 3, 4], "min_samples_leaf": [1, 3, 5, 7, 9]},
    )
    outer, inner = KFold(5, shuffle=True, random_state=1), KFold(5)

    def ours() -> float:
        method = fw.tune(learner, space=grid)
        return fw.compare({"tree": method}, X, y, outer=outer, inner=inner, jobs=1).methods[0].risk

    def theirs() -> float:
        search = GridSearchCV(learner, grid, cv=inner, scoring=SCORING)
        found = cross_validate(search, X, y, cv=outer, scoring=SCORING)
        search.fit(X, y)  # the final tuning, which compare does too
        return float(-found["test_score"].mean())

    return ("small fits, nested 5 x 5", *side_by_side(ours, theirs, rounds=1 if quick else 5))


def shared_fits(name: str, folds: int, inner: str, candidates: int, milliseconds: float) -> tuple[str, float, float]:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(104, 3)), rng.normal(size=104)
    labels = np.arange(104) % folds
    grid = {"shift": list(np.linspace(-1, 1, candidates))}
    probe = fw.compare({"busy": fw.tune(Busy(milliseconds=0), space=grid)}, X, y, outer=labels, inner=inner, jobs=1)
    rows = probe.study.methods[0].inner

    def ours() -> float:
        method = fw.tune(Busy(milliseconds=milliseconds), space=grid)
        result = fw.compare({"busy": method}, X, y, outer=labels, inner=inner, jobs=1)
        result.refit("busy")
        return result.methods[0].risk

    def theirs() -> float:
        learner, losses = Busy(milliseconds=milliseconds), []
        for split, within in zip(probe.study.outer, rows.splits, strict=True):
            place = {row: at for at, row in enumerate(split.train)}
            pairs = [([place[r] for r in s.train], [place[r] for r in s.test]) for s in within]
            search = GridSearchCV(learner, grid, cv=pairs, scoring=SCORING).fit(X[split.train], y[split.train])
            losses.append(np.mean((search.predict(X[split.test]) - y[split.test]) ** 2))
        GridSearchCV(learner, grid, cv=[(s.train, s.test) for s in rows.final], scoring=SCORING).fit(X, y)
        return float(np.mean(losses))

    return (name, *side_by_side(ours, theirs, rounds=1))


def side_by_side(ours: Callable[[], float], theirs: Callable[[], float], *, rounds: int) -> tuple[float, float]:
    """CPU seconds of both, by turns, one thread each; their results must agree."""
    times: dict[str, list[float]] = {"ours": [], "theirs": []}
    ours() if rounds > 1 else None  # imports are not part of it
    for _ in range(rounds):
        results = []
        for who, call in (("ours", ours), ("theirs", theirs)):
            with threadpool_limits(1):
                started = time.process_time()
                results.append(call())
                times[who].append(time.process_time() - started)
        assert abs(results[0] - results[1]) < 1e-10, results
    return min(times["ours"]), min(times["theirs"])


def per_fit(rounds: int) -> None:
    """Print CPU milliseconds per fit, from the difference between studies of many and of few candidates."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.normal(size=200)
    outer, inner = KFold(5, shuffle=True, random_state=1), KFold(5)

    def in_memory(grid: dict[str, list[float]], **options: Any) -> None:
        method = fw.tune(Busy(milliseconds=0), space=grid)
        fw.compare({"busy": method}, X, y, outer=outer, inner=inner, jobs=1, progress=False, **options)

    def with_store(grid: dict[str, list[float]]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            in_memory(grid, store=f"{folder}/run")

    def theirs(grid: dict[str, list[float]]) -> None:
        search = GridSearchCV(Busy(milliseconds=0), grid, cv=inner, scoring=SCORING)
        cross_validate(search, X, y, cv=outer, scoring=SCORING)
        search.fit(X, y)

    for name, call in (("in memory", in_memory), ("with a store", with_store), ("GridSearchCV", theirs)):
        print(f"{name:40} {1000 * min(_slope(call) for _ in range(rounds)):8.3f} ms per fit")


def _slope(call: Callable[[dict[str, list[float]]], None], few: int = 10, many: int = 110) -> float:
    """CPU seconds that one more fit takes; nested 5 x 5 and the final tuning make 30 of each candidate."""
    seconds = []
    with threadpool_limits(1):
        for count in (2, few, many):  # imports are not part of it
            started = time.process_time()
            call({"shift": np.linspace(-1, 1, count).tolist()})
            seconds.append(time.process_time() - started)
    return (seconds[2] - seconds[1]) / (30 * (many - few))


def main() -> None:
    quick = "--quick" in sys.argv
    per_fit(1 if quick else 3)
    if "--per-fit" in sys.argv:
        return
    milliseconds = 5.0 if quick else 50.0
    rows = [
        small_fits(quick),
        shared_fits("pairs, nested 10 x 9, 4 candidates", 10, "pairs", 4, milliseconds),
        shared_fits("lines, nested 13 x 4, 10 candidates", 13, "lines", 10, milliseconds),
    ]
    print(f"{'task':40} {'foldwise':>9} {'sklearn':>9} {'ratio':>6}")
    for name, ours, theirs in rows:
        print(f"{name:40} {ours:8.2f}s {theirs:8.2f}s {theirs / ours:6.2f}")


if __name__ == "__main__":
    main()
