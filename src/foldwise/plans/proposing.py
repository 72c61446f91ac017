"""The next candidates of a search: when all proposals have been evaluated, every tuning is asked for more.

Tunings advance in rounds and do not see one another's scores. So a round holds the
same fits whatever finished first, and after any interruption. Nothing is stored here: the run
loop stores the proposals before it does their fits.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from foldwise.errors import BadStore
from foldwise.learners.identity import identity_of
from foldwise.learners.model import responses_of
from foldwise.plans.runnable import RunnableStudy
from foldwise.plans.searches import first_points
from foldwise.spaces.point import Point, candidate_at
from foldwise.studies.proposals import Proposals
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method, rows_name
from foldwise.studies.tuning_run import TuningRun


def next_proposals(runnable: RunnableStudy, reading: Reading, at: int) -> Method | None:
    """The method with the next candidates of its tunings; None while fits are missing, and when all are over."""
    method = reading.study.methods[at]
    if method.tuner.is_listed:
        return None
    states = {run: run.state() for run in reading.runs(method)}
    if "evaluate" in states.values() or reading.has_failed(method):
        return None
    known, budget = method.proposals, method.tuner.limits.budget
    over = {
        run.name
        for run, state in states.items()
        if state == "over" and not (budget is not None and len(known.asked.get(run.name, ())) >= budget)
    }
    asking = [run for run, state in states.items() if state == "propose"]
    if not asking and over <= known.over:
        return None
    grown = replace(method, proposals=replace(known, over=known.over | over))
    for run in asking:
        grown = _propose(runnable, grown, at, run)
    space = runnable.learners[at].space
    if grown.ranks is not None and space is not None:  # how simple each candidate is among all of them
        grown = replace(grown, ranks=tuple(space.simplicity_order(list(grown.candidates))))
    return grown


def check_points(runnable: RunnableStudy, reading: Reading) -> None:
    """Refuse a store whose proposals lie outside the space that is searched."""
    for method, learner in zip(reading.study.methods, runnable.learners, strict=True):
        for point in method.proposals.points:
            assert learner.space is not None
            try:
                candidate_at(learner.space, point)
            except (IndexError, ValueError) as reason:
                raise BadStore(
                    f"the stored proposals of {method.name!r} have a point outside its space", "Start a new store"
                ) from reason


def _propose(runnable: RunnableStudy, method: Method, at: int, run: TuningRun) -> Method:
    """The method with the next candidates of one tuning, from that tuning's own scores alone."""
    learner, began = runnable.learners[at], time.perf_counter()
    assert learner.space is not None
    if run.candidates:
        points = method.tuner.propose(run, learner.space, _seed(runnable, method, at, run.name))
    else:
        points = first_points(learner, runnable.study.seed)
    numbers = []
    for point in points:
        method, number = _with_candidate(runnable, method, at, point)
        numbers.append(number)
    known = method.proposals
    own = known.asked.get(run.name, ())
    new = tuple(number for number in dict.fromkeys(numbers) if number not in own)
    took = time.perf_counter() - began if method.tuner.limits.seconds is not None else 0.0
    found = Proposals(
        known.points,
        {**known.asked, run.name: own + new},
        known.over if new else known.over | {run.name},
        {**known.seconds, run.name: known.seconds.get(run.name, 0.0) + took} if took else known.seconds,
    )
    return replace(method, proposals=found)


def _with_candidate(runnable: RunnableStudy, method: Method, at: int, point: Point) -> tuple[Method, int]:
    """The method with the candidate at a point, added unless it is known, and its number."""
    learner = runnable.learners[at]
    assert learner.space is not None
    candidate = candidate_at(learner.space, point)
    estimator = learner.at(candidate)
    name = identity_of(estimator, runnable.identities[at])
    if name in method.identities:
        return method, list(method.identities).index(name)
    known = method.proposals
    grown = replace(
        method,
        candidates=(*method.candidates, candidate),
        identities=(*method.identities, name),
        responses=(*method.responses, responses_of(estimator, runnable.data.task)),
        proposals=replace(known, points=(*known.points, point)),
    )
    return grown, len(method.identities)


def _seed(runnable: RunnableStudy, method: Method, at: int, name: str) -> int:
    """A tuning's own seed, from the study's, the learner, the tuner and the rows it is tuned on.

    A fixed sequence is the same for all tunings, so that they share fits.
    """
    study = runnable.study
    if not method.tuner.is_seeded:
        return study.seed
    if name == "final":
        rows = rows_name(np.arange(study.rows))
    else:
        rows = study.rows_name({stage.name: stage.split for stage in study.stages(method)}[name])
    return study.fit_seed(f"{runnable.families[at]}|{method.tuner}", rows)
