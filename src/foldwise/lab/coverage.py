"""Does an interval cover? interval x problem x learner x rows x folds, for the target each interval states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval, BadStudy, nearest
from foldwise.formulas import holdout
from foldwise.formulas.bates import bates
from foldwise.formulas.checks import checked_level, normal_quantile
from foldwise.formulas.corrected_t import corrected_t
from foldwise.formulas.cv_clt import cv_clt
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

TARGETS = {
    "T1": "this very predictor",
    "T2": "the learner at the training rows of a fold",
    "T2n": "the learner at all rows",
    "T3": "the average of these K models",
    "T4": "the tuned learner at the training rows of a fold",
}
BATES_RUNS = 5


Ends = tuple[FloatArray, FloatArray]  # low[replication], high[replication]


@dataclass(frozen=True)
class LabInterval:
    """How an interval is had from simulated losses, what it claims to cover, and what losses it is for."""

    make: Callable[..., Ends]
    target: str
    scheme: str = "cv"  # or test
    losses: tuple[str, ...] = ("squared", "zero_one", "absolute")
    is_default: bool = False


def naive_z(losses: FloatArray, level: float) -> Ends:
    """All out-of-fold losses[replication, row] as if they were independent: what other tools print."""
    value, reach = losses.mean(-1), normal_quantile(level) * losses.std(-1, ddof=1) / np.sqrt(losses.shape[-1])
    return value - reach, value + reach


def _fold_t(draws: CvDraws, level: float, *, is_corrected: bool) -> Ends:
    ratio = draws.ratio if is_corrected else 0.0
    return _ends(corrected_t(fold_means(draws.losses, draws.folds), test_train_ratio=ratio, level=level))


def _cv_clt(draws: CvDraws, level: float, *, variance: str) -> Ends:
    return _ends(cv_clt(draws.losses, draws.folds, variance=variance, level=level))


def _bates(draws: CvDraws, level: float) -> Ends:
    labels = random_folds(draws.y.shape[-1], int(draws.folds.max()) + 1, BATES_RUNS, draws.rng)
    data = (draws.problem, draws.learner, draws.X, draws.y, labels)
    return _ends(bates(out_of_fold(*data), leave_two_out(*data), labels, level=level))


def _clopper_pearson(test: HoldoutDraws, level: float) -> Ends:
    return _ends(holdout.clopper_pearson(test.losses.sum(-1), test.losses.shape[-1], level=level))


def _bounded(interval: Callable[..., Any], test: HoldoutDraws, level: float) -> Ends:
    low, high = _ends(interval(test.losses, level=level))
    return np.clip(low, 0, 1), np.clip(high, 0, 1)


def _t(test: HoldoutDraws, level: float) -> Ends:
    return _ends(holdout.holdout_t(test.losses, level=level))


def _ends(found: Any) -> Ends:
    return found.low, found.high


def _of_bounded(interval: Callable[..., Any], *, is_default: bool = False) -> LabInterval:
    losses = ("zero_one", "absolute")
    return LabInterval(partial(_bounded, interval), "T1", scheme="test", losses=losses, is_default=is_default)


INTERVALS: Mapping[str, LabInterval] = {
    "corrected t": LabInterval(partial(_fold_t, is_corrected=True), "T2", is_default=True),
    "fold t": LabInterval(partial(_fold_t, is_corrected=False), "T2"),
    "naive z": LabInterval(lambda draws, level: naive_z(draws.losses, level), "T2"),
    "cv clt": LabInterval(partial(_cv_clt, variance="all-pairs"), "T3"),
    "cv clt within": LabInterval(partial(_cv_clt, variance="within-fold"), "T3"),
    "bates": LabInterval(_bates, "T2"),
    "clopper-pearson": LabInterval(_clopper_pearson, "T1", scheme="test", losses=("zero_one",), is_default=True),
    "betting": _of_bounded(holdout.betting, is_default=True),
    "hoeffding": _of_bounded(holdout.hoeffding),
    "empirical bernstein": _of_bounded(holdout.empirical_bernstein),
    "t": LabInterval(_t, "T1", scheme="test", losses=("squared",), is_default=True),
}


@dataclass(frozen=True)
class Setting:
    """What is simulated once and read by all its intervals; `folds` is 0 for a test set of as many rows."""

    problem: str
    learner: str
    rows: int
    folds: int
    by_rows: bool = False
    changes: tuple[tuple[str, Any], ...] = ()

    @property
    def key(self) -> str:
        return repr(self)


def coverage(
    problems: Sequence[str] = ("linear",),
    intervals: Sequence[str] = ("corrected t",),
    *,
    rows: Iterable[int] = (100,),
    folds: Iterable[int] = (10,),
    learner: str | None = None,
    targets: Sequence[str] | None = None,
    by_rows: bool = False,
    replications: int = 2000,
    level: float = 0.95,
    seed: int = 0,
    jobs: int | None = None,
) -> Any:
    """A data frame with the share of replications in which each interval holds its target, and what surrounds it.

    `error` is the Monte-Carlo standard error of `coverage`; `truth_below` and `truth_above` are the shares of misses
    on either side; intervals that are not for a problem's loss are left out. Test-set intervals have folds 0.
    """
    _check(problems, intervals, targets, level)
    folds, rows = tuple(folds), tuple(rows)
    settings = []
    for problem in problems:
        name = learner or default_learner(problem)
        schemes = {INTERVALS[interval].scheme for interval in _usable(problem, intervals)}
        wanted = [*(folds if "cv" in schemes else ()), *((0,) if "test" in schemes else ())]
        settings += [Setting(problem, name, n, k, by_rows and k > 0) for n in rows for k in wanted]
    return coverage_of(
        settings, intervals, targets=targets, replications=replications, level=level, seed=seed, jobs=jobs
    )


def coverage_of(
    settings: Sequence[Setting],
    intervals: Sequence[str],
    *,
    targets: Sequence[str] | None = None,
    replications: int = 2000,
    level: float = 0.95,
    seed: int = 0,
    jobs: int | None = None,
) -> Any:
    """The same for settings put together by hand."""
    import pandas as pd

    works = {
        setting.key: partial(simulate, setting, tuple(_of(setting, intervals)), level)
        for setting in settings
        if _of(setting, intervals)
    }
    if not works:
        raise BadInterval("none of these intervals is for the losses of these problems", "Ask for other intervals")
    found = replicate_all(works, replications, seed=seed, jobs=jobs)
    lines: list[dict[str, Any]] = []
    for setting in settings:
        for name in _of(setting, intervals):
            lines += _lines(setting, name, found[setting.key], targets, level)
    return pd.DataFrame(lines)


def simulate(
    setting: Setting, intervals: Sequence[str], level: float, times: int, rng: np.random.Generator
) -> dict[str, FloatArray]:
    """Draw, fit and make the intervals of `times` replications; ends and true risks come back, no losses."""
    problem = find_problem(setting.problem, **dict(setting.changes))
    learner = find_learner(setting.learner, problem.task)
    if setting.folds == 0:
        test = holdout_draws(problem, learner, rows=setting.rows, test_rows=setting.rows, times=times, rng=rng)
        found = {"value": test.losses.mean(-1), "T1": test.risks}
        return found | _by_side({name: INTERVALS[name].make(test, level) for name in intervals})
    draws = cv_draws(
        problem, learner, rows=setting.rows, folds=setting.folds, times=times, rng=rng, by_rows=setting.by_rows
    )
    ends = {name: INTERVALS[name].make(draws, level) for name in intervals}
    value = fold_means(draws.losses, draws.folds).mean(-1)
    return {"value": value, "T1": draws.full_risks, "T3": draws.fold_risks.mean(-1)} | _by_side(ends)


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


def monte_carlo_error(share: float, replications: int) -> float:
    """The standard error of a share over replications; a share of 0 or 1 is given that of one miss."""
    kept = min(max(share, 1 / replications), 1 - 1 / replications)
    return float(np.sqrt(max(kept * (1 - kept), 0.0) / replications))


def _lines(
    setting: Setting, name: str, found: Found, targets: Sequence[str] | None, level: float
) -> list[dict[str, Any]]:
    is_tuned = bool(find_learner(setting.learner, PROBLEMS[setting.problem].task).is_tuned)
    lines = []
    for target in targets or (INTERVALS[name].target,):
        truth = _truth(found, target)
        if truth is None:
            continue
        shown = "T4" if target == "T2" and is_tuned else target
        lines.append(
            {
                "problem": setting.problem,
                "learner": setting.learner,
                "interval": name,
                "target": shown,
                "rows": setting.rows,
                "folds": setting.folds,
                "level": level,
                "replications": len(found["value"]),
                **covered(found[f"{name} low"], found[f"{name} high"], truth),
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


def _usable(problem: str, intervals: Sequence[str]) -> list[str]:
    return [name for name in intervals if PROBLEMS[problem].loss in INTERVALS[name].losses]


def _of(setting: Setting, intervals: Sequence[str]) -> list[str]:
    is_test = setting.folds == 0
    return [name for name in _usable(setting.problem, intervals) if (INTERVALS[name].scheme == "test") == is_test]


def _check(problems: Sequence[str], intervals: Sequence[str], targets: Sequence[str] | None, level: float) -> None:
    for problem in problems:
        find_problem(problem)
    for name in intervals:
        if name not in INTERVALS:
            raise BadInterval(f"the lab has no interval {name!r}", nearest(name, INTERVALS))
    for target in targets or ():
        if target not in TARGETS:
            raise BadStudy(f"there is no target {target!r}", nearest(target, TARGETS))
    checked_level(level)
