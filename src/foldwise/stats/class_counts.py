"""Precision, recall, F1 and the Matthews correlation from counts of classes, and the average precision of scores."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray


class ByClass(NamedTuple):
    """One number per class; 0 where it is a share of nothing, as in scikit-learn."""

    precision: FloatArray
    recall: FloatArray
    f1: FloatArray
    truly: FloatArray  # weight of the rows of each class
    said: FloatArray  # weight of the rows predicted to be of it

    def mean(self, values: FloatArray, *, weighted: bool = False) -> float:
        """The mean over classes that some row has or is said to have: of equal weight, or as frequent as they are."""
        is_there = self.truly + self.said > 0
        weights = self.truly[is_there] if weighted else None
        return float(np.average(values[is_there], weights=weights)) if is_there.any() else math.nan


def class_counts(truth: IntArray, said: IntArray, classes: int, weights: FloatArray | None = None) -> FloatArray:
    """The rows, or their weights, by true and predicted class: counts[true, said].

    >>> class_counts(np.array([0, 1, 1]), np.array([0, 1, 0]), 2).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    place = np.asarray(truth, np.int64) * classes + np.asarray(said, np.int64)
    counts = np.bincount(place, weights=weights, minlength=classes * classes)
    return counts.reshape(classes, classes).astype(np.float64)


def by_class(counts: FloatArray) -> ByClass:
    """Precision, recall and F1 of every class against the rest.

    >>> by_class(np.array([[1.0, 0.0], [1.0, 2.0]])).precision.tolist()
    [0.5, 1.0]
    """
    right, truly, said = np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
    return ByClass(_share(right, said), _share(right, truly), _share(2 * right, truly + said), truly, said)


def matthews(counts: FloatArray) -> float:
    """The Matthews correlation, for any number of classes; 0 where one class is all there is (Gorodkin, 2004).

    >>> matthews(np.array([[2.0, 0.0], [0.0, 3.0]]))
    1.0
    """
    truly, said, total = counts.sum(axis=1), counts.sum(axis=0), counts.sum()
    shared = float(np.trace(counts) * total - truly @ said)
    spread = float(total**2 - said @ said) * float(total**2 - truly @ truly)
    return shared / math.sqrt(spread) if spread > 0 else 0.0


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


def _share(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
