"""Metrics that stand beside the risk of classes, and when the 0-1 loss alone would mislead."""

from __future__ import annotations

import math

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.studies.study import Note, Study

METRICS = {"brier": "Brier", "balanced_zero_one": "balanced error", "auc": "AUC"}
SMALL = 0.4  # of an equal share: a class below is rare; with two classes, below 20% of the rows


def auc(is_positive: AnyArray, score: FloatArray, weights: FloatArray | None = None) -> float:
    """The share of pairs of one row of each class, weighted by their weights, that a score orders rightly; ties half.

    >>> auc(np.array([False, True, True]), np.array([0.2, 0.9, 0.2]))
    0.75
    """
    weights = np.ones(len(score)) if weights is None else weights
    levels, place = np.unique(score, return_inverse=True)
    above = np.bincount(place, weights * is_positive, minlength=len(levels))
    below = np.bincount(place, weights * ~is_positive, minlength=len(levels))
    pairs = above.sum() * below.sum()
    if not pairs > 0:
        return math.nan
    return float(above @ (np.cumsum(below) - below / 2)) / float(pairs)


def rare_notes(study: Study, best: str | None) -> list[Note]:
    """Why the 0-1 loss may be blind here, and the words that ask for another."""
    if study.task == "regression" or study.losses[0].name != "zero_one":
        return []
    shares = np.bincount(study.target, weights=study.weights, minlength=len(study.classes))
    shares = shares / shares.sum()
    is_rare = shares.min() < SMALL / len(shares)
    if not is_rare and best != "baseline":
        return []
    common, rare = study.classes[int(shares.argmax())], study.classes[int(shares.argmin())]
    why = "the 0-1 loss counts wrong classes alone, so better probabilities may tie with the baseline"
    if is_rare:
        why = f"class {rare!r} has {100 * shares.min():.2g}% of the rows"
        if len(shares) == 2:
            why += f", so always saying {common!r} has a 0-1 loss of only {1 - shares.max():.2g}"
        else:
            why += " and hardly counts in the 0-1 loss"
    ranks = "roc_auc" if len(shares) == 2 else "roc_auc_ovr"
    words = f'loss="brier" judges probabilities, "balanced_zero_one" all classes alike, "{ranks}" the order of the rows'
    return [("imbalance", f"{why}; {words} (--loss)")]
