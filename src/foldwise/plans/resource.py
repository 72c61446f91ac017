"""Candidates with less of a learner's own resource (trees, iterations, epochs), for tuners that start small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from foldwise.errors import BadSpace, BadStudy
from foldwise.learners.identity import identity_of
from foldwise.learners.learner import Learner
from foldwise.spaces.space import known_parameters, make_space
from foldwise.studies.study import Method
from foldwise.tuners.tuner import ROWS, Tuner

LEAST = 5  # trees, iterations, epochs


def with_levels(
    method: Method, learner: Learner, estimators: Sequence[Any], identity: str
) -> tuple[Method, tuple[Any, ...]]:
    """The method with its candidates repeated on every level, and all estimators; rows as a resource need none."""
    tuner = method.tuner
    if tuner.resource == ROWS:
        return method, tuple(estimators)
    name = _full_name(tuner, learner)
    values = [_whole_number(learner, name, known_parameters(estimator)[name]) for estimator in estimators]
    levels = tuner.most_levels(len(estimators), min(values), LEAST)
    candidates = list(method.candidates)
    for level in range(1, levels + 1):
        less = [tuner.part(value, level) for value in values]
        candidates += [{**one, name: value} for one, value in zip(method.candidates, less, strict=True)]
    made = (*estimators, *(learner.at(candidate) for candidate in candidates[len(estimators) :]))
    return replace(
        method,
        candidates=tuple(candidates),
        identities=tuple(identity_of(estimator, identity) for estimator in made),
        responses=tuple(method.responses) * (levels + 1),
        levels=levels,
    ), made


def _full_name(tuner: Tuner, learner: Learner) -> str:
    """The estimator's full name of the resource; a parameter that is tuned cannot be one too."""
    try:
        name = make_space({tuner.resource: [1]}).resolve(learner.estimator)[tuner.resource]
    except BadSpace as error:
        problem = f"{tuner.name} cannot use its resource with learner {learner.name!r}: {error.problem}"
        raise BadSpace(problem, error.remedy) from None
    if name in learner.names.values():
        raise BadStudy(
            f"the resource {tuner.resource!r} of {tuner.name} is also tuned by learner {learner.name!r}",
            "Leave it out of the space: a fit gets at most the value in the estimator",
        )
    return name


def _whole_number(learner: Learner, name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise BadStudy(
            f"the resource {name!r} of learner {learner.name!r} is {value!r}", "Give it a whole number in the estimator"
        )
    return int(value)
