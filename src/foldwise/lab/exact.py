"""D10: a learner simple enough for the error of its cross-validation to be an exact fraction."""

from __future__ import annotations

from functools import partial

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.formulas.exact import majority_cv_mse
from foldwise.lab.figures import Figure, mean_figure
from foldwise.lab.replications import replicate_all

CASES = ((6, 2), (6, 3), (9, 3), (12, 3), (12, 4), (12, 6), (10, 10), (15, 5), (15, 3))


def d10(*, replications: int, seed: int, jobs: int | None) -> list[Figure]:
    """The squared error of simulated K-fold CV of the majority learner, beside the rational number it must have."""
    works = {f"D10 {n} {k}": partial(_d10, n, k) for n, k in CASES}
    found = replicate_all(works, replications, seed=seed, jobs=jobs, chunk=2000)
    return [
        mean_figure(
            f"n={n}, {k} folds",
            "mean squared error",
            found[f"D10 {n} {k}"]["error"],
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
