"""A solver and the plain loop side by side: the same estimators, the same training parts, the same answers."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from foldwise.data.dataset import Dataset
from foldwise.learners.model import make_recipe, respond
from foldwise.solvers.solver import Answer, Job, Solver

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


def jobs_of(estimators: Iterable[Any], splits: Iterable[Rows], responses: Sequence[str]) -> list[Job]:
    """Every estimator on every training part."""
    splits = list(splits)
    return [
        Job(estimator, np.asarray(train, np.int64), np.asarray(rows, np.int64), tuple(responses))
        for estimator in estimators
        for train, rows in splits
    ]


def plain_answer(job: Job, data: Dataset, seed: int = 0) -> Answer:
    """What the plain loop answers for a job."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make_recipe(job.estimator).fit(data, job.train, seed)
        return respond(model, data, job.rows, job.responses)


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
    """The solver takes every estimator and answers every job as the plain loop does; its answers are handed back.

    Values are compared relative to the largest of the plain loop's. `plain_estimators` stand in for the estimators
    in the plain loop, for solvers that go to the optimum where scikit-learn's tolerance stops earlier.
    """
    splits = list(splits)
    for estimator in estimators:
        assert solver.takes(estimator, data), f"{solver.name} does not take {estimator}"
    jobs = jobs_of(estimators, splits, responses)
    answers = solver.solve(jobs, data)
    assert len(answers) == len(jobs)
    plain = jobs_of(plain_estimators or estimators, splits, responses)
    for job, twin, answer in zip(jobs, plain, answers, strict=True):
        if answer is None:
            assert allow_none, f"{solver.name} left {job.estimator} on {job.train.size} rows to the plain loop"
            continue
        assert_same(answer, plain_answer(twin, data), job, tolerance)
    return answers


def assert_same(answer: Answer, expected: Answer, job: Job, tolerance: float) -> None:
    """Same responses, same shapes, same kinds, same values."""
    assert set(answer) == set(expected) == set(job.responses)
    for name, values in expected.items():
        found = answer[name]
        where = f"{name} of {job.estimator} on {job.train.size} rows"
        assert found.shape == values.shape, where
        assert found.dtype == values.dtype, where
        if values.dtype.kind == "f":
            scale = max(1.0, float(np.abs(values).max(initial=0.0)))
            np.testing.assert_allclose(found, values, rtol=0, atol=tolerance * scale, err_msg=where)
        else:
            np.testing.assert_array_equal(found, values, err_msg=where)
