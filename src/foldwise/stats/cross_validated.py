"""Intervals from the losses of several splits: folds, random splits, leave-one-out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from foldwise.stats import auc, corrected_t, cv_clt
from foldwise.stats.evidence import Evidence
from foldwise.stats.held_out import HEAVY_SHARE, ends_of, ends_of_auc, no_surer_than_units
from foldwise.stats.interval_method import NONE_VALID, Ends, IntervalMethod, Note
from foldwise.stats.units import independent_se

FEW_GROUPS = 25  # below which the interval was short in simulation
FREE_OF_SHARES = ("roc_auc", "balanced_accuracy", "recall")  # measures within classes, as the scorers are called
STABLE = "independent rows and a stable learner; approximate"
NADEAU = "Nadeau C., Bengio Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281."


def _no_fold_means(evidence: Evidence) -> str | None:
    if evidence.scheme not in ("folds", "random splits"):
        return NONE_VALID.get(evidence.scheme, f"it is for folds and random splits, not {evidence.scheme}")
    if max(len(rows) for rows in evidence.test_rows) == 1:
        return NONE_VALID["leave-one-out"]
    if not evidence.is_zero_one and np.ptp(evidence.fold_losses) == 0 and not _least_se(evidence):
        return "all splits have the same loss, so their spread says nothing about the risk"
    return None


def _least_se(evidence: Evidence) -> float:
    """The standard error if all rows (or groups) were independent: folds of fixed class shares cannot see all of it."""
    return 0.0 if evidence.unit_deviations is None else float(independent_se(evidence.unit_deviations))


def _no_row_losses(evidence: Evidence) -> str | None:
    if evidence.scheme not in ("folds", "leave-one-out"):
        return f"it is for folds, not {evidence.scheme}"
    if evidence.row_losses is None:
        return f"{evidence.loss.name} is a measure of a whole fold and has no loss per row"
    if evidence.groups is not None:
        return "rows of a group are not independent: the group is the unit"
    if evidence.is_weighted:
        return "rows have weights, which it does not allow for"
    return None


def _no_auc(evidence: Evidence) -> str | None:
    if evidence.scheme != "folds" or not evidence.is_auc:
        return "it is for the AUC over folds"
    if evidence.groups is not None or evidence.is_weighted:
        return "it needs independent rows of equal weight"
    return None


def _corrected_t(evidence: Evidence, level: float) -> Ends:
    least = _least_se(evidence)
    found = corrected_t.corrected_t(
        evidence.fold_losses,
        test_train_ratio=evidence.test_train_ratio,
        level=level,
        most_runs=corrected_t.RUNS_OF_RISK,
        least_se=least,
    )
    ends = Ends(found.low, found.high, found.value, {"se": found.se, "df": found.df, "least_se": least})
    return no_surer_than_units(ends, evidence, level)


def _cautions(evidence: Evidence, details: Mapping[str, Any]) -> list[Note]:
    own = _share_cautions(evidence) if evidence.row_losses is None else tail_cautions(evidence)
    return own + _group_cautions(evidence)


def _share_cautions(evidence: Evidence) -> list[Note]:
    """A measure without losses of rows that changes with the class shares, which stratified folds hold fixed."""
    if not evidence.is_stratified or evidence.loss.name.startswith(FREE_OF_SHARES):
        return []
    words = (
        f"{evidence.loss.name} may change with the shares of the classes, which stratified folds hold fixed, and the "
        "interval does not know how they vary: it covered 0.92 for F1 with 16% positives, and less for a rule that "
        "says one class everywhere; the interval of loss='zero_one' knows it from the rows"
    )
    return [("strata", words)]


def _group_cautions(evidence: Evidence) -> list[Note]:
    groups = 0 if evidence.groups is None else len(evidence.unit_weights)
    words = f"{groups} groups are few: the interval covered 0.90 with 17 groups of 3 rows, and 0.96 with 34"
    return [("groups", words)] if 0 < groups < FEW_GROUPS else []


def tail_cautions(evidence: Evidence) -> list[Note]:
    """One loss that is a large part of the sum: others as large may not have been drawn."""
    if evidence.is_zero_one:
        return []
    terms = evidence.unit_deviations + evidence.fold_losses.mean() * evidence.unit_weights
    largest, total = float(terms.max()), float(terms.sum())
    # twice what the largest of n squared normal errors takes on average
    usual = max(HEAVY_SHARE, 4 * np.log(terms.size) / terms.size)
    if terms.min() < 0 or largest <= usual * total:
        return []
    what = "row has" if evidence.groups is None else "group has"
    return [("tail", f"one {what} {largest / total:.0%} of the sum of all losses: the interval may be short")]


def _bayle(evidence: Evidence, level: float) -> Ends:
    ends = ends_of(cv_clt.cv_clt(evidence.by_row[0], evidence.fold_of_row[0], level=level))
    return no_surer_than_units(ends, evidence, level)


def _auc_influence_curve(evidence: Evidence, level: float) -> Ends:
    assert evidence.scores is not None
    assert evidence.truth is not None
    parts = slice(0, evidence.folds)
    rows = np.concatenate(evidence.test_rows[parts])
    folds = np.repeat(np.arange(evidence.folds), [len(part) for part in evidence.test_rows[parts]])
    return ends_of_auc(
        auc.cv_auc(evidence.truth[rows], np.concatenate(evidence.scores[parts]), folds=folds, level=level)
    )


CORRECTED_T = IntervalMethod(
    "corrected t",
    _corrected_t,
    _no_fold_means,
    covers="learner",
    assumes="independent rows (or groups) with class shares left to chance; splits are taken to correlate as they "
    "overlap, a guess; approximate, and never surer than as many independent rows (or groups)",
    coverage="0.93 to 1.00 on ordinary problems, imbalanced and many classes and repeats among them; 0.90 with 50 rows "
    "in 17 groups; 0.91 where columns are many for the rows (least squares, 50 rows, 20 columns; 0.81 at the 90% level "
    "with 1000 columns and 90 rows); 0.87 to 0.96 for the nearest class mean with rare classes; and 0.77 to 0.90 with "
    "heavy tails",
    coverage_by_scheme={
        # which overlap in their test rows too
        "random splits": "0.93 to 0.98 on least squares with 5 and 20 columns, 40 to 200 rows, 5 to 100 random splits",
    },
    reference=NADEAU,
    default_for=("folds", "random splits"),
    cautions=_cautions,
)
BAYLE = IntervalMethod(
    "Bayle",
    _bayle,
    _no_row_losses,
    covers="these models",
    assumes=STABLE,
    coverage="0.86 to 0.93 on ordinary problems of 50 and 100 rows, 0.76 where columns are many for the rows",
    reference="Bayle P., Bayle A., Janson L., Mackey L. (2020). Cross-validation confidence intervals for test error. "
    "Advances in Neural Information Processing Systems 33.",
    aliases=("cv clt", "cvclt", "CV central limit"),
)
AUC_INFLUENCE_CURVE = IntervalMethod(
    "AUC influence curve",
    _auc_influence_curve,
    _no_auc,
    covers="these models",
    assumes=STABLE,
    coverage="0.82 with 50 rows, 0.90 with 100, 0.94 with 500",
    reference="LeDell E., Petersen M., van der Laan M. (2015). Computationally efficient confidence intervals for "
    "cross-validated area under the ROC curve estimates. Electronic Journal of Statistics 9, 1583-1607.",
    aliases=("influence curve", "auc"),
    is_affine=False,
)
ROWS = (CORRECTED_T, BAYLE, AUC_INFLUENCE_CURVE)
