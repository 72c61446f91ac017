"""A learner: a scikit-learn estimator under a name, with the space it is tuned over, if any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from foldwise.errors import BadSpace
from foldwise.spaces.space import Space


@dataclass(frozen=True, eq=False)
class Learner:
    """What `compare` is told about one method."""

    name: str
    estimator: Any
    space: Space | None = None
    inner: Any = None
    tuner: str | None = None
    budget: int | None = None
    rule: str | None = None
    is_builtin: bool = False
    is_default: bool = False  # is its space our own choice, to be fitted to the splits?

    @cached_property
    def names(self) -> dict[str, str]:
        """The user's parameter names, and the full names the estimator knows them by."""
        return {} if self.space is None else dict(self.space.resolve(self.estimator))

    def at(self, candidate: Mapping[str, Any]) -> Any:
        """The estimator with a candidate's parameters, not fitted."""
        from sklearn.base import clone

        estimator = clone(self.estimator)
        try:
            # values that are estimators are cloned, or candidates would write into one another's
            if candidate:
                estimator.set_params(
                    **{self.names[name]: clone(value, safe=False) for name, value in candidate.items()}
                )
        except ValueError as reason:
            raise BadSpace(f"learner {self.name!r} does not take {dict(candidate)}: {reason}") from reason
        return estimator


@dataclass(frozen=True)
class Named:
    """A built-in learner by name, with some of its parameters or ranges changed."""

    name: str
    changes: Mapping[str, Any] = field(default_factory=dict)


def learner(name: str, **changes: Any) -> Named:
    """A built-in learner with other ranges (lists, ranges) or fixed parameters (single values).

    >>> learner("k-nn", n_neighbors=range(1, 6))
    Named(name='k-nn', changes={'n_neighbors': range(1, 6)})
    """
    return Named(name, changes)
