"""The area under the ROC curve: its value, and its variance by placement values."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.errors import BadInterval
from foldwise.stats.checks import Found, as_numbers, checked_finite, checked_level, fold_codes, normal_quantile
from foldwise.stats.corrected_t import ROUNDING, has_no_spread


class CvAuc(NamedTuple):
    """The mean AUC of the folds with its interval."""

    value: float
    low: float
    high: float
    se: float
    variance: float
    fold_auc: tuple[float, ...]


class DeLong(NamedTuple):
    """The difference of two AUCs on the same rows with its interval and test; NaN where there is none."""

    value: float
    low: float
    high: float
    se: float
    z: float
    p: float
    auc_a: float
    auc_b: float


def placements(is_positive: AnyArray, score: FloatArray) -> FloatArray:
    """For each row, the share of the other class on its right side: below a positive, above a negative; ties half.

    >>> placements(np.array([True, False, True]), np.array([0.9, 0.5, 0.5])).tolist()
    [1.0, 0.75, 0.5]
    """
    found = np.empty(score.size)
    positives, negatives = np.sort(score[is_positive]), np.sort(score[~is_positive])
    found[is_positive] = _share_below(negatives, score[is_positive])
    found[~is_positive] = 1 - _share_below(positives, score[~is_positive])
    return found


def cv_auc(target: Any, score: Any, *, folds: Any = None, level: float = 0.95) -> CvAuc:
    """Mean AUC of the folds -+ z se from the influence curve (LeDell, Petersen and van der Laan, 2015).

    Without `folds` all rows are one test set. Scores of different folds are never ranked against each other.
    """
    is_positive, scores = _checked(target, score)
    codes, count = fold_codes(folds if folds is not None else np.zeros(scores.size), rows=scores.size)
    z = normal_quantile(checked_level(level))
    found = [_influence(is_positive[codes == fold], scores[codes == fold], fold) for fold in range(count)]
    value = float(np.mean([auc for auc, _ in found]))
    variance = float(np.mean([spread for _, spread in found]))
    se = math.sqrt(variance / scores.size)
    return CvAuc(value, value - z * se, value + z * se, se, variance, tuple(auc for auc, _ in found))


def delong_auc(target: Any, score: Any, *, level: float = 0.95) -> Found:
    """The AUC on one test set with its interval (DeLong, DeLong and Clarke-Pearson, 1988)."""
    is_positive, scores = _checked(target, score)
    placed = placements(is_positive, scores)
    value, se = float(placed[is_positive].mean()), math.sqrt(_variance(is_positive, placed))
    reach = normal_quantile(checked_level(level)) * se
    return Found(value, value - reach, value + reach, se)


def delong(target: Any, score_a: Any, score_b: Any, *, level: float = 0.95) -> DeLong:
    """AUC of the first scores minus that of the second on one test set, with interval and two-sided p."""
    from scipy import special

    is_positive, first = _checked(target, score_a)
    _, second = _checked(target, score_b)
    placed = placements(is_positive, first), placements(is_positive, second)
    auc_a, auc_b = (float(one[is_positive].mean()) for one in placed)
    value, se = auc_a - auc_b, math.sqrt(_variance(is_positive, placed[0] - placed[1]))
    reach = normal_quantile(checked_level(level)) * se
    if se == 0 and abs(value) <= ROUNDING:  # the same order of rows
        return DeLong(0.0, 0.0, 0.0, 0.0, 0.0, 1.0, auc_a, auc_b)
    if se == 0:  # no row differs from the others, which says nothing about further ones
        return DeLong(value, math.nan, math.nan, 0.0, math.nan, math.nan, auc_a, auc_b)
    p = float(2 * special.ndtr(-abs(value / se)))
    return DeLong(value, value - reach, value + reach, se, value / se, p, auc_a, auc_b)


def _share_below(others: FloatArray, scores: FloatArray) -> FloatArray:
    below = np.searchsorted(others, scores, side="left") + np.searchsorted(others, scores, side="right")
    return np.asarray(below / (2 * others.size), np.float64)


def _influence(is_positive: AnyArray, score: FloatArray, fold: int) -> tuple[float, float]:
    """The AUC of one fold, and the mean square of its influence curve."""
    share = is_positive.mean()
    if not 0 < share < 1:
        raise BadInterval(f"the AUC needs both classes in every fold, and fold {fold} has one", "Use stratified folds")
    placed = placements(is_positive, score)
    auc = float(placed[is_positive].mean())
    if has_no_spread(placed, size=1.0):
        return auc, 0.0
    curve = (placed - auc) / np.where(is_positive, share, 1 - share)
    return auc, float((curve**2).mean())


def _variance(is_positive: AnyArray, placed: FloatArray) -> float:
    parts = placed[is_positive], placed[~is_positive]
    if min(part.size for part in parts) < 2:
        raise BadInterval("DeLong's variance needs at least 2 rows of each class", "Test on more rows")
    # placements are shares, so that rounding is judged against 1
    return sum(float(part.var(ddof=1)) / part.size for part in parts if not has_no_spread(part, size=1.0))


def _checked(target: Any, score: Any) -> tuple[AnyArray, FloatArray]:
    labels, scores = np.asarray(target), as_numbers(score, what="scores")
    if labels.ndim != 1 or labels.shape != scores.shape:
        raise BadInterval(f"the AUC needs one score per row: there are {labels.size} targets and {scores.size} scores")
    classes = np.unique(labels)
    if classes.size != 2:
        raise BadInterval(f"the AUC needs two classes, and the target has {classes.size}")
    return labels == classes[1], checked_finite(scores, unit="row")
