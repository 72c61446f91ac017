"""The tuner of a learner, the space its search goes over, and the name of its proposals in a store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from foldwise.errors import BadStudy
from foldwise.learners.identity import identity_of
from foldwise.learners.learner import Learner
from foldwise.spaces.parameter import Choice, Parameter, Range
from foldwise.spaces.point import Point
from foldwise.studies.study import Method, Study
from foldwise.tuners.budget import Budget, read_budget
from foldwise.tuners.registry import make_tuner
from foldwise.tuners.search import check_stop, start_points
from foldwise.tuners.tuner import Tuner


@dataclass(frozen=True, eq=False)
class Tuning:
    """How learners are tuned that have no tuning options of their own."""

    inner: Any = 5
    tuner: Any = None  # a name, a text with options, or an object
    budget: Any = None  # candidates, or a time such as "10 min"
    rule: str = "best"
    stop: str | None = None


def tuner_of(learner: Learner, study: Tuning, *, sharing: int) -> Tuner:
    """The tuner of a learner, or else that of its study; learners without a budget divide the study's time."""
    budget = read_budget(learner.budget)
    if budget == Budget():
        budget = read_budget(study.budget)
        budget = budget if budget.seconds is None else Budget(None, budget.seconds / max(sharing, 1))
    given = learner.tuner if learner.tuner is not None else study.tuner
    stop = check_stop(learner.stop or study.stop)
    tuner = make_tuner(given, budget._replace(seconds=None))
    if budget.seconds is not None and not tuner.takes_time:
        raise BadStudy(
            f"the tuner {str(tuner)!r} of {learner.name!r} has no budget in time",
            "Use tpe, random or grid, or leave it out",
        )
    tuner.check_installed()
    tuner = make_tuner(given, budget, stop)
    if learner.stop is not None and tuner.is_listed:
        raise BadStudy(
            f"stop={stop!r} of {learner.name!r} needs a tuner that works in rounds, and {str(tuner)!r} does not",
            "Use tuner='tpe' or 'random'",
        )
    return tuner


def narrowed(learner: Learner, tuner: Tuner, most_neighbours: int) -> Learner:
    """The learner with the space of its search: only the points of a grid, only what the rows allow of a default."""
    assert learner.space is not None
    blocks = [
        tuple((name, _narrow(name, tuner.domain(parameter), learner, most_neighbours)) for name, parameter in block)
        for block in learner.space.blocks
    ]
    return replace(learner, space=replace(learner.space, blocks=tuple(blocks)))


def _narrow(name: str, parameter: Parameter, learner: Learner, most: int) -> Parameter:
    if not learner.is_default or name != "n_neighbors":
        return parameter
    if isinstance(parameter, Choice):
        return Choice(tuple(value for value in parameter.values if value <= most) or parameter.values[:1])
    if isinstance(parameter, Range) and parameter.low <= most:
        return replace(parameter, high=min(parameter.high, most))
    return parameter


def first_points(learner: Learner, seed: int) -> list[Point]:
    """The points every search of a learner starts with; they can be checked before any fit."""
    assert learner.space is not None
    return start_points(learner.space, current(learner), seed)


def current(learner: Learner) -> dict[str, Any]:
    """The learner's own values of the parameters that are tuned."""
    known = learner.estimator.get_params(deep=True)
    return {name: known[full] for name, full in learner.names.items() if full in known}


def check_searches(methods: Sequence[Method], stop: str | None, *, optimism: bool) -> None:
    """Refuse what only a fixed list of candidates can give."""
    searching = [method for method in methods if not method.tuner.is_listed]
    if optimism and searching:
        raise BadStudy(
            f"optimism needs all candidates on the outer splits, but the search of {searching[0].name!r} tries others "
            "in every fold",
            "Use tuner='grid' or 'random' with a budget in candidates, or leave optimism out",
        )
    if stop is not None and not searching:
        raise BadStudy(
            f"stop={stop!r} needs a tuner that works in rounds, and no learner has one",
            "Use tuner='tpe' or 'random'",
        )


def name_proposals(study: Study, method: Method, learner: Learner) -> str:
    """The name of a search's proposals in the store, from all they depend on; a larger budget continues them."""
    assert learner.space is not None
    parts = [
        study.prefix,
        identity_of(learner.estimator),
        json.dumps(learner.space.to_json(), sort_keys=True, default=str),
        str(method.tuner),
        study.losses[0].name,
        study.on_failure,
        json.dumps([method.tuner.limits.seconds, method.tuner.limits.stop]),
        *(splits.fingerprint for splits in study.tunings(method)),
    ]
    return "proposals " + hashlib.blake2b("|".join(parts).encode(), digest_size=16).hexdigest()
