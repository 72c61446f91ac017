"""The area under the ROC curve: its value, and its variance by placement values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.errors import BadInterval
from foldwise.stats.array_checks import (
    ROUNDING,
    as_numbers,
    checked_finite,
    checked_level,
    fold_codes,
    has_no_spread,
    normal_quantile,
)
from foldwise.stats.comparison import Comparison
from foldwise.stats.cross_validated import STABLE
from foldwise.stats.evidence import Evidence
from foldwise.stats.held_out import INDEPENDENT, ONE
from foldwise.stats.interval_method import Ends, IntervalMethod, ends_around


def placements(is_positive: AnyArray, score: FloatArray) -> FloatArray:
    """For each row, the share of the other class on its right side: below a positive, above a negative; ties half.

    >>> placements(np.array([True, False, True]), np.array([0.9, 0.5, 0.5])).tolist()
    [1.0, 0.75, 0.5]
    """
    placed = np.empty(score.size)
    positives, negatives = np.sort(score[is_positive]), np.sort(score[~is_positive])
    placed[is_positive] = _share_below(negatives, score[is_positive])
    placed[~is_positive] = 1 - _share_below(positives, score[~is_positive])
    return placed


def cv_auc(target: Any, score: Any, *, folds: Any = None, level: float = 0.95) -> Ends:
    """Mean AUC of the folds -+ z se from the influence curve (LeDell, Petersen and van der Laan, 2015).

    Without `folds` all rows are one test set. Scores of different folds are never ranked against each other.
    """
    is_positive, scores = _checked(target, score)
    codes, count = fold_codes(folds if folds is not None else np.zeros(scores.size), rows=scores.size)
    z = normal_quantile(checked_level(level))
    areas, variances = zip(
        *(_influence_of_fold(is_positive[codes == fold], scores[codes == fold], fold) for fold in range(count)),
        strict=True,
    )
    value, variance = float(np.mean(areas)), float(np.mean(variances))
    se = math.sqrt(variance / scores.size)
    return ends_around(value, z * se, se=se, variance=variance, fold_auc=areas)


def delong_auc(target: Any, score: Any, *, level: float = 0.95) -> Ends:
    """The AUC on one test set with its interval (DeLong, DeLong and Clarke-Pearson, 1988)."""
    is_positive, scores = _checked(target, score)
    placed = placements(is_positive, scores)
    value, se = float(placed[is_positive].mean()), math.sqrt(_variance(is_positive, placed))
    return ends_around(value, normal_quantile(checked_level(level)) * se, se=se, variance=se**2)


def delong(target: Any, score_a: Any, score_b: Any, level: float = 0.95) -> Comparison:
    """The AUC of the first scores minus that of the second, on one test set (DeLong et al., 1988).

    Above 0 the first ranks better: an AUC is not a loss. The larger of the two labels is the positive class.

    `target`: the class of each row, of two.
    `score_a`, `score_b`: how sure the two predictors are of the positive class.
    `level`: the coverage that the interval is made for.

    >>> round(delong([1, 1, 0, 0, 1, 0], [9, 8, 3, 2, 4, 5], [1, 9, 3, 2, 4, 5]).value, 3)
    0.333
    """
    from scipy import special

    is_positive, first = _checked(target, score_a)
    _, second = _checked(target, score_b)
    placed = placements(is_positive, first), placements(is_positive, second)
    auc_a, auc_b = (float(part[is_positive].mean()) for part in placed)
    value, se = auc_a - auc_b, math.sqrt(_variance(is_positive, placed[0] - placed[1]))
    reach = normal_quantile(checked_level(level)) * se
    details = {"auc_a": auc_a, "auc_b": auc_b, "variance": se**2, "z": None}
    target_words = "the AUC of this first predictor minus that of this second one"
    if se == 0 and abs(value) > ROUNDING:  # no row differs from the others, which says nothing about further ones
        notes = (("interval", "neither ranking varies, which says nothing about other rows"),)
        return Comparison(value, level=level, target=target_words, notes=notes, se=0.0, details=details)
    if se == 0:  # the same order of rows
        value, z, p = 0.0, 0.0, 1.0
    else:
        z, p = value / se, float(2 * special.ndtr(-abs(value / se)))
    ends = value - reach, value + reach
    return Comparison(value, *ends, level, DELONG.name, target_words, p=p, se=se, t=z, details={**details, "z": z})


def _share_below(others: FloatArray, scores: FloatArray) -> FloatArray:
    below = np.searchsorted(others, scores, side="left") + np.searchsorted(others, scores, side="right")
    return np.asarray(below / (2 * others.size), np.float64)


def _influence_of_fold(is_positive: AnyArray, score: FloatArray, fold: int) -> tuple[float, float]:
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


def _no_auc_of_folds(evidence: Evidence) -> str | None:
    if evidence.scheme != "folds" or not evidence.is_auc:
        return "it is for the AUC over folds"
    return _no_units(evidence)


def _no_auc_of_test_set(evidence: Evidence) -> str | None:
    if evidence.scheme != "one test set" or not evidence.is_auc:
        return "it is for the AUC of one test set"
    if reason := _no_units(evidence):
        return reason
    assert evidence.truth is not None
    if np.bincount(evidence.truth[evidence.test_rows[0]], minlength=2).min() < 2:
        return "it needs at least 2 test rows of each class"
    return None


def _no_units(evidence: Evidence) -> str | None:
    is_odd = evidence.groups is not None or evidence.is_weighted
    return "it needs independent rows of equal weight" if is_odd else None


def _influence_curve(evidence: Evidence, level: float) -> Ends:
    assert evidence.scores is not None
    assert evidence.truth is not None
    parts = evidence.test_rows[: evidence.folds]
    folds = np.repeat(np.arange(evidence.folds), [len(part) for part in parts])
    scores = np.concatenate(evidence.scores[: evidence.folds])
    return _as_loss(cv_auc(evidence.truth[np.concatenate(parts)], scores, folds=folds, level=level))


def _delong(evidence: Evidence, level: float) -> Ends:
    assert evidence.scores is not None
    assert evidence.truth is not None
    return _as_loss(delong_auc(evidence.truth[evidence.test_rows[0]], evidence.scores[0], level=level))


def _as_loss(area: Ends) -> Ends:
    """An AUC as a loss: 1 less the area, which lies between 0 and 1."""
    assert area.value is not None
    return Ends(max(0.0, 1 - area.high), min(1.0, 1 - area.low), 1 - area.value, {"se": area.details["se"]})


DELONG = IntervalMethod(
    "DeLong",
    _delong,
    _no_auc_of_test_set,
    covers="predictor",
    assumes=f"{INDEPENDENT}; approximate",
    coverage="0.94 with 50 to 500 test rows",
    reference="DeLong E. R., DeLong D. M., Clarke-Pearson D. L. (1988). Comparing the areas under two or more "
    "correlated receiver operating characteristic curves. Biometrics 44, 837-845.",
    default_for=ONE,
    is_affine=False,
)
AUC_INFLUENCE_CURVE = IntervalMethod(
    "AUC influence curve",
    _influence_curve,
    _no_auc_of_folds,
    covers="these models",
    assumes=STABLE,
    coverage="0.82 with 50 rows, 0.90 with 100, 0.94 with 500",
    reference="LeDell E., Petersen M., van der Laan M. (2015). Computationally efficient confidence intervals for "
    "cross-validated area under the ROC curve estimates. Electronic Journal of Statistics 9, 1583-1607.",
    aliases=("influence curve", "auc"),
    is_affine=False,
)
ROWS = (DELONG, AUC_INFLUENCE_CURVE)
