"""Mean losses of random splits."""

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
