"""Intervals from the losses of several splits: folds, random splits, leave-one-out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from foldwise.estimates.evidence import Evidence
from foldwise.estimates.held_out import ends_of, ends_of_auc
from foldwise.estimates.interval_method import NONE_VALID, Ends, IntervalMethod, Note
from foldwise.formulas import auc, bates, conservative_z, corrected_t, cv_clt

STABLE = "independent rows and a stable learner; approximate"
NADEAU = "Nadeau C., Bengio Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281."


def _no_fold_means(evidence: Evidence) -> str | None:
    if evidence.scheme not in ("folds", "random splits"):
        return NONE_VALID.get(evidence.scheme, f"it is for folds and random splits, not {evidence.scheme}")
    if max(len(rows) for rows in evidence.test_rows) == 1:
        return NONE_VALID["leave-one-out"]
    if np.ptp(evidence.fold_losses) == 0:
        return "all splits have the same loss, so their spread says nothing about the risk"
    return None


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


def _no_pairs(evidence: Evidence) -> str | None:
    reason = _no_row_losses(evidence)
    if reason is None and evidence.pair_losses is None:
        return "it needs the leave-two-out fits, which interval='bates' asks for before the run"
    if reason is None and min(len(rows) for rows in evidence.test_rows) < 2:
        return "it needs at least two rows in every fold"
    return reason


def _no_halves(evidence: Evidence) -> str | None:
    if evidence.half_scores is None:
        return "it needs fits on half samples, which interval='conservative z' asks for with MonteCarlo outer splits"
    return None


def _no_auc(evidence: Evidence) -> str | None:
    if evidence.scheme != "folds" or not evidence.is_auc:
        return "it is for the AUC over folds"
    if evidence.groups is not None or evidence.is_weighted:
        return "it needs independent rows of equal weight"
    return None


def _corrected_t(evidence: Evidence, level: float) -> Ends:
    runs = evidence.fold_losses.reshape(1 if evidence.scheme == "random splits" else evidence.repeats, -1)
    found = corrected_t.corrected_t_of_runs(runs, test_train_ratio=evidence.test_train_ratio, level=level)
    return Ends(found.low, found.high, found.value, {"se": found.se, "df": found.df})


def _bayle(evidence: Evidence, level: float) -> Ends:
    return ends_of(cv_clt.cv_clt(evidence.by_row[0], evidence.fold_of_row[0], level=level))


def _bates(evidence: Evidence, level: float) -> Ends:
    found = bates.bates(evidence.by_row, evidence.pair_losses, evidence.fold_of_row, level=level)
    details = {"se": found.se, "inflation": found.inflation, "is_stable": found.is_stable}
    return Ends(found.low, found.high, found.value, details)


def _bates_cautions(evidence: Evidence, details: Mapping[str, Any]) -> list[Note]:
    words = f"the Bates standard error is {details['inflation']:.3g} times that of independent losses"
    unstable = "" if details["is_stable"] else "; leaving out one more fold moves the risk, so it is unstable here"
    return [("bates", words + unstable)]


def _conservative_z(evidence: Evidence, level: float) -> Ends:
    return ends_of(conservative_z.conservative_z(evidence.fold_losses, evidence.half_scores, level=level))


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
    assumes="independent rows (or groups); splits are taken to correlate as they overlap, a guess; approximate",
    coverage="0.93 to 0.99 on ordinary problems, 0.90 with 50 rows in 17 groups; 0.91 where columns are many for the "
    "rows (least squares, 50 rows, 20 columns; 0.81 at the 90% level with 1000 columns and 90 rows), and 0.79 to 0.91 "
    "with heavy tails",
    coverage_by_scheme={
        # which overlap in their test rows too
        "random splits": "short, at the 90% level 0.88 with 100 rows and 0.91 with 200 on least squares with 20 "
        "columns (25 random splits), 0.78 with 40 rows; folds cover better",
    },
    reference=NADEAU,
    default_for=("folds", "random splits"),
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
BATES = IntervalMethod(
    "Bates",
    _bates,
    _no_pairs,
    covers="learner",
    assumes="independent rows; approximate",
    coverage="0.93 to 0.96 on ordinary problems of 50 and 100 rows",
    reference="Bates S., Hastie T., Tibshirani R. (2024). Cross-validation: what does it estimate and how well does it "
    "do it? Journal of the American Statistical Association 119, 1434-1445.",
    aliases=("bates ncv", "nested cv interval"),
    extra_splits="leave-two-out",
    cautions=_bates_cautions,
)
CONSERVATIVE_Z = IntervalMethod(
    "conservative z",
    _conservative_z,
    _no_halves,
    covers="learner",
    assumes="independent rows; its variance is that of half as many rows, so it errs on the wide side",
    coverage="at the 90% level 0.98 to 0.99, on least squares with 100 and 200 rows",
    reference=NADEAU,
    aliases=("conservative",),
    extra_splits="halves",
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
ROWS = (CORRECTED_T, BAYLE, BATES, CONSERVATIVE_Z, AUC_INFLUENCE_CURVE)
