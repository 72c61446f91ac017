"""Risks that are known exactly, and D10: the error of cross-validation of a simple learner is a fraction."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import numpy as np

from designs.batched import replicate
from designs.results import Result, mean_result
from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval

CASES = ((6, 2), (6, 3), (9, 3), (12, 3), (12, 4), (12, 6), (10, 10), (15, 5), (15, 3))


def ols_risk(rows: int, columns: int) -> float:
    """The expected squared loss of least squares with intercept on standard normal columns and unit noise.

    >>> round(ols_risk(100, 20), 4)
    1.269
    """
    if rows <= columns + 2:
        raise BadInterval(f"least squares on {columns} columns has no finite risk at {rows} rows")
    return (rows + 1) * (rows - 2) / (rows * (rows - columns - 2))


def majority_cv_mse(rows: int, folds: int) -> Fraction:
    """The mean squared error of K-fold CV of the majority vote when labels are fair coins (Nachum et al., 2026).

    >>> majority_cv_mse(6, 3)
    Fraction(7, 96)
    """
    if folds < 2 or rows % folds:
        raise BadInterval(f"{rows} rows do not make {folds} equal folds")
    m = rows // folds
    middle, rest = (rows - m) // 2, rows - 2 * m
    ways = sum(math.comb(m - 1, j) ** 2 * math.comb(rest, middle - j) for j in range(min(m - 1, middle) + 1))
    return Fraction(folds - 1, folds) * Fraction(ways, 2**rows) + Fraction(1, 4 * rows)


def d10(*, replications: int, seed: int) -> list[Result]:
    """The squared error of simulated K-fold CV of the majority learner, beside the rational number it must have."""
    return [
        mean_result(
            f"n={n}, {k} folds",
            "mean squared error",
            replicate(partial(_d10, n, k), replications, key=f"D10 {n} {k}", seed=seed, chunk=2000)["error"],
            float(majority_cv_mse(n, k)),
            source=f"exactly {majority_cv_mse(n, k)}",
            slack=0.0,
        )
        for n, k in CASES
    ]


def _d10(rows: int, folds: int, times: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    ones = rng.integers(0, 2, (times, folds, rows // folds)).sum(-1)
    m = rows // folds
    says_one = 2 * (ones.sum(-1, keepdims=True) - ones) > rows - m
    wrong = np.where(says_one, m - ones, ones) / m
    return {"error": (wrong.mean(-1) - 0.5) ** 2}
