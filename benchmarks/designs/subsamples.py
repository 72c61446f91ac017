"""Mean losses of random splits, and of the same splits inside halves of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.lab.problems import Problem


def held_out(problem: Problem, learner: Any, X: FloatArray, y: FloatArray, train: IntArray, test: IntArray) -> Any:
    """losses[replication, test row] of models fitted on the training rows."""
    return problem.losses(y[:, test], learner.fit(X[:, train], y[:, train]).predict(X[:, test]))


def subsample_means(
    problem: Problem,
    learner: Any,
    X: FloatArray,
    y: FloatArray,
    *,
    splits: int,
    test_rows: int,
    rng: np.random.Generator,
) -> FloatArray:
    """mean[replication, split] of random splits with `test_rows` held out, the same splits for all replications."""
    orders = [rng.permutation(y.shape[-1]) for _ in range(splits)]
    means = [held_out(problem, learner, X, y, np.sort(o[test_rows:]), o[:test_rows]).mean(-1) for o in orders]
    return np.stack(means, axis=-1)


def half_means(
    problem: Problem,
    learner: Any,
    X: FloatArray,
    y: FloatArray,
    *,
    repeats: int,
    splits: int,
    test_rows: int,
    rng: np.random.Generator,
) -> FloatArray:
    """mean[replication, repeat, 2]: the same random splits inside two disjoint halves, for the conservative z."""
    pairs = []
    for _ in range(repeats):
        order = rng.permutation(y.shape[-1])
        halves = np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
        found = [
            subsample_means(problem, learner, X[:, half], y[:, half], splits=splits, test_rows=test_rows, rng=rng)
            for half in halves
        ]
        pairs.append(np.stack([half.mean(-1) for half in found], axis=-1))
    return np.stack(pairs, axis=-2)
