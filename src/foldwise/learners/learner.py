"""A learner: a scikit-learn estimator under a name, with the space it is tuned over, if any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from foldwise.errors import BadLearner, BadSpace
from foldwise.spaces.space import Space
from foldwise.tuners.tuner import Tuner

METHOD = "method"  # names the member in a candidate of the best of several


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
    combines: str = ""  # best_of, stack or blend, where it is made of other learners
    members: tuple[Learner, ...] = ()
    member_methods: tuple[tuple[str, str], ...] = ()  # each member's name, and its name as a method of the study
    is_hidden: bool = False  # is it in the study only to be combined with others?

    @cached_property
    def names(self) -> dict[str, str]:
        """The user's parameter names, and the full names the estimator knows them by."""
        return {} if self.space is None else dict(self.space.resolve(self.estimator))

    def owner(self, candidate: Mapping[str, Any]) -> Learner:
        """The learner this candidate belongs to: a member, in the best of several."""
        return {one.name: one for one in self.members}[candidate[METHOD]] if self.combines == "best_of" else self

    def at(self, candidate: Mapping[str, Any]) -> Any:
        """The estimator with a candidate's parameters, not fitted."""
        from sklearn.base import clone

        if (owner := self.owner(candidate)) is not self:
            return owner.at({name: value for name, value in candidate.items() if name != METHOD})
        estimator = clone(self.estimator)
        try:
            # values that are estimators are cloned, or candidates would write into one another's
            if candidate:
                estimator.set_params(
                    **{self.names.get(name, name): clone(value, safe=False) for name, value in candidate.items()}
                )
        except ValueError as reason:
            raise BadSpace(f"learner {self.name!r} does not take {dict(candidate)}: {reason}") from reason
        return estimator


@dataclass(frozen=True)
class Named:
    """A built-in learner by name, with some of its parameters or ranges changed."""

    name: str
    changes: Mapping[str, Any] = field(default_factory=dict)


def learner(name: str, *, size: str | None = None, **changes: Any) -> Any:
    """A built-in learner, perhaps with a space of another size or other parameters.

    `name`: one of `fw.list_learners()`. `size`: of its own space, "small", "default" or "large"; the name
    "forest:small" says the same. `changes`: parameters to tune over (lists, ranges) or to fix (single values).

    >>> learner("k-nn", n_neighbors=range(1, 6))
    Named(name='k-nn', changes={'n_neighbors': range(1, 6)})
    >>> learner("forest", size="small")
    Named(name='forest:small', changes={})
    """
    from foldwise.learners.catalogue import find_entry
    from foldwise.learners.plugin import resolve

    if not isinstance(name, str):
        raise BadLearner(f"fw.learner needs the name of a built-in learner, not {name!r}", "See fw.list_learners()")
    if size is not None and ":" in name:
        raise BadLearner(f"the learner {name!r} says its size, and so does size={size!r}", "Keep one of them")
    text = name if size is None else f"{name}:{size}"
    if not isinstance(found := resolve(Named(text, changes)), Named):
        return found  # of another package
    if "(" not in name:  # stack(ridge+forest) is read where its members are known
        find_entry(text)
    return Named(text, changes)
