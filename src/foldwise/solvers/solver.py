"""What a solver is: it answers many fits of one kind of estimator together, with the plain loop's numbers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from foldwise.arrays import AnyArray, IntArray
from foldwise.data.dataset import Dataset

Answer = dict[str, AnyArray]  # response -> values, in the form learners.model.respond gives them


@dataclass(frozen=True, eq=False)
class FitRequest:
    """Estimators to be fitted to one training set, all of them asked for the same."""

    estimators: tuple[Any, ...]  # not fitted; for families that scikit-learn itself fits, with their seeds set
    train: IntArray  # sorted row numbers; a bootstrap repeats rows
    rows: IntArray  # sorted rows to answer for
    responses: tuple[str, ...]  # of "predict", "predict_proba", "decision_function"


class Answered(NamedTuple):
    """What a solver has answered of one request; what it leaves out is left to the plain loop."""

    request: int  # its number among the requests
    places: Sequence[int]  # of the estimators in it
    responses: Answer  # with the estimators, in this order, on axis 0


class Solver(Protocol):
    """Answers a batch of fits together. Provisional: members may change in a minor version."""

    @property
    def name(self) -> str:
        """The family it answers for."""

    @property
    def batch(self) -> Literal["method", "train"]:
        """Fits that must be asked together: all of a method, or those of one training set."""

    @property
    def is_exact(self) -> bool:
        """Does it agree with the plain loop to 1e-10 (closed form), or to 1e-6 at tight tolerance (iterative)?"""

    def takes(self, estimator: Any, data: Dataset) -> bool:
        """Can it answer this estimator, at any candidate, on these data with the plain loop's numbers?"""

    def shares(self, estimator: Any) -> Hashable:
        """Fits whose estimators have equal values here are answered together."""

    def pays(self, requests: Sequence[FitRequest], data: Dataset) -> bool:
        """Would that be faster than the plain loop?"""

    def solve(self, requests: Sequence[FitRequest], data: Dataset) -> Iterator[Answered]:
        """Answers as they come, in any order."""


SolverOption = Literal["auto", "all", False] | tuple[Solver, ...]  # own solvers are asked before those of "auto"


class RequestPart(NamedTuple):
    """Estimators of a request that are answered together."""

    number: int  # of the request
    places: Sequence[int]  # of these estimators in it
    request: FitRequest  # with these estimators alone


def grouped_parts(requests: Sequence[FitRequest], key: Callable[[Any], Hashable]) -> list[list[RequestPart]]:
    """The estimators of all requests with equal keys together; a request whose keys differ is divided."""
    divided: dict[int, list[tuple[Hashable, list[int], tuple[Any, ...]]]] = {}  # most requests hold the same estimators
    groups: dict[Hashable, list[RequestPart]] = {}
    for number, request in enumerate(requests):
        estimators = request.estimators
        if id(estimators) not in divided:
            places_by_key: dict[Hashable, list[int]] = {}
            for place, estimator in enumerate(estimators):
                places_by_key.setdefault(key(estimator), []).append(place)
            divided[id(estimators)] = [
                (name, places, tuple([estimators[place] for place in places])) for name, places in places_by_key.items()
            ]
        shares = divided[id(estimators)]
        for name, places, some in shares:
            part = request if len(shares) == 1 else replace(request, estimators=some)
            groups.setdefault(name, []).append(RequestPart(number, places, part))
    return list(groups.values())


def rows_digest(rows: IntArray) -> bytes:
    """Equal for equal rows."""
    return blake2b(np.ascontiguousarray(rows).data, digest_size=16).digest()


def has_repeats(train: IntArray) -> bool:
    """Does a sorted training set hold a row more than once, as a bootstrap does?

    >>> has_repeats(np.array([0, 1, 1]))
    True
    """
    return bool((train[1:] == train[:-1]).any())


def any_of(many: Sequence[IntArray]) -> IntArray:
    """Rows that are in any of these sorted arrays, in order.

    >>> any_of([np.array([0, 4]), np.array([1, 4])]).tolist()
    [0, 1, 4]
    """
    is_in = np.zeros(max((int(rows[-1]) for rows in many if rows.size), default=-1) + 1, dtype=bool)
    for rows in many:
        is_in[rows] = True
    return np.flatnonzero(is_in)
