"""A solver and the plain loop side by side: the same estimators, the same training sets, the same answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from foldwise.data.dataset import Dataset
from foldwise.solvers.solver import Answer, FitRequest, Solver
from foldwise.testing.solvers import assert_same, plain_answer

Rows = tuple[Any, Any]  # training rows, rows to answer for


class Fit(NamedTuple):
    """One estimator on one training set."""

    estimator: Any
    train: Any
    rows: Any
    responses: tuple[str, ...]


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


def fits_of(estimators: Iterable[Any], splits: Iterable[Rows], responses: Sequence[str]) -> list[Fit]:
    """Every estimator on every training set."""
    splits = [(np.asarray(train, np.int64), np.asarray(rows, np.int64)) for train, rows in splits]
    return [Fit(estimator, train, rows, tuple(responses)) for estimator in estimators for train, rows in splits]


def requests_of(fits: Sequence[Fit]) -> list[FitRequest]:
    """The fits of one training set that are asked for the same, in one request."""
    return [FitRequest(tuple(fits[at].estimator for at in places), *fits[places[0]][1:]) for places in _together(fits)]


def solve(solver: Solver, fits: Sequence[Fit], data: Dataset) -> list[Answer | None]:
    """Its answers, fit by fit; None where the plain loop must do it."""
    answers: list[Answer | None] = [None] * len(fits)
    together = _together(fits)
    for number, places, responses in solver.solve(requests_of(fits), data):
        for at, place in enumerate(places):
            answers[together[number][place]] = {name: values[at] for name, values in responses.items()}
    return answers


def plain(fit: Fit, data: Dataset) -> Answer:
    """What the plain loop answers."""
    return plain_answer(fit.estimator, requests_of([fit])[0], data)


def assert_same_fit(answer: Answer, expected: Answer, fit: Fit, tolerance: float) -> None:
    assert_same(answer, expected, fit.estimator, requests_of([fit])[0], tolerance)


def _together(fits: Sequence[Fit]) -> list[list[int]]:
    groups: dict[Any, list[int]] = {}
    for at, fit in enumerate(fits):
        groups.setdefault((fit.train.tobytes(), fit.rows.tobytes(), fit.responses), []).append(at)
    return list(groups.values())


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
    answers = solve(solver, fits, data)
    twins = fits_of(plain_estimators or estimators, splits, responses)
    for fit, twin, answer in zip(fits, twins, answers, strict=True):
        if answer is None:
            assert allow_none, f"{solver.name} left {fit.estimator} on {fit.train.size} rows to the plain loop"
            continue
        assert_same_fit(answer, plain(twin, data), fit, tolerance)
    return answers
