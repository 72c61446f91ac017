"""Intervals for people who bring their own losses: arrays in, an estimate that says what it is of out.

>>> from foldwise import intervals
>>> intervals.clopper_pearson(3, 50)
0.060 (0.013 to 0.165, 95% Clopper-Pearson): the risk of this predictor
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval, nearest
from foldwise.stats import bates as bates_formula
from foldwise.stats import bias as bias_formulas
from foldwise.stats import cv_clt as cv_clt_formula
from foldwise.stats import holdout, multiple
from foldwise.stats.auc import cv_auc, delong_auc
from foldwise.stats.checks import checked_count
from foldwise.stats.corrected_t import RUNS_OF_RISK, corrected_t_of_runs
from foldwise.stats.cross_validated import AUC_INFLUENCE_CURVE, BAYLE, CORRECTED_T
from foldwise.stats.estimate import Estimate
from foldwise.stats.held_out import (
    BETTING,
    CLOPPER_PEARSON,
    DELONG,
    EMPIRICAL_BERNSTEIN,
    FEW_ROWS,
    HEAVY_SHARE,
    HOEFFDING,
    T,
)
from foldwise.stats.in_time import HAC
from foldwise.stats.interval_method import COVERS, IntervalMethod
from foldwise.stats.interval_table import built_in
from foldwise.stats.long_run import mean_loss

__all__ = [
    "auc",
    "bates",
    "bbc",
    "betting",
    "clopper_pearson",
    "corrected_t",
    "cv_clt",
    "empirical_bernstein",
    "hac",
    "hoeffding",
    "holdout_t",
    "simultaneous",
    "tibshirani",
]

PICKED = "the risk of the candidate picked as best of {}"


def __getattr__(name: str) -> Any:
    """An interval by any of its names: `intervals.bayle` is `intervals.cv_clt`."""
    row = built_in(name)
    for own in row.names if row is not None else ():
        if (public := own.replace(" ", "_")) in __all__:
            return globals()[public]
    raise AttributeError(f"foldwise.intervals has no {name!r}")


def hoeffding(losses: Any, bounds: tuple[float, float] | None = (0, 1), level: float = 0.95) -> Estimate:
    """The textbook interval for losses in known bounds on rows the predictor has not seen.

    Holds for every number of independent rows; wide, as it is blind to the variance (Hoeffding, 1963).

    `losses`: one per row that the predictor has not seen.
    `bounds`: the smallest and the largest possible loss.
    `level`: the coverage that the interval is made for.

    >>> hoeffding([0.1, 0.3, 0.2, 0.4] * 25)
    0.250 (0.114 to 0.386, 95% Hoeffding): the risk of this predictor
    """
    return _row_estimate(HOEFFDING, holdout.hoeffding(losses, bounds=bounds, level=level), level, losses)


def clopper_pearson(failures: int, rows: int, level: float = 0.95) -> Estimate:
    """The exact interval of a share of wrong answers on rows the predictor has not seen (0-1 loss).

    Never covers less than its level on independent rows (Clopper and Pearson, 1934).

    `failures`: how many rows were answered wrongly.
    `rows`: how many rows there were.
    `level`: the coverage that the interval is made for.

    >>> round(clopper_pearson(0, 20).high, 4)
    0.1684
    """
    found = holdout.clopper_pearson(checked_count("failures", failures, at_least=0), rows, level=level)
    return _row_estimate(CLOPPER_PEARSON, found, level, failures=int(failures), rows=int(rows))


def betting(
    losses: Any, bounds: tuple[float, float] | None = (0, 1), level: float = 0.95, *, cap: str = "one"
) -> Estimate:
    """The betting interval for losses in known bounds: holds for every number of rows, and short.

    Rows are taken in the order given, and that order must be fixed before the losses are seen
    (Waudby-Smith and Ramdas, 2024).

    `losses`: one per row that the predictor has not seen.
    `bounds`: the smallest and the largest possible loss.
    `level`: the coverage that the interval is made for.
    `cap`: how bold the bets may be; "one", or "paper" as published.

    >>> betting([0.1, 0.3, 0.2, 0.4] * 25)
    0.250 (0.207 to 0.294, 95% betting): the risk of this predictor
    """
    found = holdout.betting(losses, bounds=bounds, level=level, cap=cap)
    return _row_estimate(BETTING, found, level, losses)


def empirical_bernstein(losses: Any, bounds: tuple[float, float] | None = (0, 1), level: float = 0.95) -> Estimate:
    """Like Hoeffding's with the observed variance: short from hundreds of rows on (Maurer and Pontil, 2009).

    `losses`: one per row that the predictor has not seen.
    `bounds`: the smallest and the largest possible loss.
    `level`: the coverage that the interval is made for.

    >>> empirical_bernstein([0.1, 0.3, 0.2, 0.4] * 250).interval
    'empirical Bernstein'
    """
    found = holdout.empirical_bernstein(losses, bounds=bounds, level=level)
    return _row_estimate(EMPIRICAL_BERNSTEIN, found, level, losses)


def holdout_t(losses: Any, level: float = 0.95, *, groups: Any = None) -> Estimate:
    """Student's t interval on rows the predictor has not seen: for unbounded losses, approximate.

    With `groups` the group is the unit. Notes tell of few rows, and of one loss that outweighs the others.

    `losses`: one per row that the predictor has not seen.
    `level`: the coverage that the interval is made for.
    `groups`: the group of each row, if rows hang together.

    >>> holdout_t([1.0, 3.0, 2.0, 4.0] * 25)
    2.50 (2.28 to 2.72, 95% t): the risk of this predictor
    """
    found = holdout.holdout_t(losses, level=level, groups=groups)
    values = np.asarray(losses, np.float64)
    units = values.size if groups is None else len(np.unique(np.asarray(groups)))
    estimate = _row_estimate(T, found, level, losses, se=found.se, df=units - 1)
    return _with_notes(estimate, *_t_warnings(values, units, "rows" if groups is None else "groups"))


def corrected_t(scores: Any, test_train_ratio: float, level: float = 0.95) -> Estimate:
    """The interval for scores[split] or [run, split] of splits that share training rows; for any measure.

    The variance is widened by test rows / training rows, a guess at how far splits move together that errs on the
    safe side for one run of folds (Nadeau and Bengio, 2003). Repeated runs, which bring no new rows,
    count as fewer than 2.

    `scores`: the mean of each split.
    `test_train_ratio`: test rows / training rows of a split; 1 / (K - 1) for K folds.
    `level`: the coverage that the interval is made for.

    >>> corrected_t([0.20, 0.30, 0.25, 0.35], 1 / 3).interval
    'corrected t'
    """
    found = corrected_t_of_runs(scores, test_train_ratio=test_train_ratio, level=level, most_runs=RUNS_OF_RISK)
    return _row_estimate(CORRECTED_T, found, level, np.ravel(scores), se=found.se, df=found.df)


def hac(losses: Any, level: float = 0.95, *, steps: int = 1) -> Estimate:
    """The interval of a mean loss of forecasts, from losses in the order of time, `steps` ahead.

    Wide enough for losses that hang together in time and vary in size, as the long-run variance comes from their low
    frequencies (Lazarus, Lewis, Stock and Watson, 2018); assumes a period without a trend or a break. Losses that are
    never negative get an upper end on the scale of logarithms. Too short a series is refused. For two forecasts see
    `comparisons.diebold_mariano`.

    `losses`: one per forecast, in the order of time.
    `level`: the coverage that the interval is made for.
    `steps`: how far ahead was forecast.

    >>> hac([1.0, 3.0, 2.0, 4.0] * 25, steps=2)
    2.50 (2.28 to 2.73, 95% HAC): the mean loss of these forecasts in this period
    """
    found = mean_loss(losses, steps=steps, level=level)
    details = {"se": found.se, "df": found.df, "autocorrelation": found.autocorrelation, "steps": steps}
    return _row_estimate(HAC, found, level, losses, **details)


def cv_clt(losses: Any, folds: Any, variance: str = "all-pairs", level: float = 0.95) -> Estimate:
    """The central limit interval of out-of-fold losses, one per row, with the fold of each.

    For the average risk of the K models fitted, not for the learner's, and for stable learners on many rows
    (Bayle, Bayle, Janson and Mackey, 2020). For a mean of losses, not for measures such as AUC.

    `losses`: one per row, out of fold.
    `folds`: the fold of each row.
    `variance`: "all-pairs", or "within-fold".
    `level`: the coverage that the interval is made for.

    >>> cv_clt([0.0, 1.0, 0.0, 1.0], [0, 0, 1, 1])
    0.500 (0.010 to 0.990, 95% Bayle): the average risk of these 2 models
    """
    found = cv_clt_formula.cv_clt(losses, folds, variance=variance, level=level)
    target = COVERS[BAYLE.covers].format(found.folds)
    return _estimate(found, BAYLE.name, target, level, losses, se=found.se, variance=found.variance)


def bates(outer_losses: Any, pair_losses: Any, folds: Any, level: float = 0.95, *, bias: bool = False) -> Estimate:
    """The Bates interval: its standard error estimates how far cross-validation errs, from pairs of folds.

    With n rows in K folds: `outer_losses[row]` is the loss of a row under the model trained without its fold,
    `pair_losses[row, j]` under the model trained without its fold and without the j-th smallest label of `folds`;
    the entry of its own fold is not looked at, and may be NaN. Repetitions over other partitions come first:
    [repetition, row], [repetition, row, j] and folds[repetition, row]. For an untuned learner this takes
    K (K + 1) / 2 fits per repetition.

    `details["inflation"]` is the standard error over that of independent losses. `bias=True` corrects the risk from
    n (1 - 1/K) to n training rows, and is refused where that is unstable (Bates, Hastie and Tibshirani, 2024).

    `outer_losses`: [row] or [repetition, row].
    `pair_losses`: [row, fold] or [repetition, row, fold].
    `folds`: the fold of each row.
    `level`: the coverage that the interval is made for.
    `bias`: correct the risk to all rows.

    >>> outer, folds = [0.2, 0.4, 0.1, 0.3, 0.5, 0.2], [0, 0, 1, 1, 2, 2]
    >>> pair = [[0.3, 0.2, 0.25], [0.4, 0.5, 0.3], [0.1, 0.2, 0.2], [0.3, 0.3, 0.4], [0.5, 0.4, 0.6], [0.2, 0.3, 0.2]]
    >>> found = bates(outer, pair, folds)
    >>> round(found.value, 3), round(found.details["inflation"], 2)
    (0.283, 1.0)
    """
    found = bates_formula.bates(outer_losses, pair_losses, folds, level=level, bias_power=1.0 if bias else None)
    rows = float(found.rows if bias else found.rows * (1 - 1 / found.folds))
    details = {name: value for name, value in found._asdict().items() if name not in ("value", "low", "high")}
    estimate = _estimate(found, "Bates", f"the risk of the learner at {rows:g} training rows", level, **details)
    if not found.is_stable:
        words = "leaving out one fold more changes the risk by more than its standard error: the interval may be short"
        estimate = _with_notes(estimate, ("unstable", words))
    return estimate


def bbc(losses: Any, repeats: int = 1000, seed: int = 0, level: float = 0.95, *, groups: Any = None) -> Estimate:
    """The loss of the best of several candidates without the luck of the pick, from losses[row, candidate].

    Rows (or whole `groups`) are drawn with replacement, the best on them is judged on those left out
    (Tsamardinos, Greasidou and Borboudakis, 2018). `details` has the selection score it was picked by.

    `losses`: [row, candidate], out of fold.
    `repeats`: how many draws.
    `seed`: names the random draws; the same seed gives the same answer.
    `level`: the coverage that the interval is made for.
    `groups`: the group of each row, if rows hang together.

    >>> found = bbc([[0.0, 1.0], [1.0, 0.0]] * 10)
    >>> found.details["selection_score"] < found.value
    True
    """
    found = bias_formulas.bbc(losses, repeats=repeats, seed=seed, level=level, groups=groups)
    return _estimate(
        found,
        "BBC percentile",
        PICKED.format(np.shape(losses)[1]),
        level,
        selected=found.selected,
        selection_score=found.selection_score,
        optimism=found.value - found.selection_score,
        repeats=found.draws.size,
    )


def tibshirani(fold_losses: Any) -> Estimate:
    """The smallest mean of fold_losses[fold, candidate], corrected for having been picked; there is no interval.

    Too much is added for small folds and unstable learners (Tibshirani and Tibshirani, 2009).

    `fold_losses`: [fold, candidate], means of the folds.

    >>> tibshirani([[0.30, 0.25], [0.20, 0.35]])
    0.275 (no interval): the risk of the candidate picked as best of 2
    """
    found = bias_formulas.tibshirani(fold_losses)
    return Estimate(
        found.value,
        target=PICKED.format(np.shape(fold_losses)[1]),
        notes=(("interval", "the Tibshirani correction has no interval; bbc has one"),),
        details={"bias": found.bias, "selected": found.selected, "selection_score": found.selection_score},
    )


def simultaneous(
    value: float,
    se: float,
    among: int,
    level: float = 0.95,
    method: str = "bonferroni",
    *,
    df: float | None = None,
) -> Estimate:
    """The interval of one value that was picked among several: it holds whatever the rule of picking.

    Normal, or with `df` degrees of freedom that of Student's t (for a corrected standard error).

    `value`: of the one that was picked.
    `se`: its standard error.
    `among`: how many it was picked from.
    `level`: the coverage that the interval is made for.
    `method`: "bonferroni" or "sidak".
    `df`: degrees of freedom of the standard error, if it has any.

    >>> simultaneous(0.2, 0.02, among=7)
    0.200 (0.146 to 0.254, 95% simultaneous bonferroni): the risk of the candidate picked as best of 7
    """
    found = multiple.simultaneous(value, se, among, level=level, method=method, df=df)
    each = multiple.shared_level(level, among, method=method)
    name = f"simultaneous {method}"
    return _estimate(found, name, PICKED.format(among), level, se=found.se, among=among, level_of_each=each)


def auc(
    target: Any, score: Any, level: float = 0.95, *, folds: Any = None, method: str = "influence curve"
) -> Estimate:
    """The area under the ROC curve: of one test set, or with `folds` the mean over folds.

    By the influence curve (LeDell, Petersen and van der Laan, 2015), or for one test set `method="delong"`. The larger
    of the two labels is the positive class. Scores of different folds are never ranked against each other.

    `target`: the class of each row, of two.
    `score`: how sure the predictor is of the positive class.
    `level`: the coverage that the interval is made for.
    `folds`: the fold of each row, if there are several.
    `method`: "influence curve" or "delong".

    >>> auc([1, 1, 0, 0, 1, 0], [9, 8, 3, 2, 4, 5]).value.__round__(3)
    0.889
    """
    row = built_in(method)
    if row not in (AUC_INFLUENCE_CURVE, DELONG):
        raise BadInterval(f"there is no AUC interval {method!r}", nearest(method, ("influence curve", "delong")))
    if row is DELONG:
        if folds is not None:
            raise BadInterval("DeLong's interval is for one test set", "Use method='influence curve' with folds")
        found = delong_auc(target, score, level=level)
        return _estimate(found, DELONG.name, "the AUC of this predictor", level, se=found.se, variance=found.se**2)
    curve = cv_auc(target, score, folds=folds, level=level)
    of = "the AUC of this predictor" if folds is None else f"the average AUC of these {len(curve.fold_auc)} models"
    details = {"se": curve.se, "variance": curve.variance, "fold_auc": curve.fold_auc}
    return _estimate(curve, AUC_INFLUENCE_CURVE.name, of, level, **details)


def _row_estimate(row: IntervalMethod, found: Any, level: float, losses: Any = None, **details: Any) -> Estimate:
    return _estimate(found, row.name, COVERS[row.covers], level, losses, **details)


def _estimate(found: Any, name: str, target: str, level: float, losses: Any = None, **details: Any) -> Estimate:
    """What a formula found, as an estimate; without spread there is no interval rather than one of no width."""
    kept: FloatArray | None = None if losses is None else np.asarray(losses, np.float64)
    if np.ndim(found.value) > 0:
        shape = found.value.shape if kept is None else kept.shape
        raise BadInterval(f"{name} needs one loss per row, not an array of shape {shape}")
    if details.get("se") == 0:
        reason = "the losses have no spread, which says nothing about how far the risk may be from them"
        note = (("interval", reason),)
        return Estimate(found.value, level=level, target=target, losses=kept, notes=note, details=details)
    return Estimate(found.value, found.low, found.high, level, name, target, losses=kept, details=details)


def _with_notes(estimate: Estimate, *notes: tuple[str, str]) -> Estimate:
    return replace(estimate, notes=(*estimate.notes, *notes))


def _t_warnings(losses: FloatArray, units: int, what: str) -> list[tuple[str, str]]:
    """Where Student's t is known to be short."""
    notes = []
    if units < FEW_ROWS:
        notes.append(("few rows", f"Student's t is approximate, and {units} {what} are few: it may be short"))
    sizes = np.abs(losses)
    share = float(sizes.max() / sizes.sum()) if sizes.any() else 0.0
    # of few equal losses each is a large part
    if share > max(HEAVY_SHARE, 3 / losses.size):
        words = f"one loss is {share:.0%} of the sum of {losses.size}: heavy tails make the interval short"
        notes.append(("heavy tail", words))
    return notes
