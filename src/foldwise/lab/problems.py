"""Simulated problems with known truth: rows to draw, the best prediction and its risk."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.errors import BadData, nearest


@dataclass(frozen=True)
class Problem:
    """A distribution of rows and targets; risks are squared (regression) or zero-one (classes 0 and 1)."""

    name: str
    columns: int = 1
    task: str = "regression"
    variance: float = 1.0  # of the noise of a regression, on average

    @property
    def bayes(self) -> float:
        """The smallest risk any model can have."""
        return self.variance

    def draw(self, rows: int, rng: np.random.Generator, *, times: int | None = None) -> tuple[FloatArray, FloatArray]:
        """X[row, column] and y[row]; with `times`, as many independent replications along a first axis."""
        X = self.rows(rng, (rows,) if times is None else (times, rows))
        return X, self.targets(X, rng)

    def rows(self, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        """Rows of a given shape; the columns come last."""
        return rng.standard_normal((*shape, self.columns))

    def targets(self, X: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Targets drawn for the rows."""
        mean = self.mean(X)
        if self.task == "regression":
            return mean + math.sqrt(self.variance) * rng.standard_normal(mean.shape)
        return np.asarray(rng.random(mean.shape) < mean, np.float64)

    def mean(self, X: FloatArray) -> FloatArray:
        """The mean target given the row: the regression function, or the probability of class 1."""
        raise BadData(f"the problem {self.name!r} has no regression function", "Use another problem")

    def groups(self, rows: int) -> IntArray | None:
        """The group of each row, where rows come in groups."""
        return None

    def risk(self, X: FloatArray, predictions: FloatArray) -> FloatArray:
        """The mean loss of predictions[..., row] for these rows, the noise of their targets integrated out."""
        mean = self.mean(X)
        if self.task == "regression":
            return np.asarray(self.bayes + ((predictions - mean) ** 2).mean(-1))
        return np.asarray(np.where(predictions > 0.5, 1 - mean, mean).mean(-1))


@dataclass(frozen=True)
class LinearProblem(Problem):
    """Standard normal rows, y = X beta + noise; the noise may be heavy-tailed, or grow with the first column.

    `tails` are the degrees of freedom of t noise (None: normal); `growth` is the share of the noise variance that is
    proportional to the square of the first column.
    """

    beta: tuple[float, ...] = ()
    tails: int | None = None
    growth: float = 0.0

    def mean(self, X: FloatArray) -> FloatArray:
        return np.asarray(X[..., : len(self.beta)] @ np.array(self.beta, np.float64))

    def targets(self, X: FloatArray, rng: np.random.Generator) -> FloatArray:
        shape = X.shape[:-1]
        if self.tails is None:
            noise = rng.standard_normal(shape)
        else:
            noise = rng.standard_t(self.tails, shape) * math.sqrt((self.tails - 2) / self.tails)
        spread = np.sqrt(self.variance * (1 - self.growth + self.growth * X[..., 0] ** 2))
        return np.asarray(self.mean(X) + spread * noise)


@dataclass(frozen=True)
class SmoothProblem(Problem):
    """The example of the lectures: x uniform on (0, 1), y a smooth wave plus noise."""

    def rows(self, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        return rng.random((*shape, 1))

    def mean(self, X: FloatArray) -> FloatArray:
        return np.asarray(np.sin(2 * np.pi * X[..., 0]))


@dataclass(frozen=True)
class ClassesProblem(Problem):
    """Two normal classes whose means lie `shifts` apart in the first columns; class 1 has the `share`."""

    task: str = "binary"
    shifts: tuple[float, ...] = (1.0,)
    share: float = 0.5

    @property
    def bayes(self) -> float:
        from scipy.special import ndtr

        apart = float(np.linalg.norm(self.shifts))
        if apart == 0:
            return min(self.share, 1 - self.share)
        cut = math.log(self.share / (1 - self.share)) / apart
        return float(self.share * ndtr(-cut - apart / 2) + (1 - self.share) * ndtr(cut - apart / 2))

    def draw(self, rows: int, rng: np.random.Generator, *, times: int | None = None) -> tuple[FloatArray, FloatArray]:
        shape = (rows,) if times is None else (times, rows)
        y = np.asarray(rng.random(shape) < self.share, np.float64)
        X = rng.standard_normal((*shape, self.columns))
        X[..., : len(self.shifts)] += np.array(self.shifts) * (y[..., None] - 0.5)
        return X, y

    def rows(self, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        return self.draw(shape[-1], rng, times=shape[0] if len(shape) > 1 else None)[0]

    def mean(self, X: FloatArray) -> FloatArray:
        odds = X[..., : len(self.shifts)] @ np.array(self.shifts, np.float64)
        return np.asarray(1 / (1 + np.exp(-odds - math.log(self.share / (1 - self.share)))))


PROBLEMS: Mapping[str, Problem] = {
    problem.name: problem
    for problem in (
        LinearProblem("linear", 5, beta=(1.0, -1.0, 0.5, 0.0, 0.25)),
        LinearProblem("noise", 20),
        LinearProblem("sparse", 100, beta=(1.0,) * 5),
        LinearProblem("heteroscedastic", 5, beta=(1.0, -1.0, 0.5), growth=0.5),
        LinearProblem("heavy-tailed", 5, beta=(1.0, -1.0, 0.5), tails=3),
        SmoothProblem("smooth", variance=0.09),
        ClassesProblem("two classes", 5, shifts=(0.8, 0.8, 0.8)),
        ClassesProblem("noise classes", 10, shifts=(0.0,)),
        ClassesProblem("5% positive", 4, shifts=(1.2, 1.2), share=0.05),
        ClassesProblem("13% positive", 4, shifts=(1.0, 1.0), share=0.13),
        ClassesProblem("26% positive", 4, shifts=(0.8, 0.8), share=0.26),
    )
}


def find_problem(name: str, **changes: Any) -> Problem:
    """A problem of the table, with some of its numbers changed.

    `name`: one of `fw.lab.PROBLEMS`.
    `changes`: its fields, with other values.

    >>> round(find_problem("two classes").bayes, 3), find_problem("linear", variance=4.0).bayes
    (0.244, 4.0)
    """
    if name not in PROBLEMS:
        raise BadData(f"the lab has no problem {name!r}", nearest(name, PROBLEMS))
    return replace(PROBLEMS[name], **changes)
