"""Going on with a search: when all that was asked for has an answer, every tuning is asked for its next candidates.

Tunings go on together, in rounds, and know nothing of one another's scores. So a round holds the
same fits whatever finished first, and after any interruption.
"""

from __future__ import annotations

import math
import time
from collections import Counter

import numpy as np

from foldwise.errors import BadStore
from foldwise.learners.identity import identity_of
from foldwise.learners.model import responses_of
from foldwise.plans.runnable import RunnableStudy
from foldwise.plans.searches import current
from foldwise.spaces.point import Point, candidate_at
from foldwise.spaces.space import Space
from foldwise.studies.reading import Reading
from foldwise.studies.search import Search, add_candidate, write_ledger
from foldwise.studies.study import Method, Study, rows_name
from foldwise.tuners.tuner import ADAPTIVE, BATCH, START, make_tuner, start_points


def go_on(runnable: RunnableStudy, reading: Reading, at: int) -> None:
    """Ask for further candidates of a method whose fits are all done, and write them down before they are fitted."""
    method, search = runnable.study.methods[at], runnable.study.methods[at].search
    assert search is not None
    _make_estimators(runnable, at)
    while not _is_under_way(reading, method) and not reading.has_failed(method):
        names = [name for name in runnable.study.named_tunings(method) if not search.is_over(name)]
        search.over |= {name for name in names if _is_enough(reading, method, name)}
        asking = [name for name in names if not search.is_over(name)]
        for name in asking:
            _ask(runnable, reading, at, name)
        _rank(method, runnable.learners[at].space)
        if names:
            write_ledger(method, reading.store)
        if not asking:
            return


def most_fits(study: Study, method: Method) -> int:
    """How many fits the tunings of a search can come to; what they begin with is the same for all of them."""
    assert method.search is not None
    budget = method.search.budget or 0
    splits = [split for those in study.tunings(method) for split in those]
    distinct = len({study.rows_name(split) for split in splits})
    return min(START, budget) * distinct + max(0, budget - START) * len(splits)


def fewest_fits(study: Study, method: Method) -> int:
    """How many fits the tunings of a search come to if their time is up at once: those they begin with."""
    assert method.search is not None
    splits = [split for those in study.tunings(method) for split in those]
    return min(START, method.search.budget or START) * len({study.rows_name(split) for split in splits})


def _is_under_way(reading: Reading, method: Method) -> bool:
    """Are there fits to come of what was asked for?"""
    assert method.search is not None
    return any(
        reading.seen_once(method, at, split) is None
        for name, splits in reading.study.named_tunings(method).items()
        for at in method.search.of(name)
        for split in splits
    )


def _ask(runnable: RunnableStudy, reading: Reading, at: int, tuning: str) -> None:
    """The next candidates of one tuning, from its own scores alone."""
    method, learner = runnable.study.methods[at], runnable.learners[at]
    search, space = method.search, learner.space
    assert search is not None
    assert space is not None
    own = search.asked.setdefault(tuning, [])
    began = time.perf_counter()
    if own:
        scores = reading.scores_of(method, runnable.study.named_tunings(method)[tuning], own).mean(axis=1)
        told = [(Point(*search.points[one]), float(score)) for one, score in zip(own, scores, strict=True)]
        points = make_tuner(method.tuner, space, _seed(runnable, at, tuning)).ask(told, BATCH)
    else:
        points = start_points(space, current(learner), runnable.study.seed)
    new = [number for number in dict.fromkeys(_number(runnable, at, point) for point in points) if number not in own]
    own += new
    if search.seconds is not None:
        search.asking[tuning] = search.asking.get(tuning, 0.0) + time.perf_counter() - began
    if not new:
        search.over.add(tuning)


def _number(runnable: RunnableStudy, at: int, point: Point) -> int:
    """The number of a point's candidate, with all that is to be known of it."""
    method, learner = runnable.study.methods[at], runnable.learners[at]
    search = method.search
    assert search is not None
    assert learner.space is not None
    candidate = candidate_at(learner.space, point)
    estimator = learner.at(candidate)
    number = add_candidate(method, point, candidate=candidate, setting=identity_of(estimator, runnable.identities[at]))
    if number == len(search.estimators):
        search.estimators.append(estimator)
        assert isinstance(method.offers, list)
        method.offers.append(responses_of(estimator, runnable.data.task))
    return number


def _rank(method: Method, space: Space | None) -> None:
    """How simple each candidate is among all that were asked for."""
    if isinstance(method.ranks, list) and space is not None:
        method.ranks[:] = space.simplicity_order(list(method.candidates))


def _make_estimators(runnable: RunnableStudy, at: int) -> None:
    """Of candidates that were read from the store, where they are plain values."""
    method, learner = runnable.study.methods[at], runnable.learners[at]
    search = method.search
    assert search is not None
    assert learner.space is not None
    assert isinstance(method.candidates, list)
    for number in range(len(search.estimators), len(search.points)):
        try:
            candidate = candidate_at(learner.space, Point(*search.points[number]))
        except (IndexError, ValueError) as reason:
            raise BadStore(
                f"the ledger of proposals of {method.name!r} has a point outside its space", "Start a new store"
            ) from reason
        method.candidates[number] = candidate
        search.estimators.append(learner.at(candidate))


def _seed(runnable: RunnableStudy, at: int, tuning: str) -> int:
    """A tuning's own seed, from the study's, the learner, the tuner and the rows it is tuned on.

    A fixed sequence is the same for all tunings, which then share fits.
    """
    study, method = runnable.study, runnable.study.methods[at]
    if method.tuner not in ADAPTIVE:
        return study.seed
    if tuning == "final":
        rows = rows_name(np.arange(study.rows))
    else:
        stages = {f"{stage.level} {stage.at}": stage.split for stage in study.stages(method)}
        rows = study.rows_name(stages[tuning])
    return study.fit_seed(f"{runnable.families[at]}|{method.tuner}", rows)


def _is_enough(reading: Reading, method: Method, tuning: str) -> bool:
    """Has a tuning used up its time, or does it gain less than the noise?"""
    search = method.search
    assert search is not None
    if not search.asked.get(tuning):
        return False
    if search.seconds is not None and _spent(reading, method, search, tuning) >= search.seconds:
        return True
    return search.stop == "noise" and _is_within_noise(reading, method, search, tuning)


def _spent(reading: Reading, method: Method, search: Search, tuning: str) -> float:
    """Recorded seconds of a tuning, times the number of tunings; a fit that several share is paid for by all."""
    study, tunings = reading.study, reading.study.named_tunings(method)
    uses = Counter(
        study.key(method, at, split) for name, splits in tunings.items() for at in search.of(name) for split in splits
    )
    spent = search.asking.get(tuning, 0.0)
    for split in tunings[tuning]:
        for at in search.of(tuning):
            record = reading.record(method, at, split)
            spent += record.seconds / uses[study.key(method, at, split)] if record is not None else 0.0
    return spent * len(tunings)


def _is_within_noise(reading: Reading, method: Method, search: Search, tuning: str) -> bool:
    """Did the best score gain less in the last two batches than the standard error of the best candidate's folds?"""
    scores = reading.scores_of(method, reading.study.named_tunings(method)[tuning], search.of(tuning))
    means = scores.mean(axis=1)
    before = means[: -2 * BATCH]
    if scores.shape[1] < 2 or len(means) < START + 2 * BATCH or not np.isfinite(before).any():
        return False
    best = int(np.nanargmin(means))
    noise = scores[best].std(ddof=1) / math.sqrt(scores.shape[1])
    return bool(np.nanmin(before) - means[best] < noise)
