"""Weights that are not negative and sum to one, so that a weighted mean of predictions has the smallest loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.arrays import FloatArray

STEPS = 100  # of the mixture's Newton method; ten are usual
SMALLEST = 1e-15  # probability, as the log loss has it


def least_squares(columns: FloatArray, target: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """The weights with the smallest sum of squares of `columns @ weights - target`.

    On the simplex `columns @ w - target` is `D @ w`, with the target taken from every column. For any c > 0,
    the w in `u = s w` that minimises |D u|^2 + c^2 (sum u - 1)^2 over u >= 0 is the same: for a given w the best s
    leaves c^2 q / (q + c^2) with q = |D w|^2, which grows with q. So one non-negative least squares is enough.

    >>> least_squares(np.array([[0.0, 4.0], [1.0, 1.0]]), np.array([1.0, 1.0]))
    array([0.75, 0.25])
    """
    from scipy.optimize import nnls

    differences = columns - target[:, None]
    if weights is not None:
        differences = differences * np.sqrt(weights)[:, None]
    if len(differences) > differences.shape[1]:
        triangle: Any = np.linalg.qr(differences, mode="r")
        differences = np.asarray(triangle)
    scale = float(np.sqrt((differences**2).sum(axis=0).mean())) or 1.0
    rows = np.vstack([differences / scale, np.ones(columns.shape[1])])
    goal = np.zeros(len(rows))
    goal[-1] = 1.0
    shares = nnls(rows, goal)[0]
    return np.asarray(shares / shares.sum())


def mixture(chances: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """The weights of a mixture with the smallest log loss, given `chances[row, member]` of what came true.

    Newton's step on the simplex is a least squares of its own: with every row divided by its mixture, so that
    `A @ w` is all ones, the second-order model of the loss is |A v - 2|^2 / 2 up to a constant.

    >>> mixture(np.array([[0.9, 0.2], [0.8, 0.3]]))
    array([1., 0.])
    """
    chances = np.maximum(chances, SMALLEST)
    each = np.ones(len(chances)) if weights is None else weights
    now = np.full(chances.shape[1], 1.0 / chances.shape[1])
    loss = -float(each @ np.log(chances @ now))
    for _ in range(STEPS):
        aim = least_squares(chances / (chances @ now)[:, None], np.full(len(chances), 2.0), weights)
        size, further, less = 1.0, now, loss
        while size > 1e-10 and less >= loss:  # halve the step until the loss falls
            further = now + size * (aim - now)
            less, size = -float(each @ np.log(chances @ further)), size / 2
        if less >= loss - 1e-15 * abs(loss):
            return further if less < loss else now
        now, loss = further, less
    return now


def quantile(columns: FloatArray, target: FloatArray, q: float, weights: FloatArray | None = None) -> FloatArray:
    """The weights with the smallest pinball loss at the quantile q (0.5: the absolute one), by a linear program.

    >>> quantile(np.array([[0.0, 4.0], [1.0, 1.0]]), np.array([1.0, 1.0]), 0.5)
    array([0.75, 0.25])
    """
    from scipy import optimize, sparse

    rows, members = columns.shape
    each = np.ones(rows) if weights is None else weights
    kit: Any = sparse
    unit = kit.eye_array(rows)
    total = np.concatenate([np.ones(members), np.zeros(2 * rows)])[None, :]
    solution = optimize.linprog(
        np.concatenate([np.zeros(members), q * each, (1 - q) * each]),
        A_eq=kit.vstack([kit.hstack([columns, unit, -unit]), total]).tocsr(),
        b_eq=np.append(target, 1.0),
        method="highs",
    )
    assert solution.x is not None  # any point of the simplex is allowed, so there is a best one
    shares = np.maximum(solution.x[:members], 0.0)
    return np.asarray(shares / shares.sum())
