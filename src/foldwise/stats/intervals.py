"""Intervals for people who bring their own losses: arrays in, an estimate that says what it is of out.

>>> from foldwise import intervals
>>> intervals.clopper_pearson(3, 50)
0.060 (0.013 to 0.165, 95% Clopper-Pearson): the risk of this predictor
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec

import numpy as np

from foldwise.errors import BadInterval, nearest
from foldwise.stats import bates as bates_formula
from foldwise.stats import bbc as bbc_formula
from foldwise.stats import cross_validated, held_out, long_run, multiple
from foldwise.stats.auc import AUC_INFLUENCE_CURVE, DELONG, cv_auc, delong_auc
from foldwise.stats.chooser import built_in
from foldwise.stats.estimate import Estimate
from foldwise.stats.interval_method import COVERS, Ends, IntervalMethod

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
Arguments = ParamSpec("Arguments")
PICKED = "the risk of the candidate picked as best of {among}"


def _published(formula: Callable[Arguments, Ends], name: str, target: str) -> Callable[Arguments, Estimate]:
    """A formula that gives an estimate; its name and target may hold `{details}`."""
    described = signature(formula)

    @wraps(formula)
    def interval(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Estimate:
        ends, given = formula(*args, **kwargs), described.bind(*args, **kwargs).arguments
        losses = given.get("losses", given.get("scores"))
        shown = None if losses is None or formula is bbc_formula.bbc else np.asarray(losses, np.float64)
        return _estimate(
            ends,
            name.format_map(ends.details),
            target.format_map(ends.details),
            given.get("level", described.parameters["level"].default),
            None if shown is None else shown.ravel(),
        )

    interval.__signature__ = described.replace(return_annotation="Estimate")  # type: ignore[attr-defined]
    return interval


def _of(row: IntervalMethod, formula: Callable[Arguments, Ends]) -> Callable[Arguments, Estimate]:
    return _published(formula, row.name, COVERS[row.covers])


def _estimate(ends: Ends, name: str, target: str, level: float, losses: Any = None) -> Estimate:
    """The ends as an estimate; without spread there is no interval rather than one of no width."""
    details, notes = dict(ends.details), tuple(ends.notes)
    assert ends.value is not None
    if details.get("se") == 0:
        reason = "the losses have no spread, which says nothing about how far the risk may be from them"
        notes = (("interval", reason),)
        return Estimate(ends.value, level=level, target=target, losses=losses, notes=notes, details=details)
    return Estimate(ends.value, ends.low, ends.high, level, name, target, losses=losses, notes=notes, details=details)


hoeffding = _of(held_out.HOEFFDING, held_out.hoeffding)
clopper_pearson = _of(held_out.CLOPPER_PEARSON, held_out.clopper_pearson)
betting = _of(held_out.BETTING, held_out.betting)
empirical_bernstein = _of(held_out.EMPIRICAL_BERNSTEIN, held_out.empirical_bernstein)
holdout_t = _of(held_out.T, held_out.holdout_t)
corrected_t = _of(cross_validated.CORRECTED_T, cross_validated.corrected_t_interval)
hac = _of(long_run.HAC, long_run.hac)
cv_clt = _published(cross_validated.cv_clt, cross_validated.BAYLE.name, "the average risk of these {folds} models")
bates = _published(bates_formula.bates, "Bates", "the risk of the learner at {train_rows:g} training rows")
bbc = _published(bbc_formula.bbc, "BBC percentile", PICKED)
simultaneous = _published(multiple.simultaneous, "simultaneous {method}", PICKED)


def __getattr__(name: str) -> Any:
    """An interval by any of its names: `intervals.bayle` is `intervals.cv_clt`."""
    row = built_in(name)
    for alias in row.names if row is not None else ():
        if (public := alias.replace(" ", "_")) in __all__:
            return globals()[public]
    raise AttributeError(f"foldwise.intervals has no {name!r}")


def tibshirani(fold_losses: Any) -> Estimate:
    """The smallest mean of fold_losses[fold, candidate], corrected for having been picked; there is no interval.

    Too much is added for small folds and unstable learners (Tibshirani and Tibshirani, 2009).

    `fold_losses`: [fold, candidate], means of the folds.

    >>> tibshirani([[0.30, 0.25], [0.20, 0.35]])
    0.275 (no interval): the risk of the candidate picked as best of 2
    """
    corrected = bbc_formula.tibshirani(fold_losses)
    return Estimate(
        corrected.value,
        target=PICKED.format(among=np.shape(fold_losses)[1]),
        notes=(("interval", "the Tibshirani correction has no interval; bbc has one"),),
        details={
            "bias": corrected.bias,
            "selected": corrected.selected,
            "selection_score": corrected.selection_score,
        },
    )


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
        return _estimate(delong_auc(target, score, level=level), DELONG.name, "the AUC of this predictor", level)
    curve = cv_auc(target, score, folds=folds, level=level)
    count = len(curve.details["fold_auc"])
    of = "the AUC of this predictor" if folds is None else f"the average AUC of these {count} models"
    return _estimate(curve, AUC_INFLUENCE_CURVE.name, of, level)
