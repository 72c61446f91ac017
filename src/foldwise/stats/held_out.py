"""Intervals for one predictor from its losses on one test set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.stats import auc, holdout
from foldwise.stats.evidence import Evidence
from foldwise.stats.interval_method import NONE_VALID, Ends, IntervalMethod, Note
from foldwise.stats.units import exact_share

FEW_ROWS, HEAVY_SHARE = 50, 0.1  # test rows, and the share of one row in the sum, that the t interval is short for
ONE = ("one test set",)
INDEPENDENT = "independent test rows that chose nothing"
EVERY_SIZE = f"{INDEPENDENT}; holds for every number of them"


def no_row_losses(evidence: Evidence) -> str | None:
    """Why there is no single test set with a loss for every row."""
    if evidence.scheme != "one test set":
        many = f"it is for one test set, and there are {len(evidence.fold_losses)} splits"
        return many if len(evidence.fold_losses) > 1 else NONE_VALID[evidence.scheme]
    if evidence.row_losses is None:
        return f"{evidence.loss.name} is a measure of the whole test set and has no loss per row"
    if evidence.is_weighted:
        return "rows have weights, which no interval for one test set allows for"
    return None


def _not_independent(evidence: Evidence) -> str | None:
    reason = no_row_losses(evidence)
    if reason is None and evidence.groups is not None:
        return "rows of a group are not independent: the group is the unit"
    return reason


def _not_zero_one(evidence: Evidence) -> str | None:
    reason = _not_independent(evidence)
    if reason is None and not evidence.is_zero_one:
        return f"it is for the 0-1 loss, not {evidence.loss.name}"
    return reason


def _not_bounded(evidence: Evidence) -> str | None:
    if reason := _not_independent(evidence):
        return reason
    if evidence.loss.bounds is None:
        return f"it needs a loss with a stated range, and {evidence.loss.name} has none"
    losses, (low, high) = _losses(evidence), evidence.loss.bounds
    if losses.min() < low or losses.max() > high:
        return f"losses from {losses.min():g} to {losses.max():g} leave the stated range"
    return None


def _not_bounded_or_one_row(evidence: Evidence) -> str | None:
    reason = _not_bounded(evidence)
    return "one test row has no spread" if reason is None and len(evidence.test_rows[0]) < 2 else reason


def _no_spread(evidence: Evidence) -> str | None:
    if reason := no_row_losses(evidence):
        return reason
    if len(_losses(evidence)) < 2:
        return "one test row has no spread"
    if np.ptp(_losses(evidence)) == 0 and not evidence.is_zero_one:
        return "all test rows have the same loss, so their spread says nothing about the risk"
    if evidence.groups is not None and len(np.unique(evidence.groups[evidence.test_rows[0]])) < 2:
        return "the test rows are of one group, and the group is the unit"
    return None


def _no_auc(evidence: Evidence) -> str | None:
    if evidence.scheme != "one test set" or not evidence.is_auc:
        return "it is for the AUC of one test set"
    if evidence.groups is not None or evidence.is_weighted:
        return "it needs independent rows of equal weight"
    assert evidence.truth is not None
    if np.bincount(evidence.truth[evidence.test_rows[0]], minlength=2).min() < 2:
        return "it needs at least 2 test rows of each class"
    return None


def _losses(evidence: Evidence) -> FloatArray:
    assert evidence.row_losses is not None
    return evidence.row_losses[0]


def _ordered(evidence: Evidence) -> FloatArray:
    """Test losses in an order that the seed fixed before they were seen."""
    losses = _losses(evidence)
    return losses[np.random.default_rng([evidence.seed, 0xBE7]).permutation(len(losses))]


def _clopper_pearson(evidence: Evidence, level: float) -> Ends:
    losses = _losses(evidence)
    return ends_of(holdout.clopper_pearson(int(losses.sum()), len(losses), level=level))


def _betting(evidence: Evidence, level: float) -> Ends:
    return ends_of(holdout.betting(_ordered(evidence), bounds=evidence.loss.bounds, level=level))


def _hoeffding(evidence: Evidence, level: float) -> Ends:
    return ends_of(holdout.hoeffding(_ordered(evidence), bounds=evidence.loss.bounds, level=level))


def _bernstein(evidence: Evidence, level: float) -> Ends:
    return ends_of(holdout.empirical_bernstein(_ordered(evidence), bounds=evidence.loss.bounds, level=level))


def _t(evidence: Evidence, level: float) -> Ends:
    groups = None if evidence.groups is None else evidence.groups[evidence.test_rows[0]]
    if evidence.is_zero_one and np.ptp(_losses(evidence)) == 0:
        value = float(evidence.fold_losses[0])
        return no_surer_than_units(Ends(value, value, value), evidence, level)
    return no_surer_than_units(
        ends_of(holdout.holdout_t(_losses(evidence), level=level, groups=groups)), evidence, level
    )


def _delong(evidence: Evidence, level: float) -> Ends:
    assert evidence.scores is not None
    assert evidence.truth is not None
    return ends_of_auc(auc.delong_auc(evidence.truth[evidence.test_rows[0]], evidence.scores[0], level=level))


def _t_cautions(evidence: Evidence, details: Mapping[str, Any]) -> list[Note]:
    losses = _losses(evidence)
    share = float(losses.max() / losses.sum()) if losses.sum() > 0 else 0.0
    if len(losses) >= FEW_ROWS and share <= HEAVY_SHARE:
        return []
    words = f"{len(losses)} test rows, the largest loss {share:.0%} of the sum: the t interval may be short"
    return [("tail", words)]


def no_surer_than_units(ends: Ends, evidence: Evidence, level: float) -> Ends:
    """The interval of an error rate, at least that of Clopper and Pearson for as many rows or groups.

    With few errors the spread of 0-1 losses says little.
    """
    if not evidence.is_zero_one:
        return ends
    assert ends.value is not None
    exact = exact_share(ends.value, 1 / float((evidence.unit_weights**2).sum()), level=level)
    return ends._replace(low=min(ends.low, exact.low), high=max(ends.high, exact.high))


def ends_of(found: Any) -> Ends:
    """What a formula found, with its standard error where it has one."""
    details = {"se": float(found.se)} if np.isfinite(found.se) else {}
    return Ends(float(found.low), float(found.high), float(found.value), details)


def ends_of_auc(found: Any) -> Ends:
    """An AUC as a loss: 1 less the area, which lies between 0 and 1."""
    return Ends(max(0.0, 1 - found.high), min(1.0, 1 - found.low), 1 - found.value, {"se": float(found.se)})


CLOPPER_PEARSON = IntervalMethod(
    "Clopper-Pearson",
    _clopper_pearson,
    _not_zero_one,
    covers="predictor",
    assumes=EVERY_SIZE,
    coverage="0.95 to 0.97, and never less than 0.95 in theory",
    reference="Clopper C. J., Pearson E. S. (1934). The use of confidence or fiducial limits illustrated in the case "
    "of the binomial. Biometrika 26, 404-413.",
    default_for=ONE,
    is_affine=False,
)
BETTING = IntervalMethod(
    "betting",
    _betting,
    _not_bounded,
    covers="predictor",
    assumes=f"{EVERY_SIZE}; their order is fixed by the seed",
    coverage="0.99 to 1.00, and never less than 0.95 in theory",
    reference="Waudby-Smith I., Ramdas A. (2024). Estimating means of bounded random variables by betting. Journal of "
    "the Royal Statistical Society B 86, 1-27.",
    aliases=("hedged betting",),
    default_for=ONE,
    ignores_order=False,
)
HOEFFDING = IntervalMethod(
    "Hoeffding",
    _hoeffding,
    _not_bounded,
    covers="predictor",
    assumes=EVERY_SIZE,
    coverage="more than 0.99, and never less than 0.95 in theory",
    reference="Hoeffding W. (1963). Probability inequalities for sums of bounded random variables. Journal of the "
    "American Statistical Association 58, 13-30.",
)
EMPIRICAL_BERNSTEIN = IntervalMethod(
    "empirical Bernstein",
    _bernstein,
    _not_bounded_or_one_row,
    covers="predictor",
    assumes=EVERY_SIZE,
    coverage="more than 0.99, and never less than 0.95 in theory",
    reference="Maurer A., Pontil M. (2009). Empirical Bernstein bounds and sample-variance penalization. Proceedings "
    "of COLT.",
)
DELONG = IntervalMethod(
    "DeLong",
    _delong,
    _no_auc,
    covers="predictor",
    assumes=f"{INDEPENDENT}; approximate",
    coverage="0.94 with 50 to 500 test rows",
    reference="DeLong E. R., DeLong D. M., Clarke-Pearson D. L. (1988). Comparing the areas under two or more "
    "correlated receiver operating characteristic curves. Biometrics 44, 837-845.",
    default_for=ONE,
    is_affine=False,
)
T = IntervalMethod(
    "t",
    _t,
    _no_spread,
    covers="predictor",
    assumes="independent test rows (or groups) that chose nothing; approximate",
    coverage="0.91 to 0.95 on ordinary problems with 50 to 500 test rows, 0.70 to 0.75 with heavy tails",
    reference="Student (1908). The probable error of a mean. Biometrika 6, 1-25.",
    aliases=("holdout t", "Student t"),
    default_for=ONE,
    cautions=_t_cautions,
)
ROWS = (CLOPPER_PEARSON, BETTING, HOEFFDING, EMPIRICAL_BERNSTEIN, DELONG, T)
