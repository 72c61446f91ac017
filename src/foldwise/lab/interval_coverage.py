"""Does an interval cover? interval x problem x learner x rows x folds, for the target each interval states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.errors import BadInterval, BadStudy, nearest
from foldwise.lab.draws import (
    CvDraws,
    HoldoutDraws,
    cv_draws,
    fold_means,
    holdout_draws,
    leave_two_out,
    out_of_fold,
    random_folds,
)
from foldwise.lab.learners import default_learner, find_learner
from foldwise.lab.problems import PROBLEMS, find_problem
from foldwise.lab.replications import Found, replicate_all
from foldwise.losses.loss import Loss
from foldwise.stats import held_out
from foldwise.stats.array_checks import checked_level, normal_quantile
from foldwise.stats.bates import bates
from foldwise.stats.chooser import find
from foldwise.stats.cross_validated import BAYLE, CORRECTED_T, RUNS_OF_RISK, corrected_t, cv_clt, independent_se
from foldwise.stats.evidence import Evidence
from foldwise.stats.held_out import BETTING, CLOPPER_PEARSON, EMPIRICAL_BERNSTEIN, HOEFFDING, T, exact_share
from foldwise.stats.interval_method import Ends as OneEnds
from foldwise.stats.interval_method import IntervalMethod, comparable

TARGETS = {
    "T1": "this very predictor",
    "T2": "the learner at the training rows of a fold",
    "T2n": "the learner at all rows",
    "T3": "the average of these K models",
    "T4": "the tuned learner at the training rows of a fold",
}
LOSSES = ("squared", "zero_one", "absolute", "cost")
BOUNDED = ("zero_one", "absolute")  # as the problems have them
BATES_RUNS = 5
Ends = tuple[FloatArray, FloatArray]  # low[replication], high[replication]


@dataclass(frozen=True)
class LabInterval:
    """An interval in the lab: how it is computed from simulated losses, its target, and what losses it is judged on."""

    name: str
    make: Callable[..., Ends]
    target: str
    losses: tuple[str, ...] = LOSSES

    @property
    def is_of_test(self) -> bool:
        return self.target == "T1"


def naive_z(losses: FloatArray, level: float) -> Ends:
    """All out-of-fold losses[replication, row] as if they were independent: what other tools print."""
    value, reach = losses.mean(-1), normal_quantile(level) * losses.std(-1, ddof=1) / np.sqrt(losses.shape[-1])
    return value - reach, value + reach


def _corrected_t(draws: CvDraws, level: float) -> Ends:
    found = corrected_t(
        draws.scores,
        test_train_ratio=draws.ratio,
        level=level,
        most_runs=RUNS_OF_RISK,
        least_se=independent_se(draws.units),
    )
    low, high = _ends(found)
    if draws.problem.loss == "zero_one":
        exact = exact_share(found.value, draws.units.shape[-1], level=level)
        low, high = np.minimum(low, exact.low), np.maximum(high, exact.high)
    return low, high


def _fold_t(draws: CvDraws, level: float) -> Ends:
    return _ends(corrected_t(fold_means(draws.losses, draws.folds), test_train_ratio=0.0, level=level))


def _cv_clt(draws: CvDraws, level: float, *, variance: str) -> Ends:
    return _ends(cv_clt(draws.losses, draws.folds, variance=variance, level=level))


def _bates(draws: CvDraws, level: float) -> Ends:
    labels = random_folds(draws.y.shape[-1], int(draws.folds.max()) + 1, BATES_RUNS, draws.rng)
    data = (draws.problem, draws.learner, draws.X, draws.y, labels)
    return _ends(bates(out_of_fold(*data), leave_two_out(*data), labels, level=level))


def _clopper_pearson(test: HoldoutDraws, level: float) -> Ends:
    return _ends(held_out.clopper_pearson(test.losses.sum(-1), test.losses.shape[-1], level=level))


def _bounded(interval: Callable[..., Any], test: HoldoutDraws, level: float) -> Ends:
    low, high = _ends(interval(test.losses, level=level))
    return np.clip(low, 0, 1), np.clip(high, 0, 1)


def _t(test: HoldoutDraws, level: float) -> Ends:
    return _ends(held_out.holdout_t(test.losses, level=level))


def _ends(found: Any) -> Ends:
    return found.low, found.high


def _one_by_one(row: IntervalMethod, draws: CvDraws | HoldoutDraws, level: float) -> Ends:
    """Any interval, replication after replication; where it refuses it is the mean alone, which holds nothing."""
    low, high = np.empty((2, len(draws.losses)))
    for at, losses in enumerate(draws.losses):
        evidence = _evidence(losses, draws.folds if isinstance(draws, CvDraws) else None, draws.problem.loss)
        value = float(evidence.fold_losses.mean())
        found = OneEnds(value, value) if row.refuse(evidence) else row.ends(evidence, level)
        shift = 0.0 if found.value is None else value - found.value
        low[at], high[at] = found.low + shift, found.high + shift
    return low, high


def _evidence(losses: FloatArray, folds: IntArray | None, loss: str) -> Evidence:
    """The losses of one replication as a study would have them."""
    rows = np.arange(len(losses))
    tests = (rows,) if folds is None else tuple(rows[folds == fold] for fold in range(int(folds.max()) + 1))
    return Evidence(
        fold_losses=np.array([losses[test].mean() for test in tests]),
        row_losses=tuple(losses[test] for test in tests),
        test_rows=tests,
        train_counts=tuple(len(rows) - len(test) or len(rows) for test in tests),
        kind="holdout" if folds is None else "folds",
        is_partition=folds is not None,
        repeats=1,
        folds=len(tests),
        loss=Loss(loss, np.subtract, bounds=(0.0, 1.0) if loss in BOUNDED else None),
        rows=len(rows),
    )


# Formulas that take all replications at once; any other row of the table goes one by one.
AT_ONCE: Mapping[str, Callable[..., Ends]] = {
    CORRECTED_T.name: _corrected_t,
    BAYLE.name: partial(_cv_clt, variance="all-pairs"),
    CLOPPER_PEARSON.name: _clopper_pearson,
    BETTING.name: partial(_bounded, held_out.betting),
    HOEFFDING.name: partial(_bounded, held_out.hoeffding),
    EMPIRICAL_BERNSTEIN.name: partial(_bounded, held_out.empirical_bernstein),
    T.name: _t,
}
# What other tools print, a variant, and what takes fits that no study makes; none of them is offered.
NOT_OFFERED = {
    "bates": LabInterval("Bates", _bates, "T2"),
    "fold t": LabInterval("fold t", _fold_t, "T2"),
    "naive z": LabInterval("naive z", lambda draws, level: naive_z(draws.losses, level), "T2"),
    "cv clt within": LabInterval("Bayle within folds", partial(_cv_clt, variance="within-fold"), "T3"),
}


def lab_interval(asked: str | IntervalMethod) -> LabInterval:
    """An interval of the table by any of its names, a user's own, or one that is not offered.

    >>> lab_interval("cv_clt").name, lab_interval("cv_clt").target
    ('Bayle', 'T3')
    """
    if isinstance(asked, str):
        name = comparable(asked).replace("bayle within folds", "cv clt within")
        if name in NOT_OFFERED:
            return NOT_OFFERED[name]
    try:
        row = find(asked)
    except BadInterval as error:
        raise BadInterval(f"the lab has no interval {asked!r}", error.remedy) from None
    if row.covers == "these forecasts":
        raise BadInterval(f"the lab simulates no series in time, which {row.name} needs", "See docs/time-order.md")
    target = {"predictor": "T1", "learner": "T2", "these models": "T3"}[row.covers]
    if row is T:
        return LabInterval(row.name, AT_ONCE[row.name], target, ("squared",))  # where it is the default
    return LabInterval(row.name, AT_ONCE.get(row.name) or partial(_one_by_one, row), target, _judged_on(row))


def _judged_on(row: IntervalMethod) -> tuple[str, ...]:
    """The losses that an interval does not refuse."""
    rows = np.arange(20)
    folds = None if row.covers == "predictor" else rows % 5
    shown = ((loss, _evidence((rows % 3 == 0).astype(float), folds, loss)) for loss in LOSSES)
    return tuple(loss for loss, evidence in shown if row.refuse(evidence) is None)


@dataclass(frozen=True)
class Setting:
    """What is simulated once and read by all its intervals; `folds` is 0 for a test set of as many rows."""

    problem: str
    learner: str
    rows: int
    folds: int
    by_rows: bool = False
    changes: tuple[tuple[str, Any], ...] = ()
    repeats: int = 1

    @property
    def key(self) -> str:
        return repr(self)


def coverage(
    problems: Sequence[str] = ("linear",),
    intervals: Sequence[str | IntervalMethod] = (CORRECTED_T.name,),
    *,
    rows: Iterable[int] = (100,),
    folds: Iterable[int] = (10,),
    learner: str | None = None,
    targets: Sequence[str] | None = None,
    by_rows: bool = False,
    repeats: int = 1,
    replications: int = 2000,
    level: float = 0.95,
    seed: int = 0,
    jobs: int | None = None,
) -> Any:
    """A data frame with the share of replications in which each interval holds its target, and what surrounds it.

    `error` is the Monte-Carlo standard error of `coverage`; `truth_below` and `truth_above` are the shares of misses
    on either side; intervals that are not for a problem's loss are left out. Test-set intervals have folds 0. An
    interval of your own, an `fw.IntervalMethod`, is judged like the others.

    `problems`: names of `fw.lab.PROBLEMS`.
    `intervals`: names, or intervals of your own.
    `rows`: numbers of rows.
    `folds`: numbers of folds.
    `learner`: a name of `fw.lab.LEARNERS` (None: that of the problem).
    `targets`: which risks are to be held (None: the one that the interval is about).
    `by_rows`: split the rows of grouped problems one by one, not in whole groups.
    `repeats`: of the folds.
    `replications`: simulated data sets.
    `level`: the coverage that the interval is made for.
    `seed`: names the random draws; the same seed gives the same answer.
    `jobs`: worker processes (None: one per core).

    >>> import foldwise as fw
    >>> found = fw.lab.coverage(["linear"], ["corrected t", "naive z"], rows=[50], folds=[5], replications=200, jobs=1)
    >>> found[["interval", "coverage"]].round(2)
          interval  coverage
    0  corrected t      0.98
    1      naive z      0.90
    """
    _check(problems, targets, level)
    known = [lab_interval(asked) for asked in intervals]
    folds, rows = tuple(folds), tuple(rows)
    settings = []
    for problem in problems:
        name = learner or default_learner(problem)
        schemes = {interval.is_of_test for interval in known if PROBLEMS[problem].loss in interval.losses}
        wanted = [*(folds if False in schemes else ()), *((0,) if True in schemes else ())]
        settings += [
            Setting(problem, name, n, k, by_rows and k > 0, repeats=repeats if k > 0 else 1)
            for n in rows
            for k in wanted
        ]
    return coverage_of(
        settings, intervals, targets=targets, replications=replications, level=level, seed=seed, jobs=jobs
    )


def coverage_of(
    settings: Sequence[Setting],
    intervals: Sequence[str | IntervalMethod],
    *,
    targets: Sequence[str] | None = None,
    replications: int = 2000,
    level: float = 0.95,
    seed: int = 0,
    jobs: int | None = None,
) -> Any:
    """The same for settings put together by hand."""
    import pandas as pd

    known = [lab_interval(asked) for asked in intervals]
    judged = {setting.key: [interval for interval in known if _is_for(interval, setting)] for setting in settings}
    works = {
        setting.key: partial(simulate, setting, tuple(judged[setting.key]), level)
        for setting in settings
        if judged[setting.key]
    }
    if not works:
        raise BadInterval("none of these intervals is for the losses of these problems", "Ask for other intervals")
    found = replicate_all(works, replications, seed=seed, jobs=jobs)
    lines: list[dict[str, Any]] = []
    for setting in settings:
        for interval in judged[setting.key]:
            lines += _lines(setting, interval, found[setting.key], targets, level)
    return pd.DataFrame(lines)


def simulate(
    setting: Setting, intervals: Sequence[LabInterval], level: float, times: int, rng: np.random.Generator
) -> dict[str, FloatArray]:
    """Draw, fit and make the intervals of `times` replications; ends and true risks come back, no losses."""
    problem = find_problem(setting.problem, **dict(setting.changes))
    learner = find_learner(setting.learner, problem.task)
    if setting.folds == 0:
        test = holdout_draws(problem, learner, rows=setting.rows, test_rows=setting.rows, times=times, rng=rng)
        found = {"value": test.losses.mean(-1), "T1": test.risks}
        return found | _by_side({one.name: one.make(test, level) for one in intervals})
    ignored: Literal["groups"] | None = "groups" if setting.by_rows else None
    folds = setting.folds, setting.repeats
    draws = cv_draws(problem, learner, rows=setting.rows, folds=folds, times=times, rng=rng, ignored=ignored)
    ends = {one.name: one.make(draws, level) for one in intervals}
    return {"value": draws.scores.mean(-1), "T1": draws.full_risks, "T3": draws.fold_risks.mean(-1)} | _by_side(ends)


def covered(low: FloatArray, high: FloatArray, truth: FloatArray | float) -> dict[str, float]:
    """Coverage with its Monte-Carlo error, mean width and the misses on either side.

    >>> covered(np.array([0.0, 0.0]), np.array([1.0, 0.2]), 0.5)["coverage"]
    0.5
    """
    below, above = float(np.mean(truth < low)), float(np.mean(truth > high))
    share = 1 - below - above
    return {
        "coverage": share,
        "error": monte_carlo_error(share, len(low)),
        "width": float(np.mean(high - low)),
        "truth_below": below,
        "truth_above": above,
    }


def oracle_width(values: FloatArray, level: float) -> float:
    """The width of an interval that knows how far the estimates scatter over data sets."""
    return float(2 * normal_quantile(level) * values.std())


def monte_carlo_error(share: float, replications: int) -> float:
    """The standard error of a share over replications; a share of 0 or 1 is given that of one miss."""
    kept = min(max(share, 1 / replications), 1 - 1 / replications)
    return float(np.sqrt(max(kept * (1 - kept), 0.0) / replications))


def _lines(
    setting: Setting, interval: LabInterval, found: Found, targets: Sequence[str] | None, level: float
) -> list[dict[str, Any]]:
    is_tuned = bool(find_learner(setting.learner, PROBLEMS[setting.problem].task).is_tuned)
    lines = []
    for target in targets or (interval.target,):
        truth = _truth(found, target)
        if truth is None:
            continue
        shown = "T4" if target == "T2" and is_tuned else target
        lines.append(
            {
                "problem": setting.problem,
                "learner": setting.learner,
                "interval": interval.name,
                "target": shown,
                "rows": setting.rows,
                "folds": setting.folds,
                "repeats": setting.repeats,
                "level": level,
                "replications": len(found["value"]),
                **covered(found[f"{interval.name} low"], found[f"{interval.name} high"], truth),
                "oracle": oracle_width(found["value"], level),
                "value": float(found["value"].mean()),
                "truth": float(np.mean(truth)),
            }
        )
    return lines


def _truth(found: Found, target: str) -> Any:
    """The number an interval should hold: its own per replication, or the mean over training sets."""
    if target == "T1":
        return found["T1"]
    if "T3" not in found:
        return None
    # the mean risk of the fold models, over replications, is the learner's risk at their training rows
    return {"T2": found["T3"].mean(), "T4": found["T3"].mean(), "T2n": found["T1"].mean(), "T3": found["T3"]}[target]


def _by_side(ends: Mapping[str, Ends]) -> dict[str, FloatArray]:
    return {
        f"{name} {side}": end for name, pair in ends.items() for side, end in zip(("low", "high"), pair, strict=True)
    }


def _is_for(interval: LabInterval, setting: Setting) -> bool:
    return PROBLEMS[setting.problem].loss in interval.losses and interval.is_of_test == (setting.folds == 0)


def _check(problems: Sequence[str], targets: Sequence[str] | None, level: float) -> None:
    for problem in problems:
        find_problem(problem)
    for target in targets or ():
        if target not in TARGETS:
            raise BadStudy(f"there is no target {target!r}", nearest(target, TARGETS))
    checked_level(level)
