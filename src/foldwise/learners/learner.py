"""A learner: a scikit-learn estimator under a name, with the space it is tuned over, if any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from foldwise.errors import BadSpace
from foldwise.learners.cloning import cloned
from foldwise.spaces.space import Space
from foldwise.tuners.tuner import Tuner


@dataclass(frozen=True, eq=False)
class Learner:
    """An estimator under a name, with the space it is tuned over and how, if it is tuned."""

    name: str
    estimator: Any
    space: Space | None = None
    inner: Any = None
    tuner: str | Tuner | None = None
    budget: Any = None  # candidates, or a time such as "10 min"
    rule: str | None = None
    stop: str | None = None  # when a search may end before its budget
    is_builtin: bool = False
    is_default: bool = False  # is its space our own choice, to be fitted to the splits?
    members: tuple[Learner, ...] = ()  # of a blend
    member_methods: tuple[tuple[str, str], ...] = ()  # each member's name, and its name as a method of the study
    is_hidden: bool = False  # is it in the study only for the sake of others?
    defaults_of: str = ""  # the tuned learner that this is, at its own default parameters

    @cached_property
    def names(self) -> dict[str, str]:
        """The user's parameter names, and the full names the estimator knows them by."""
        return {} if self.space is None else dict(self.space.resolve(self.estimator))

    def at(self, candidate: Mapping[str, Any]) -> Any:
        """The estimator with a candidate's parameters, not fitted."""
        from sklearn.base import clone

        estimator = cloned(self.estimator)
        try:
            # values that are estimators are cloned, or candidates would write into one another's
            if candidate:
                estimator.set_params(
                    **{self.names.get(name, name): clone(value, safe=False) for name, value in candidate.items()}
                )
        except ValueError as reason:
            raise BadSpace(f"learner {self.name!r} does not take {dict(candidate)}: {reason}") from reason
        return estimator
