"""Does this hold on data like mine? The study is run again on simulated tables like its own, whose truth is known."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.api.likeness import World
from foldwise.api.running import answer_study
from foldwise.arrays import FloatArray, IntArray
from foldwise.blocks.numbers import number
from foldwise.data.dataset import Dataset
from foldwise.errors import BadStudy, nearest
from foldwise.executors.options import RunOptions
from foldwise.plans.runnable import RunnableStudy
from foldwise.questions.combined import answer_of
from foldwise.questions.contest import BASELINE, compared, pair_level, pick
from foldwise.questions.method import MethodAnswer
from foldwise.shown import Shown
from foldwise.splits.split import Split, Splits
from foldwise.stats.chooser import find, work_out
from foldwise.stats.estimate import percent, plain_number
from foldwise.stats.interval_method import IntervalMethod, comparable
from foldwise.stats.naive import NOT_OFFERED
from foldwise.studies.reading import Reading
from foldwise.studies.study import Study

if TYPE_CHECKING:
    import pandas as pd

# Fresh rows of a table, from which true risks are worked out: few where the truth is a mean over all tables, else more.
FRESH_OF_MEAN, FRESH = 500, (2000, 4000)
MODELS = "these models"  # what an interval may be about
OWN = "own"  # the interval of the study itself
LEAST = 20  # replications from which on a share is worth printing


@dataclass(frozen=True)
class CheckOptions:
    """How many tables are simulated, in how much time, and which intervals are judged on them."""

    intervals: tuple[str | IntervalMethod, ...] = (OWN,)
    replications: int = 200
    time_limit: float | None = 120.0  # seconds
    seed: int = 0
    jobs: int | None = None
    progress: bool | None = None


@dataclass(frozen=True)
class Drawn:
    """One replication: estimates and ends[method, interval], the risks of the models made, and what was claimed."""

    values: FloatArray
    ends: FloatArray  # [method, interval, side]; NaN where there is none
    risks: FloatArray  # true risk of the models of the outer splits, on average: [method]
    pairs: FloatArray  # [pair, (value, low, high)] by intervals that hold for all pairs at once
    best: int


@dataclass(frozen=True, eq=False)
class CoverageCheck(Shown):
    """What the study's intervals and comparisons achieved on simulated tables like its own.

    `intervals` has a row for each method and interval, `differences` one for each pair of methods; `error` is the
    Monte-Carlo standard error of the share beside it.
    """

    intervals: pd.DataFrame
    differences: pd.DataFrame
    false_alarms: float | None
    false_alarms_error: float | None
    replications: int
    level: float
    seconds: float
    words: str

    def __repr__(self) -> str:
        return self.words

    def to_dict(self) -> dict[str, Any]:
        """The same in plain values for JSON."""
        return {
            "replications": self.replications,
            "level": self.level,
            "seconds": round(self.seconds, 3),
            "intervals": _plain_rows(self.intervals),
            "differences": _plain_rows(self.differences),
            "false_alarms": plain_number(self.false_alarms),
            "false_alarms_error": plain_number(self.false_alarms_error),
            "verdict": self.words.splitlines()[-1],
        }


def check_coverage(
    runnable: RunnableStudy, world: World, options: CheckOptions, *, learners: Sequence[str] | None = None
) -> CoverageCheck:
    """Run the study on simulated tables until the replications or the time are used up; at least two are made."""
    if options.replications < 2:
        raise BadStudy(f"{options.replications} replications show nothing", "Ask for at least 2")
    kept = _only(runnable, learners)
    judged = [_row(asked) for asked in options.intervals]
    begun, found, spent = time.monotonic(), list[Drawn](), 0.0
    for drawn in _rounds(kept, world, judged, options):
        found += drawn
        last, spent = spent, time.monotonic() - begun
        _tell(len(found), spent, options)
        # another round takes about as long as the last one, and the first one also starts the workers
        if options.time_limit is not None and len(found) >= 2 and 2 * spent - last > options.time_limit:
            break
    names = [method.name for method in kept.study.shown]
    return _summary(names, judged, found, kept.study, time.monotonic() - begun)


def _rounds(
    runnable: RunnableStudy, world: World, judged: Sequence[IntervalMethod | None], options: CheckOptions
) -> Iterator[list[Drawn]]:
    """Replications in rounds of one for each worker; their numbers do not depend on the workers."""
    from joblib import Parallel, cpu_count, delayed

    jobs = options.jobs or cpu_count()
    with Parallel(n_jobs=jobs) as workers:
        for first in range(0, options.replications, jobs):
            places = range(first, min(first + jobs, options.replications))
            yield workers(delayed(_replicate)(runnable, world, judged, options.seed, at) for at in places)


def _row(asked: str | IntervalMethod) -> IntervalMethod | None:
    """The interval that is judged; None for the study's own."""
    if isinstance(asked, str) and comparable(asked) == OWN:
        return None
    if isinstance(asked, str) and comparable(asked) in NOT_OFFERED:
        return NOT_OFFERED[comparable(asked)]
    return find(asked)


def _only(runnable: RunnableStudy, learners: Sequence[str] | None) -> RunnableStudy:
    """The study with these learners, what they are made of and the baseline; without fits at default parameters."""
    methods = runnable.study.methods
    shown = [method.name for method in methods if not method.is_hidden]
    wanted = set(shown if learners is None else learners)
    for name in wanted - set(shown):
        raise BadStudy(f"there is no method {name!r} in this study", nearest(name, shown))
    for method in methods:
        if method.name in wanted:
            wanted |= {member for _, member in method.members}
    kept = [
        at
        for at, method in enumerate(methods)
        if (method.name in wanted or method.name == BASELINE) and not method.defaults_of
    ]
    if searched := [methods[at].name for at in kept if not methods[at].tuner.is_listed]:
        raise BadStudy(
            f"{searched[0]} is tuned by a search, which is not run again on simulated tables",
            "Name other learners (learners=), or tune it over a grid",
        )
    study = replace(
        runnable.study,
        methods=tuple(methods[at] for at in kept),
        has_final=False,
        has_optimism=False,
        wants_importance=False,
        findings=(),
        notes=(),
    )
    return replace(
        runnable,
        study=study,
        learners=tuple(runnable.learners[at] for at in kept),
        families=tuple(runnable.families[at] for at in kept),
        estimators=tuple(runnable.estimators[at] for at in kept),
        identities=tuple(runnable.identities[at] for at in kept) if runnable.identities else (),
    )


def _replicate(
    runnable: RunnableStudy,
    world: World,
    judged: Sequence[IntervalMethod | None],
    seed: int,
    at: int,
) -> Drawn:
    """One simulated table with its study, and fresh rows to work out true risks from."""
    rows, rng = runnable.data.rows, np.random.default_rng([seed, at])
    is_mean = len(runnable.study.outer) > 1 and not any(row is not None and row.covers == MODELS for row in judged)
    fresh = FRESH_OF_MEAN if is_mean else int(np.clip(4 * rows, *FRESH))
    data = world.draw(rows + fresh, rng, f"{seed}.{at}")
    data = _placed(data, runnable, rng)
    study = _study_of(runnable.study, data, rows)
    wide = replace(runnable, data=data, study=study)
    reading = answer_study(wide, RunOptions(jobs=1), progress=False, is_kept=False).reading
    return _read(reading, _narrow(study, runnable.study.outer, rows), np.arange(rows, rows + fresh), judged)


def _placed(data: Dataset, runnable: RunnableStudy, rng: np.random.Generator) -> Dataset:
    """The rows in places where the study had rows of their class, as far as there are any: folds stay stratified."""
    if data.task == "regression" or "stratified" not in runnable.study.outer.scheme:
        return data
    rows = runnable.data.rows
    free = {code: list(np.flatnonzero(runnable.data.codes == code)) for code in range(len(data.classes))}
    places, left = np.full(rows, -1), []
    for row, code in enumerate(data.codes[:rows].tolist()):
        if free[code]:
            places[free[code].pop(0)] = row
        else:
            left.append(row)
    places[places < 0] = rng.permutation(left)
    order = np.concatenate([places, np.arange(rows, data.rows)])
    weights = None if data.weights is None else data.weights[order]
    return replace(data, X=data.take(order), y=data.y[order], weights=weights)


def _study_of(study: Study, data: Dataset, rows: int) -> Study:
    """The same study on other data, whose outer models also predict the fresh rows."""
    fresh = np.arange(rows, data.rows)
    splits = tuple(
        Split(split.train, np.concatenate([split.test, fresh]), split.repeat, split.fold) for split in study.outer
    )
    return replace(
        study,
        fingerprint=data.fingerprint,
        target=data.target,
        weights=data.weights,
        outer=Splits(splits, study.outer.scheme, study.outer.kind, study.outer.is_partition),
        _names={},
        _keys={},
        _tuning_rows={},
    )


def _narrow(study: Study, outer: Splits, rows: int) -> Study:
    """The study as it would be without the fresh rows; its fits are those of the wide one."""
    weights = None if study.weights is None else study.weights[:rows]
    return replace(
        study, target=study.target[:rows], weights=weights, outer=outer, _names={}, _keys={}, _tuning_rows={}
    )


def _read(wide: Reading, study: Study, fresh: IntArray, judged: Sequence[IntervalMethod | None]) -> Drawn:
    reading = Reading(study, wide.store)
    methods = [answer_of(reading, method) for method in study.shown]
    own = study.interval
    ends = np.full((len(methods), len(judged), 2), np.nan)
    for at, method in enumerate(methods):
        for place, row in enumerate(judged if method.status == "ok" else ()):
            _, _, found = work_out(method.evidence, own if row is None else row, study.level)
            if found is not None:
                ends[at, place] = found.low, found.high
    best = pick(methods)
    return Drawn(
        np.array([method.risk for method in methods]),
        ends,
        np.array([_true_risk(wide, method, fresh) for method in methods]),
        _pairs(methods),
        -1 if best is None else methods.index(best),
    )


def _pairs(methods: list[MethodAnswer]) -> FloatArray:
    able = compared(methods)
    found = []
    for one, other in combinations(methods, 2):
        has_both = (one in able or one.method.name == BASELINE) and (other in able or other.method.name == BASELINE)
        apart = one.difference(other, level=pair_level(methods, one, other)) if has_both else None
        ends = (None, None, None) if apart is None else (apart.value, apart.low, apart.high)
        found.append([math.nan if end is None else end for end in ends])
    return np.array(found).reshape(-1, 3)


def _true_risk(wide: Reading, method: MethodAnswer, fresh: IntArray) -> float:
    """The mean loss of the models of the outer splits on rows that no one has seen."""
    study, losses = wide.study, []
    judge = study.losses[0]
    own = wide.method(method.method.name)
    weights = None if study.weights is None else study.weights[fresh]
    for at, split in enumerate(study.outer):
        candidate = wide.outer_candidate(own, at)
        if candidate is None:
            return math.nan
        answer = wide.answer(own, candidate, split, own.response_for(judge, candidate), fresh)
        if answer is None:
            return math.nan
        losses.append(judge.fold(study.target[fresh], answer, weights))
    return float(np.mean(losses))


def _tell(made: int, spent: float, options: CheckOptions) -> None:
    shown = sys.stderr.isatty() if options.progress is None else options.progress
    if not shown:
        return
    each = spent / made
    limit = "" if options.time_limit is None else f", at most {number(options.time_limit, digits=3)} s"
    words = f"coverage check: {made} of {options.replications} tables, {number(each, digits=2)} s each{limit}"
    sys.stderr.write(f"\r{words}" if sys.stderr.isatty() else f"{words}\n")
    sys.stderr.flush()


def _summary(
    names: list[str], judged: Sequence[IntervalMethod | None], found: Sequence[Drawn], study: Study, seconds: float
) -> CoverageCheck:
    import pandas as pd

    values, risks = np.stack([one.values for one in found]), np.stack([one.risks for one in found])
    ends = np.stack([one.ends for one in found])
    is_fixed = len(study.outer) == 1
    truth = risks if is_fixed else np.broadcast_to(np.nanmean(risks, axis=0), risks.shape)
    labels = [_label(row, study) for row in judged]
    lines = [
        {
            "method": name,
            "interval": labels[place],
            "truth": float(np.nanmean(risks[:, at])),
            "mean_estimate": float(np.nanmean(values[:, at])),
            **_covered(ends[:, at, place], _truth_for(row, risks[:, at], truth[:, at])),
        }
        for at, name in enumerate(names)
        for place, row in enumerate(judged)
    ]
    apart, alarms = _differences(names, found, risks, is_fixed=is_fixed)
    intervals, differences = pd.DataFrame(lines), pd.DataFrame(apart)
    error = _error(alarms, len(found)) if alarms is not None else None
    words = _words(intervals, differences, (alarms, error), len(found), (study.level, seconds))
    return CoverageCheck(intervals, differences, alarms, error, len(found), study.level, seconds, words)


def _label(row: IntervalMethod | None, study: Study) -> str:
    if row is not None:
        return row.name
    own = study.interval
    return "the study's own" if own is None else f"the study's own ({own.name})"


def _truth_for(row: IntervalMethod | None, models: FloatArray, usual: FloatArray) -> FloatArray:
    return models if row is not None and row.covers == MODELS else usual


def _covered(ends: FloatArray, truth: FloatArray) -> dict[str, Any]:
    """Coverage among the tables that had an interval, with its error, width, and the misses on either side."""
    has = np.isfinite(ends).all(axis=1) & np.isfinite(truth)
    count = int(has.sum())
    low, high, true = ends[has, 0], ends[has, 1], truth[has]
    share = float(np.mean((low <= true) & (true <= high))) if count else math.nan
    return {
        "coverage": share,
        "error": _error(share, count),
        "truth_below": float(np.mean(true < low)) if count else math.nan,
        "truth_above": float(np.mean(true > high)) if count else math.nan,
        "width": float(np.mean(high - low)) if count else math.nan,
        "answered": count,
    }


def _differences(
    names: list[str], found: Sequence[Drawn], risks: FloatArray, *, is_fixed: bool
) -> tuple[list[dict[str, Any]], float | None]:
    """Each pair by the intervals that hold for all pairs at once, and how often any claim of a table was false."""
    pairs = np.stack([one.pairs for one in found])
    false, lines, is_any = np.zeros(len(found), bool), [], False
    for place, (one, other) in enumerate(combinations(range(len(names)), 2)):
        apart = risks[:, one] - risks[:, other]
        truth = apart if is_fixed else np.full(len(found), np.nanmean(apart))
        low, high = pairs[:, place, 1], pairs[:, place, 2]
        has = np.isfinite(low) & np.isfinite(truth)
        is_any |= bool(has.any())
        wrong = has & (((low > 0) & (truth <= 0)) | ((high < 0) & (truth >= 0)))
        false |= wrong
        line = {"first": names[one], "second": names[other], "truth": float(np.nanmean(apart))}
        covered = _covered(pairs[:, place, 1:], truth)
        claimed = float(np.mean(((low > 0) | (high < 0))[has])) if has.any() else math.nan
        lines.append({**line, **covered, "told_apart": claimed, "false_claims": float(wrong.mean())})
    return lines, float(false.mean()) if is_any else None


def _error(share: float, count: int) -> float:
    if not count or math.isnan(share):
        return math.nan
    kept = min(max(share, 1 / count), 1 - 1 / count) if count > 1 else share
    return math.sqrt(max(kept * (1 - kept), 0.0) / count)


def _words(
    intervals: pd.DataFrame,
    differences: pd.DataFrame,
    alarms: tuple[float | None, float | None],
    count: int,
    facts: tuple[float, float],
) -> str:
    level, seconds = facts
    head = f"{count} simulated tables like yours, {number(seconds, digits=3)} s. Coverage at {percent(level)}:"
    lines = [
        f"  {line.method}, {line.interval}: "
        + ("no interval" if not line.answered else f"{line.coverage:.3f} (Monte-Carlo error {line.error:.3f})")
        for line in intervals.itertuples()
    ]
    apart = [
        f"  {line.first} minus {line.second}: told apart in {line.told_apart:.2f}, "
        f"its interval covers {line.coverage:.3f}"
        for line in differences.itertuples()
        if line.answered
    ]
    parts = [head, *lines, *(["Differences, by intervals that hold for all pairs at once:", *apart] if apart else [])]
    rate, error = alarms
    if rate is not None and error is not None:
        parts.append(f"A false claim that one method is better than another: {rate:.3f} of the tables ({error:.3f}).")
    return "\n".join([*parts, _verdict(intervals, level, count)])


def _verdict(intervals: pd.DataFrame, level: float, count: int) -> str:
    """Which intervals fall short by more than chance, in a sentence."""
    if count < LEAST:
        return f"{count} tables are too few to say more: give it more time (time_limit=, --time-limit)."
    short = intervals[intervals["coverage"] + 2 * intervals["error"] < level]
    if short.empty:
        return f"On data like yours no interval falls short of {percent(level)} by more than chance."
    named = ", ".join(f"{line.interval} of {line.method} ({line.coverage:.2f})" for line in short.itertuples())
    return f"On data like yours these fall short of {percent(level)}: {named}."


def _plain_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {str(name): plain_number(value) if isinstance(value, float) else value for name, value in row.items()}
        for row in frame.to_dict(orient="records")
    ]
