"""Intervals from the losses of several splits: the corrected t, and the central limit interval of cross-validation."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.errors import BadInterval, nearest
from foldwise.stats.array_checks import (
    ROUNDING,
    as_numbers,
    checked_level,
    checked_losses,
    fold_codes,
    has_no_spread,
    mean_within,
    normal_quantile,
    t_quantile,
)
from foldwise.stats.evidence import Evidence
from foldwise.stats.held_out import HEAVY_SHARE, no_surer_than_units
from foldwise.stats.interval_method import NONE_VALID, Ends, IntervalMethod, Note, ends_around

FEW_GROUPS = 25  # below which the interval was short in simulation
FREE_OF_SHARES = ("roc_auc", "balanced_accuracy", "recall")  # measures within classes, as the scorers are called
STABLE = "independent rows and a stable learner; approximate"
NADEAU = "Nadeau C., Bengio Y. (2003). Inference for the generalization error. Machine Learning 52, 239-281."
VARIANCES = ("all-pairs", "within-fold")
# Repeats average the noise of the splits away and bring no new rows: as how many runs any number of them may count, by
# simulation (docs/methods.md). The noise of the splits is a larger part of a difference than of a risk.
RUNS_OF_RISK, RUNS_OF_DIFFERENCE = 2.0, 8.0


class StudentT(NamedTuple):
    """A mean with its standard error and degrees of freedom."""

    value: float
    se: float
    df: float

    def reach(self, level: float) -> float:
        return t_quantile(level, self.df) * self.se

    @property
    def t(self) -> float:
        """The statistic of the test of a mean of 0; without spread any other value is infinitely far from it."""
        return self.value / self.se if self.se else math.copysign(math.inf, self.value) if self.value else 0.0

    @property
    def p(self) -> float:
        from scipy import special

        return float(2 * special.stdtr(self.df, -abs(self.t)))


class CorrectedT(NamedTuple):
    """A mean with its interval, and the test of a mean of 0 (two-sided)."""

    value: float
    low: float
    high: float
    se: float
    t: float
    df: float
    p: float


def corrected_t(
    scores: Any,
    *,
    test_train_ratio: float,
    level: float = 0.95,
    most_runs: float = math.inf,
    least_se: float = 0.0,
) -> CorrectedT:
    """Mean and interval of the scores of J splits, with se^2 = (1/J + test rows / training rows) s^2.

    Shared training rows make the scores move together, so that the plain t interval is too short (Nadeau and
    Bengio, 2003). The correction is a guess at that correlation, not a theorem. R runs of folds count as M R / (R + M -
    1) runs, M = `most_runs`, and so do as many random splits; the standard error is at least `least_se`.

    >>> found = corrected_t([0.20, 0.30, 0.25, 0.35], test_train_ratio=1 / 3)
    >>> round(found.low, 3), round(found.high, 3)
    (0.118, 0.432)
    """
    scores, ratio = _checked_scores(scores, test_train_ratio, level)
    splits = _counted(len(scores), ratio, most_runs)
    se = 0.0 if has_no_spread(scores) else math.sqrt(scores.var(ddof=1) * (1 / splits + ratio))
    se = max(se, least_se if least_se > ROUNDING * np.abs(scores).max() else 0.0)
    mean = StudentT(mean_within(scores), se, splits - 1)
    reach = mean.reach(level)
    return CorrectedT(mean.value, mean.value - reach, mean.value + reach, se, mean.t, mean.df, mean.p)


def corrected_t_of_runs(
    runs: Any, *, test_train_ratio: float, level: float = 0.95, most_runs: float = RUNS_OF_DIFFERENCE
) -> CorrectedT:
    """The corrected t over all scores of repeated runs, scores[run, split]."""
    runs = np.atleast_2d(as_numbers(runs, what="scores"))
    if runs.ndim != 2:
        raise BadInterval(f"scores must be an array of runs x splits, not one of shape {runs.shape}")
    most = most_runs if len(runs) > 1 else math.inf
    return corrected_t(runs.ravel(), test_train_ratio=test_train_ratio, level=level, most_runs=most)


def corrected_t_interval(scores: Any, test_train_ratio: float, level: float = 0.95) -> Ends:
    """The interval for scores[split] or [run, split] of splits that share training rows; for any measure.

    The variance is widened by test rows / training rows, a guess at how far splits move together that errs on the
    safe side for one run of folds (Nadeau and Bengio, 2003). Repeated runs, which bring no new rows,
    count as fewer than 2.

    `scores`: the mean of each split.
    `test_train_ratio`: test rows / training rows of a split; 1 / (K - 1) for K folds.
    `level`: the coverage that the interval is made for.

    >>> found = corrected_t_interval([0.20, 0.30, 0.25, 0.35], 1 / 3)
    >>> round(found.low, 3), round(found.high, 3)
    (0.118, 0.432)
    """
    test = corrected_t_of_runs(scores, test_train_ratio=test_train_ratio, level=level, most_runs=RUNS_OF_RISK)
    return Ends(test.low, test.high, test.value, {"se": test.se, "df": test.df})


def _counted(splits: int, ratio: float, most_runs: float) -> float:
    """The number of splits as it enters the variance: a run has as many folds as test sets fit into the rows."""
    runs = splits * ratio / (1 + ratio)
    is_one_run = runs <= 1 + ROUNDING
    return splits if is_one_run or most_runs == math.inf else splits * most_runs / (runs + most_runs - 1)


def t_probability_within(value: float, se: float, df: float, *, reach: float) -> float:
    """The probability that a t variable around `value` with scale `se` lies within `reach` of 0."""
    from scipy import stats

    if se == 0:
        return float(abs(value) <= reach)
    return float(stats.t.cdf((reach - value) / se, df) - stats.t.cdf((-reach - value) / se, df))


def _checked_scores(given: Any, test_train_ratio: Any, level: float) -> tuple[FloatArray, float]:
    scores = as_numbers(given, what="scores").ravel()
    if scores.size < 2:
        raise BadInterval(f"the corrected t needs the scores of at least 2 splits, not {scores.size}", "Use more folds")
    is_bad = ~np.isfinite(scores)
    if is_bad.any():
        split = int(is_bad.argmax())
        raise BadInterval(f"the corrected t needs finite scores, and split {split} has {scores[split]}")
    checked_level(level)
    try:
        ratio = float(test_train_ratio)
    except (TypeError, ValueError):
        ratio = math.nan
    if not 0 <= ratio < math.inf:
        raise BadInterval(f"test rows / training rows must be a number of at least 0, not {test_train_ratio!r}")
    return scores, ratio


def independent_se(deviations: FloatArray) -> float:
    """The standard error of a mean from each unit's term less its share of that mean.

    With one row a unit and equal weights the terms are (loss - mean) / n, and this is sd / sqrt(n).

    >>> round(independent_se(np.array([-1.0, 0.0, 1.0]) / 3), 4)
    0.5774
    """
    units = len(deviations)
    return math.sqrt(deviations @ deviations * (units / max(units - 1, 1)))


def cv_clt(losses: Any, folds: Any, variance: str = "all-pairs", level: float = 0.95) -> Ends:
    """The central limit interval of out-of-fold losses, one per row, with the fold of each.

    Mean -+ z sqrt(variance / n), for the average risk of the K models fitted, not for the learner's, and for stable
    learners on many rows (Bayle, Bayle, Janson and Mackey, 2020). All-pairs is the variance of all losses with divisor
    n; within-fold the average over folds, weighted by their rows, of the unbiased variance inside each. For a mean of
    losses, not for measures such as AUC.

    `losses`: one per row, out of fold.
    `folds`: the fold of each row.
    `variance`: "all-pairs", or "within-fold".
    `level`: the coverage that the interval is made for.

    >>> found = cv_clt([0.0, 1.0, 0.0, 1.0], [0, 0, 1, 1])
    >>> found.value, round(found.low, 3), round(found.high, 3)
    (0.5, 0.01, 0.99)
    """
    losses = checked_losses(losses, method="the cross-validation interval")
    codes, count = fold_codes(folds, rows=len(losses))
    if count < 2:
        raise BadInterval("the cross-validation interval needs at least 2 folds, not 1", "Use holdout_t for one")
    if variance not in VARIANCES:
        raise BadInterval(f"there is no variance {variance!r}", nearest(variance, VARIANCES))
    spread = _within_fold(losses, codes, count) if variance == "within-fold" else float((losses - losses[0]).var())
    se, z = math.sqrt(spread / len(losses)), normal_quantile(checked_level(level))
    return ends_around(float(losses.mean()), z * se, se=se, variance=spread, folds=count)


def _within_fold(losses: FloatArray, codes: IntArray, folds: int) -> float:
    rows = np.bincount(codes, minlength=folds)
    if rows.min() < 2:
        raise BadInterval(
            f"fold {int(rows.argmin())} has 1 row, which has no variance within it", "Use variance='all-pairs'"
        )
    # from the first loss of its fold, so that equal losses have no spread whatever rounding makes of their mean
    losses = losses - losses[np.unique(codes, return_index=True)[1][codes]]
    means = np.bincount(codes, weights=losses) / rows
    squares = np.bincount(codes, weights=(losses - means[codes]) ** 2)
    return float((squares / (rows - 1)) @ rows / len(losses))


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
    return 0.0 if evidence.unit_deviations is None else independent_se(evidence.unit_deviations)


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


def _corrected_t(evidence: Evidence, level: float) -> Ends:
    least = _least_se(evidence)
    test = corrected_t(
        evidence.fold_losses,
        test_train_ratio=evidence.test_train_ratio,
        level=level,
        most_runs=RUNS_OF_RISK,
        least_se=least,
    )
    details = {"se": test.se, "df": test.df, "least_se": least}
    notes = _share_notes(evidence) if evidence.row_losses is None else tail_notes(evidence)
    ends = Ends(test.low, test.high, test.value, details, [*notes, *_group_notes(evidence)])
    return no_surer_than_units(ends, evidence, level)


def _share_notes(evidence: Evidence) -> list[Note]:
    """A measure without losses of rows that changes with the class shares, which stratified folds hold fixed."""
    if not evidence.is_stratified or evidence.loss.name.startswith(FREE_OF_SHARES):
        return []
    words = (
        f"{evidence.loss.name} may change with the shares of the classes, which stratified folds hold fixed, and the "
        "interval does not know how they vary: it covered 0.92 for F1 with 16% positives, and less for a rule that "
        "says one class everywhere; the interval of loss='zero_one' knows it from the rows"
    )
    return [("strata", words)]


def _group_notes(evidence: Evidence) -> list[Note]:
    groups = 0 if evidence.groups is None else len(evidence.unit_weights)
    words = f"{groups} groups are few: the interval covered 0.90 with 17 groups of 3 rows, and 0.96 with 34"
    return [("groups", words)] if 0 < groups < FEW_GROUPS else []


def tail_notes(evidence: Evidence) -> list[Note]:
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
    return no_surer_than_units(cv_clt(evidence.by_row[0], evidence.fold_of_row[0], level=level), evidence, level)


def _no_losses_of_rows(evidence: Evidence) -> str | None:
    return f"{evidence.loss.name} has no loss per row" if evidence.row_losses is None else None


def _one_split(evidence: Evidence) -> str | None:
    return "one split has no spread" if len(evidence.fold_losses) < 2 else None


def _naive_z(evidence: Evidence, level: float) -> Ends:
    assert evidence.row_losses is not None
    losses = np.concatenate(evidence.row_losses)
    reach = normal_quantile(level) * float(losses.std(ddof=1)) / np.sqrt(losses.size)
    value = float(losses.mean())
    return Ends(value - reach, value + reach, value)


def _fold_t(evidence: Evidence, level: float) -> Ends:
    losses = evidence.fold_losses
    reach = t_quantile(level, losses.size - 1) * float(losses.std(ddof=1)) / np.sqrt(losses.size)
    value = float(losses.mean())
    return Ends(value - reach, value + reach, value)


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
ROWS = (CORRECTED_T, BAYLE)
# What other tools print: the lab shows what they miss, and nothing offers them.
NAIVE_Z = IntervalMethod(
    "naive z", _naive_z, _no_losses_of_rows, assumes="losses of all rows, of all repeats, are independent"
)
FOLD_T = IntervalMethod("fold t", _fold_t, _one_split, assumes="splits are independent")
NOT_OFFERED = {row.name: row for row in (NAIVE_Z, FOLD_T)}
