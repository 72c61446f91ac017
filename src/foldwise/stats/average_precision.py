"""The average precision: the mean of the precision over the positives, each at its own place in the order."""

from __future__ import annotations

import math

import numpy as np

from foldwise.arrays import AnyArray, FloatArray


def average_precision(is_positive: AnyArray, score: FloatArray, weights: FloatArray | None = None) -> float:
    """Precision at every score, weighted by the share of the positives that have it; NaN without any positive.

    Rows of equal score count together, and nothing is interpolated, as in scikit-learn.

    >>> average_precision(np.array([False, True, True]), np.array([0.2, 0.9, 0.1]))
    0.8333333333333333
    """
    weights = np.ones(len(score)) if weights is None else weights
    levels, place = np.unique(-np.asarray(score, np.float64), return_inverse=True)
    hits = np.bincount(place, weights * is_positive, minlength=len(levels))
    said = np.cumsum(np.bincount(place, weights, minlength=len(levels)))
    total = float(hits.sum())
    if not total > 0:
        return math.nan
    precision = np.divide(np.cumsum(hits), said, out=np.zeros(len(levels)), where=said > 0)
    return float(precision @ hits) / total
