"""Candidates with less of a learner's own resource (trees, iterations, epochs), for tuners that begin with little."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from foldwise.errors import BadSpace, BadStudy
from foldwise.learners.identity import identity_of
from foldwise.learners.learner import Learner
from foldwise.spaces.space import make_space
from foldwise.studies.ladder import rungs_for, steps_down
from foldwise.studies.study import Method
from foldwise.tuners.schedule import ROWS, Halving

LEAST = 5  # trees, iterations, epochs


def with_rungs(
    method: Method, learner: Learner, estimators: Sequence[Any], identity: str
) -> tuple[Method, tuple[Any, ...]]:
    """The method with its candidates again on every rung, and an estimator for each; rows need nothing of the kind."""
    schedule = method.schedule
    if not isinstance(schedule, Halving) or schedule.resource == ROWS:
        return method, tuple(estimators)
    name = _full_name(schedule, learner)
    values = [_whole(learner, name, estimator.get_params(deep=True)[name]) for estimator in estimators]
    height = steps_down(min(values), schedule.least or LEAST, schedule.factor)
    rungs = min(rungs_for(len(estimators)), height)
    candidates = list(method.candidates)
    for rung in range(1, rungs + 1):
        less = [math.ceil(value / schedule.factor**rung) for value in values]
        candidates += [{**one, name: value} for one, value in zip(method.candidates, less, strict=True)]
    made = (*estimators, *(learner.at(candidate) for candidate in candidates[len(estimators) :]))
    return replace(
        method,
        candidates=tuple(candidates),
        settings=tuple(identity_of(estimator, identity) for estimator in made),
        offers=tuple(method.offers) * (rungs + 1),
        rungs=rungs,
    ), made


def _full_name(schedule: Halving, learner: Learner) -> str:
    """The resource as the estimator knows it; one that is tuned cannot be a resource too."""
    try:
        name = make_space({schedule.resource: [1]}).resolve(learner.estimator)[schedule.resource]
    except BadSpace as error:
        problem = f"the resource of {schedule.name} cannot be that of learner {learner.name!r}: {error.problem}"
        raise BadSpace(problem, error.remedy) from None
    if name in learner.names.values():
        raise BadStudy(
            f"the resource {schedule.resource!r} of {schedule.name} is also tuned by learner {learner.name!r}",
            "Leave it out of the space: its value in the estimator is the most a fit gets",
        )
    return name


def _whole(learner: Learner, name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise BadStudy(
            f"the resource {name!r} of learner {learner.name!r} is {value!r}", "Give it a whole number in the estimator"
        )
    return int(value)
