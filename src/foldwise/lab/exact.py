"""Truths without Monte Carlo: the majority learner (D10) and Theorem 1."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.lab.figures import Figure, mean_figure
from foldwise.lab.replications import replicate_all

CASES = ((6, 2), (6, 3), (9, 3), (12, 3), (12, 4), (12, 6), (10, 10), (15, 5), (15, 3))


def majority_error(rows: int, folds: int) -> Fraction:
    """The exact mean squared error of K-fold CV for the majority learner on fair coins (Nachum and others, 2026).

    >>> majority_error(10, 10), majority_error(6, 3)
    (Fraction(443, 5120), Fraction(7, 96))
    """
    m = rows // folds
    middle = (rows - m) // 2
    ways = sum(math.comb(m - 1, j) ** 2 * _comb(rows - 2 * m, middle - j) for j in range(m))
    return Fraction(folds - 1, folds) * Fraction(ways, 2**rows) + Fraction(1, 4 * rows)


def d10(*, replications: int, seed: int, jobs: int | None) -> list[Figure]:
    """The squared error of simulated K-fold CV of the majority learner, beside the rational number it must have."""
    works = {f"D10 {n} {k}": partial(_d10, n, k) for n, k in CASES}
    found = replicate_all(works, replications, seed=seed, jobs=jobs, chunk=2000)
    return [
        mean_figure(f"n={n}, {k} folds", "mean squared error", found[f"D10 {n} {k}"]["error"],
                    float(majority_error(n, k)), source=str(majority_error(n, k)))
        for n, k in CASES
    ]


def _d10(rows: int, folds: int, times: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    ones = rng.integers(0, 2, (times, folds, rows // folds)).sum(-1)
    m = rows // folds
    says_one = 2 * (ones.sum(-1, keepdims=True) - ones) > rows - m
    wrong = np.where(says_one, m - ones, ones) / m
    return {"error": (wrong.mean(-1) - 0.5) ** 2}


def _comb(n: int, k: int) -> int:
    return math.comb(n, k) if 0 <= k <= n else 0
