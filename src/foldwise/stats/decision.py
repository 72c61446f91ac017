"""Does it matter which method is taken? Probabilities and regrets from the joint law of risks on the same splits."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval
from foldwise.stats.array_checks import ROUNDING, as_numbers, checked_level
from foldwise.stats.points import even_points

SAME = 1e-9  # of the largest difference or standard error: risks this close are one risk


class Choices(NamedTuple):
    """Of each method: the probability to be the best, and what it costs to take it instead of the best.

    `regret_high` is not exceeded with the probability asked for; `within` is the probability of a regret of at most
    the margin, None where no margin is given. A law of 1 degree of freedom has no mean, and so no `expected_regret`.
    """

    p_best: FloatArray
    expected_regret: FloatArray
    regret_high: FloatArray
    within: FloatArray | None


def choices(values: Any, se: Any, *, df: float, level: float = 0.95, margin: float | None = None) -> Choices:
    """What is known of which of J risks is the smallest, from their estimates and se[i, j] of each difference.

    The risks follow a multivariate t around their estimates with `df` degrees of freedom: of two methods it is the
    Bayesian correlated t of Benavoli, Corani, Demsar and Zaffalon (2017), whose prior is flat, so that p is calibrated
    for risks spread widely and too sure for equal ones (docs/decide.md). Standard errors that no joint law has are
    widened until one has them. Numbers are means over fixed points, good to about
    0.002.

    >>> found = choices([0.30, 0.32], [[0.0, 0.02], [0.02, 0.0]], df=12)
    >>> [round(float(p), 2) for p in found.p_best], round(float(found.expected_regret[0]), 4)
    ([0.83, 0.17], 0.0021)
    """
    middle, spread, level = *_checked(values, se), checked_level(level)
    order = np.argsort(middle, kind="stable")
    back = np.argsort(order, kind="stable")
    regrets = _regrets(middle[order], spread[np.ix_(order, order)], df)[:, back]
    is_best = regrets <= SAME * max(float(np.ptp(middle)), float(spread.max()))
    p_best = (is_best / is_best.sum(-1, keepdims=True)).mean(0)
    has_mean = df > 1 or not spread.any()
    return Choices(
        p_best,
        regrets.mean(0) if has_mean else np.full(len(middle), math.nan),
        np.quantile(regrets, level, axis=0),
        None if margin is None else (regrets <= margin).mean(0),
    )


def joint_root(se: FloatArray) -> FloatArray:
    """The symmetric root of the covariance of risks, less their mean, whose differences have these standard errors.

    Where no covariance has them all, the nearest that widens some of them: clipped eigenvalues add to every difference.

    >>> root = joint_root(np.array([[0.0, 2.0], [2.0, 0.0]]))
    >>> round(float(((root[0] - root[1]) ** 2).sum()), 12)
    4.0
    """
    squares = se**2
    centred = squares - squares.mean(0) - squares.mean(1)[:, None] + squares.mean()
    return root_of(-centred / 2)


def root_of(covariance: FloatArray) -> FloatArray:
    """The symmetric root of a covariance; what makes a table of numbers none is clipped."""
    eigenvalues, vectors = np.linalg.eigh(covariance)
    kept = np.where(eigenvalues > ROUNDING * np.abs(eigenvalues).max(), eigenvalues, 0.0)
    return np.asarray((vectors * np.sqrt(kept)) @ vectors.T)


def _regrets(values: FloatArray, se: FloatArray, df: float) -> FloatArray:
    """regret[draw, method] of taking a method instead of the best."""
    normals, scales = even_points(len(values) - 1, float(df))
    moves = (normals @ _contrasts(len(values)) @ joint_root(se)) * scales[:, None]
    risks = values + np.concatenate([moves, -moves])
    return np.asarray(risks - risks.min(-1, keepdims=True))


def _contrasts(methods: int) -> FloatArray:
    """Each method against the mean of those before it: orthonormal rows of sum 0."""
    table = np.tril(np.ones((methods, methods)), -1) - np.diag(np.arange(methods))
    return np.asarray(table[1:] / np.linalg.norm(table[1:], axis=1, keepdims=True))


def _checked(values: Any, se: Any) -> tuple[FloatArray, FloatArray]:
    middle, spread = as_numbers(values, what="risks"), as_numbers(se, what="standard errors")
    if middle.ndim != 1 or not middle.size or spread.shape != (middle.size, middle.size):
        raise BadInterval(
            f"{middle.size} risks need a square table of the standard errors of their differences, not {spread.shape}"
        )
    if not np.isfinite(middle).all() or not (spread >= 0).all() or not math.isfinite(float(spread.max())):
        raise BadInterval("a choice needs finite risks and finite standard errors of at least 0")
    return middle, spread
