"""Risks and errors of simple learners that are known exactly: what simulations are checked against."""

from __future__ import annotations

import math
from fractions import Fraction

from foldwise.errors import BadInterval


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
