"""Further problems with known truth, and learners that see a block of the columns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from foldwise.arrays import FloatArray, IntArray
from foldwise.lab import PROBLEMS as OF_THE_LAB
from foldwise.lab.problems import ClassesProblem, LinearProblem, Problem

BLOCK = 3  # columns that each method sees
SHARE = 0.13  # of the smaller of two imbalanced classes


@dataclass(frozen=True)
class GroupedProblem(LinearProblem):
    """Groups of three rows that are alike and share a random effect; the risk is that on a row of a new group.

    `alike` is the correlation of a column within a group; every row is standard normal by itself.
    """

    effect: float = 1.0
    alike: float = 0.9

    @property
    def bayes(self) -> float:
        return self.variance + self.effect

    def groups(self, rows: int) -> IntArray:
        return np.arange(rows, dtype=np.int64) // 3

    def rows(self, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        groups = self.groups(shape[-1])
        shared = rng.standard_normal((*shape[:-1], int(groups[-1]) + 1, self.columns))[..., groups, :]
        individual = rng.standard_normal((*shape, self.columns))
        return np.asarray(math.sqrt(self.alike) * shared + math.sqrt(1 - self.alike) * individual)

    def targets(self, X: FloatArray, rng: np.random.Generator) -> FloatArray:
        groups = self.groups(X.shape[-2])
        effects = rng.standard_normal((*X.shape[:-2], groups[-1] + 1)) * math.sqrt(self.effect)
        return super().targets(X, rng) + effects[..., groups]


@dataclass(frozen=True)
class LogisticProblem(Problem):
    """Standard normal rows and P(class 1) = 1 / (1 + exp(-X beta)); the Bayes error is an integral of one variable."""

    task: str = "binary"
    beta: tuple[float, ...] = (1.0,)

    @property
    def bayes(self) -> float:
        grid = np.linspace(-8.0, 8.0, 401)
        weights = np.exp(-(grid**2) / 2) / np.exp(-(grid**2) / 2).sum()
        likelier = 1 / (1 + np.exp(-np.abs(float(np.linalg.norm(self.beta)) * grid)))
        return float(((1 - likelier) * weights).sum())

    def mean(self, X: FloatArray) -> FloatArray:
        return np.asarray(1 / (1 + np.exp(-(X[..., : len(self.beta)] @ np.array(self.beta, np.float64)))))


@dataclass(frozen=True)
class FriedmanProblem(Problem):
    """Ten uniform columns, five of them used: 10 sin(pi a b) + 20 (c - 1/2)^2 + 10 d + 5 e + noise (Friedman, 1991)."""

    def rows(self, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        return rng.random((*shape, self.columns))

    def mean(self, X: FloatArray) -> FloatArray:
        wave = 10 * np.sin(np.pi * X[..., 0] * X[..., 1])
        return np.asarray(wave + 20 * (X[..., 2] - 0.5) ** 2 + 10 * X[..., 3] + 5 * X[..., 4])


@dataclass(frozen=True)
class ManyClassesProblem(Problem):
    """Normal classes around points on a circle of the first two columns; the first classes have the larger shares."""

    task: str = "multiclass"
    shares: tuple[float, ...] = (0.6, 0.3, 0.1)
    radius: float = 1.5

    @property
    def bayes(self) -> float:
        raise NotImplementedError("the Bayes risk of normal classes in a plane is not known")

    def draw(self, rows: int, rng: np.random.Generator, *, times: int | None = None) -> tuple[FloatArray, FloatArray]:
        shape = (rows,) if times is None else (times, rows)
        y = np.searchsorted(np.cumsum(self.shares)[:-1], rng.random(shape), side="right")
        angles = 2 * np.pi * np.arange(len(self.shares)) / len(self.shares)
        X = rng.standard_normal((*shape, self.columns))
        X[..., :2] += self.radius * np.column_stack([np.cos(angles), np.sin(angles)])[y]
        return X, y.astype(np.float64)


PROBLEMS: Mapping[str, Problem] = dict(OF_THE_LAB) | {
    problem.name: problem
    for problem in (
        GroupedProblem("grouped", 5, beta=(1.0, -1.0, 0.5)),
        LogisticProblem("logistic", 5, beta=(1.0, 1.0)),
        FriedmanProblem("friedman", 10),
        ManyClassesProblem("three classes", 4),
        ManyClassesProblem("five classes", 4, shares=(0.5, 0.25, 0.15, 0.06, 0.04)),
        LinearProblem("ridge", 50, beta=(0.3,) * 10),
    )
}


def find_problem(name: str, **changes: Any) -> Problem:
    """A problem of this table, with some of its numbers changed."""
    return replace(PROBLEMS[name], **changes)


def blocks(task: str, sizes: FloatArray) -> tuple[Problem, dict[str, Any]]:
    """A problem whose columns come in blocks with effects of these sizes, and a learner for each block.

    `task` is "regression", "binary" or "imbalanced". Blocks of equal size make methods that differ in every
    prediction and not at all in risk.
    """
    effects = tuple(np.repeat(sizes, BLOCK).tolist())
    learner = {"regression": LinearRegression, "binary": LinearDiscriminantAnalysis, "imbalanced": LogisticRegression}
    learners = {}
    for place in range(len(sizes)):
        columns = FunctionTransformer(
            np.take, kw_args={"indices": range(place * BLOCK, (place + 1) * BLOCK), "axis": 1}
        )
        learners[f"block {place}"] = make_pipeline(columns, learner[task]())
    if task == "regression":
        return LinearProblem("blocks", len(effects), beta=effects), learners
    share = 0.5 if task == "binary" else SHARE
    return ClassesProblem("blocks", len(effects), shifts=effects, share=share), learners
