"""Losses of the finished outer splits of a method, each computed once."""

from __future__ import annotations

import math
import time

import numpy as np

from foldwise.live.counts import Counts, MethodCount
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method, Stage

LEAST_FOLDS = 3  # for a rough spread


def update_folds(counts: Counts, *, seconds: float = math.inf) -> bool:
    """Compute the folds that new records finish, for at most so many seconds; returns whether all are done."""
    until = time.monotonic() + seconds
    for count in sorted(counts.methods, key=lambda count: count.total - count.done):  # what is finished is told first
        if count.is_over or not count.is_new:
            continue
        for stage in counts.study.stages(count.method):
            if time.monotonic() > until:
                return False
            _settle_stage(counts, count, stage)
        count.is_new = False
        count.is_over = _is_over(counts, count)
    return True


def partial_risk(count: MethodCount, level: float) -> tuple[float | None, float | None, float | None, int]:
    """Mean loss of the finished outer splits, a rough interval, and how many they are.

    The splits are treated as independent, which they are not: a rough picture until the run has ended.
    """
    losses = np.array([loss for loss in count.losses.values() if math.isfinite(loss)])
    if not losses.size:
        return None, None, None, 0
    mean = float(losses.mean())
    if losses.size < LEAST_FOLDS:
        return mean, None, None, int(losses.size)
    from scipy.special import stdtrit

    reach = float(stdtrit(losses.size - 1, 0.5 + level / 2) * losses.std(ddof=1) / math.sqrt(losses.size))
    return mean, mean - reach, mean + reach, int(losses.size)


def _settle_stage(counts: Counts, count: MethodCount, stage: Stage) -> None:
    """Mark a judged split as finished when its candidate is chosen and fitted, or never will be."""
    name, reading, method = stage.name, counts.reading, count.method
    if name in count.finished or not _has_chosen(counts, method, stage):
        return
    candidate = reading.outer_candidate(method, stage.at)
    if candidate is not None and counts.study.key(method, candidate, stage.split) not in counts.known:
        return
    count.finished.add(name)
    count.losses[stage.at] = _loss(reading, method, candidate, stage)


def _loss(reading: Reading, method: Method, candidate: int | None, stage: Stage) -> float:
    return math.nan if candidate is None else reading.fold_loss(method, candidate, stage.split)


def _has_chosen(counts: Counts, method: Method, stage: Stage) -> bool:
    """Are there no more fits to do before this split can choose its candidate?"""
    if stage.inner is None:
        return True
    run = counts.reading.run(method, stage.name)
    if not all(key in counts.known for key in run.fit_keys(run.missing())):
        return False
    return not counts.reading.is_waiting(method, stage)


def _is_over(counts: Counts, count: MethodCount) -> bool:
    """Has a method no more fits to come?"""
    method, inner = count.method, count.method.inner
    if len(count.finished) < len(counts.study.stages(method)):
        return False
    if method.members or not count.sureness:
        return count.done - len(count.chosen) >= count.own
    has_final = inner is not None and inner.final is not None and counts.study.has_final
    return not has_final or not counts.reading.final_choice(method).missing
