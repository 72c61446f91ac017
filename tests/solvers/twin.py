"""A solver and the plain loop side by side: the same estimators, the same training sets, the same answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from foldwise.data.dataset import Dataset
from foldwise.solvers.solver import Answer, FitRequest, Solver
from foldwise.testing.solvers import assert_same, plain_answer

Rows = tuple[Any, Any]  # training rows, rows to answer for


def folds(rows: int, count: int, seed: int = 0) -> list[Rows]:
    """Random folds as (train, held out), in data order."""
    label = np.random.default_rng(seed).permutation(rows) % count
    return [(np.flatnonzero(label != k), np.flatnonzero(label == k)) for k in range(count)]


def pairs(rows: int, count: int, seed: int = 0) -> list[Rows]:
    """Every two of so many random folds left out at once."""
    label = np.random.default_rng(seed).permutation(rows) % count
    out = [np.isin(label, (i, j)) for i in range(count) for j in range(i)]
    return [(np.flatnonzero(~held), np.flatnonzero(held)) for held in out]


def bootstraps(rows: int, count: int, seed: int = 0) -> list[Rows]:
    """Rows drawn with repeats, and the rows never drawn."""
    rng = np.random.default_rng(seed)
    drawn = [np.sort(rng.integers(0, rows, rows)) for _ in range(count)]
    return [(train, np.setdiff1d(np.arange(rows), train)) for train in drawn]


def fits_of(estimators: Iterable[Any], splits: Iterable[Rows], responses: Sequence[str]) -> list[FitRequest]:
    """Every estimator on every training set."""
    splits = list(splits)
    return [
        FitRequest(estimator, np.asarray(train, np.int64), np.asarray(rows, np.int64), tuple(responses))
        for estimator in estimators
        for train, rows in splits
    ]


def assert_twins(
    solver: Solver,
    estimators: Sequence[Any],
    data: Dataset,
    splits: Iterable[Rows],
    responses: Sequence[str] = ("predict",),
    tolerance: float = 1e-10,
    *,
    allow_none: bool = False,
    plain_estimators: Sequence[Any] | None = None,
) -> list[Answer | None]:
    """The solver takes every estimator and answers every fit as the plain loop does; its answers are handed back.

    Values are compared relative to the largest of the plain loop's. `plain_estimators` stand in for the estimators
    in the plain loop, for solvers that go to the optimum where scikit-learn's tolerance stops earlier.
    """
    splits = list(splits)
    for estimator in estimators:
        assert solver.takes(estimator, data), f"{solver.name} does not take {estimator}"
    fits = fits_of(estimators, splits, responses)
    answers = solver.solve(fits, data)
    assert len(answers) == len(fits)
    plain = fits_of(plain_estimators or estimators, splits, responses)
    for fit, twin, answer in zip(fits, plain, answers, strict=True):
        if answer is None:
            assert allow_none, f"{solver.name} left {fit.estimator} on {fit.train.size} rows to the plain loop"
            continue
        assert_same(answer, plain_answer(twin, data), fit, tolerance)
    return answers
