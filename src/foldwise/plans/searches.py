"""Which methods search, with which budget, and how their searches are named in a store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from foldwise.errors import BadSpace, BadStudy, nearest
from foldwise.learners.identity import identity_of
from foldwise.learners.learner import Learner
from foldwise.spaces.parameter import Choice, Parameter, Range
from foldwise.spaces.point import candidate_at, every_point, points_in
from foldwise.spaces.space import RANDOM_BUDGET, TUNERS, Space
from foldwise.studies.search import Search
from foldwise.studies.study import Candidate, Method, Study
from foldwise.tuners.budget import Budget, read_budget
from foldwise.tuners.optuna import check_installed
from foldwise.tuners.schedule import base_name
from foldwise.tuners.tuner import ADAPTIVE, DEFAULT_BUDGET, start_points

STOPS = ("noise",)
MOST_TIMED = 300  # candidates of each tuning within a budget in time: asking takes time too
FIXED = (None, "grid", "random")  # tuners that go through a sequence, which time or noise may end


@dataclass(frozen=True)
class Wanted:
    """How one learner of a study is to be searched."""

    tuner: str | None
    budget: Budget
    stop: str | None

    @property
    def is_search(self) -> bool:
        return self.tuner in ADAPTIVE or self.budget.seconds is not None or self._may_stop

    @property
    def _may_stop(self) -> bool:
        return self.stop is not None and self.tuner == "random"

    @property
    def most(self) -> int:
        """Candidates of each tuning at most."""
        if self.budget.candidates is not None:
            return self.budget.candidates
        if self.budget.seconds is not None:
            return MOST_TIMED
        return DEFAULT_BUDGET if self.tuner in ADAPTIVE else RANDOM_BUDGET


def wanted_of(learner: Learner, tuner: str | None, budget: Any, stop: str | None, *, sharing: int) -> Wanted:
    """The wish of a learner, or else of its study, whose time all learners without their own share."""
    own = read_budget(learner.budget)
    if own == Budget():
        own = read_budget(budget)
        own = own if own.seconds is None else Budget(None, own.seconds / max(sharing, 1))
    stop = learner.stop or stop
    if stop is not None and stop not in STOPS:
        raise BadStudy(f"there is no rule {stop!r} to stop a search", nearest(str(stop), STOPS))
    if tuner is not None and base_name(tuner) not in TUNERS:
        raise BadSpace(f"the tuner {tuner!r} is not known", nearest(str(tuner), TUNERS))
    if own.seconds is not None and tuner not in (*FIXED, *ADAPTIVE):
        raise BadStudy(
            f"the tuner {tuner!r} of {learner.name!r} has no budget in time", "Use tpe, random or grid, or leave it out"
        )
    if tuner in ADAPTIVE:
        check_installed(tuner)
    wanted = Wanted(tuner, own, stop)
    if learner.stop is not None and not wanted.is_search:
        raise BadStudy(
            f"stop={stop!r} of {learner.name!r} needs a tuner that goes on in steps, and {tuner or 'grid'!r} does not",
            "Use tuner='tpe', 'gp', 'cmaes' or 'random'",
        )
    return wanted


def narrowed(learner: Learner, wanted: Wanted, most_neighbours: int) -> Learner:
    """The learner with the space it is searched over: of a grid only its points, of a default what the rows allow."""
    assert learner.space is not None
    blocks = [
        tuple((name, _narrow(name, parameter, learner, wanted, most_neighbours)) for name, parameter in block)
        for block in learner.space.blocks
    ]
    return replace(learner, space=replace(learner.space, blocks=tuple(blocks)))


def _narrow(name: str, parameter: Parameter, learner: Learner, wanted: Wanted, most: int) -> Parameter:
    if wanted.tuner == "grid":
        parameter = Choice(tuple(parameter.grid()))
    if not learner.is_default or name != "n_neighbors":
        return parameter
    if isinstance(parameter, Choice):
        return Choice(tuple(value for value in parameter.values if value <= most) or parameter.values[:1])
    if isinstance(parameter, Range) and parameter.low <= most:
        return replace(parameter, high=min(parameter.high, most))
    return parameter


def whole_space(space: Space, wanted: Wanted) -> tuple[Candidate, ...] | None:
    """Every candidate of a space that has no more than the budget: there is nothing to search for then."""
    if wanted.tuner not in ADAPTIVE or wanted.budget.seconds is not None or points_in(space) > wanted.most:
        return None
    return tuple(candidate_at(space, point) for point in every_point(space))


def first_candidates(learner: Learner, seed: int) -> list[Candidate]:
    """What every search of a learner begins with, to be looked at before any fit."""
    assert learner.space is not None
    return [candidate_at(learner.space, point) for point in start_points(learner.space, current(learner), seed)]


def current(learner: Learner) -> dict[str, Any]:
    """The learner's own values of the parameters that are tuned."""
    known = learner.estimator.get_params(deep=True)
    return {name: known[full] for name, full in learner.names.items() if full in known}


def check_searches(methods: Sequence[Method], stop: str | None, *, optimism: bool) -> None:
    """Refuse what only a fixed list of candidates can give."""
    searching = [method for method in methods if method.search is not None]
    if optimism and searching:
        raise BadStudy(
            f"optimism needs all candidates on the outer splits, and the search of {searching[0].name!r} has others "
            "in every fold",
            "Use tuner='grid' or 'random' with a budget in candidates, or leave optimism out",
        )
    if stop is not None and not searching:
        raise BadStudy(
            f"stop={stop!r} needs a tuner that goes on in steps, and no learner has one",
            "Use tuner='tpe', 'gp', 'cmaes' or 'random'",
        )


def name_ledger(study: Study, method: Method, learner: Learner) -> str:
    """A name for all that the proposals of a search depend on; a larger budget goes on with the same ones."""
    search = method.search
    assert search is not None
    assert learner.space is not None
    parts = [
        study.prefix,
        identity_of(learner.estimator),
        json.dumps(learner.space.to_json(), sort_keys=True, default=str),
        method.tuner,
        study.losses[0].name,
        study.on_failure,
        json.dumps([search.seconds, search.stop]),
        *(splits.fingerprint for splits in study.tunings(method)),
    ]
    return "proposals " + hashlib.blake2b("|".join(parts).encode(), digest_size=16).hexdigest()


def make_search(wanted: Wanted) -> Search:
    return Search(budget=wanted.most, seconds=wanted.budget.seconds, stop=wanted.stop)
