"""What a solver is: it answers many fits of one kind of estimator together, with the plain loop's numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, Literal, Protocol, TypeAlias, overload

from foldwise.arrays import AnyArray, IntArray
from foldwise.data.dataset import Dataset

Answer = dict[str, AnyArray]  # response -> values, in the form learners.model.respond gives them


@dataclass(frozen=True, eq=False)
class FitRequest:
    """One fit asked of a solver."""

    estimator: Any  # not fitted; for families that scikit-learn itself fits, with its seeds set
    train: IntArray  # sorted row numbers; a bootstrap repeats rows
    rows: IntArray  # sorted rows to answer for
    responses: tuple[str, ...]  # of "predict", "predict_proba", "decision_function"


@dataclass(frozen=True, eq=False)
class RequestBlock:
    """Fits of several estimators to one training set, which are asked for the same."""

    estimators: tuple[Any, ...]
    train: IntArray
    rows: IntArray
    responses: tuple[str, ...]

    def request(self, at: int) -> FitRequest:
        """One of the fits."""
        return FitRequest(self.estimators[at], self.train, self.rows, self.responses)


BlockAnswer: TypeAlias = tuple[int, Sequence[int], Answer]  # a block, places in it, and responses by place on axis 0


class Requests(Sequence[FitRequest]):
    """Fits asked of a solver, in blocks; each is made when it is asked for."""

    def __init__(self, blocks: Iterable[RequestBlock]) -> None:
        self.blocks = list(blocks)

    def __len__(self) -> int:
        return self.ends[-1] if self.blocks else 0

    def __iter__(self) -> Iterator[FitRequest]:
        for block in self.blocks:
            yield from map(block.request, range(len(block.estimators)))

    @overload
    def __getitem__(self, at: int) -> FitRequest: ...

    @overload
    def __getitem__(self, at: slice) -> list[FitRequest]: ...

    def __getitem__(self, at: int | slice) -> FitRequest | list[FitRequest]:
        return self._every[at]

    @cached_property
    def ends(self) -> list[int]:
        """Where the next block begins."""
        return list(accumulate(len(block.estimators) for block in self.blocks))

    @cached_property
    def _every(self) -> list[FitRequest]:
        return list(self)


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

    def pays(self, fits: Sequence[FitRequest], data: Dataset) -> bool:
        """Would that be faster than the plain loop?"""

    def solve(self, fits: Sequence[FitRequest], data: Dataset) -> list[Answer | None]:
        """Answers in the order of the fits; None where the plain loop must do it."""


SolverOption = Literal["auto", "all", False] | tuple[Solver, ...]  # own solvers are asked before those of "auto"
