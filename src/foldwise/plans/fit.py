"""One fit, fits of one training set in one value, and batches of fits."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TypeAlias, overload

from foldwise.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class MemberPredictions:
    """What the members of a blend predicted: `learn[train row]` to find the weights, `answer[row]` to predict."""

    learn: FloatArray
    answer: FloatArray


@dataclass(frozen=True, eq=False)
class Fit:
    """One learner at one candidate, the rows to train on and the rows to answer for."""

    key: str
    method: int
    candidate: int
    train: IntArray
    rows: IntArray
    responses: tuple[str, ...]
    seed: int
    point: tuple[int, tuple[float, ...]] | None = None  # of a candidate that a search proposed
    members: MemberPredictions | None = None  # of a final learner: its table in place of the data

    @property
    def keys(self) -> tuple[str, ...]:
        return (self.key,)

    @property
    def first(self) -> Fit:
        return self


@dataclass(frozen=True, eq=False)
class FitBlock:
    """Fits of several candidates of a method on one training set, which are asked for the same.

    With many candidates and very many training sets a value for each fit would cost more than the fit.
    """

    keys: tuple[str, ...]
    method: int
    candidates: tuple[int, ...]
    train: IntArray
    rows: IntArray
    responses: tuple[str, ...]
    seed: int
    training_set: str  # the name of the training rows

    @property
    def first(self) -> Fit:
        return self.fit(0)

    def fit(self, at: int) -> Fit:
        """One of the fits."""
        return Fit(self.keys[at], self.method, self.candidates[at], self.train, self.rows, self.responses, self.seed)

    def at(self, places: Sequence[int], candidates: tuple[int, ...]) -> FitBlock:
        """Some of the fits; those of these candidates."""
        keys = tuple([self.keys[place] for place in places])
        return FitBlock(
            keys, self.method, candidates, self.train, self.rows, self.responses, self.seed, self.training_set
        )


FitPart: TypeAlias = Fit | FitBlock


class Fits(Sequence[Fit]):
    """Fits in order, some of them in blocks; each is made when it is asked for.

    >>> import numpy as np
    >>> block = FitBlock(("a", "b"), 0, (3, 4), np.arange(2), np.arange(1), ("predict",), 7, "rows")
    >>> fits = Fits([block.first, block])
    >>> len(fits), fits[2].candidate, [fit.key for fit in fits]
    (3, 4, ['a', 'a', 'b'])
    """

    def __init__(self, parts: Iterable[FitPart]) -> None:
        self.parts = tuple(parts)

    def __len__(self) -> int:
        return self._ends[-1] if self.parts else 0

    def __iter__(self) -> Iterator[Fit]:
        for part in self.parts:
            if isinstance(part, FitBlock):
                yield from map(part.fit, range(len(part.keys)))
            else:
                yield part

    @overload
    def __getitem__(self, at: int) -> Fit: ...

    @overload
    def __getitem__(self, at: slice) -> list[Fit]: ...

    def __getitem__(self, at: int | slice) -> Fit | list[Fit]:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        at = range(len(self))[at]
        number = bisect_right(self._ends, at)
        part = self.parts[number]
        return part.fit(at - (self._ends[number] - len(part.keys))) if isinstance(part, FitBlock) else part

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(len(part.keys) for part in self.parts))


def parts_of(fits: Sequence[Fit]) -> Sequence[FitPart]:
    """The fits, as far as they come in blocks by these."""
    return fits.parts if isinstance(fits, Fits) else fits


class FitsTogether(Fits):
    """Single fits to one training set that are asked for the same, as a block of them would be."""

    parts: tuple[Fit, ...]
    training_set = ""  # it is not named

    @property
    def first(self) -> Fit:
        return self.parts[0]

    @property
    def method(self) -> int:
        return self.first.method

    @property
    def train(self) -> IntArray:
        return self.first.train

    @property
    def rows(self) -> IntArray:
        return self.first.rows

    @property
    def responses(self) -> tuple[str, ...]:
        return self.first.responses

    @cached_property
    def keys(self) -> tuple[str, ...]:
        return tuple([fit.key for fit in self.parts])

    def fit(self, at: int) -> Fit:
        """One of the fits."""
        return self.parts[at]


def fits_together(parts: Iterable[FitPart]) -> list[FitBlock | FitsTogether]:
    """Fits by their training set and what they are asked for: solvers answer the same, however the fits came."""
    found: dict[tuple[int, int, int, tuple[str, ...]], list[Fit]] = {}
    blocks: list[FitBlock | FitsTogether] = []
    for part in parts:
        if isinstance(part, FitBlock):
            blocks.append(part)
        else:
            name = (part.method, id(part.train), id(part.rows), part.responses)
            found.setdefault(name, []).append(part)
    return blocks + [FitsTogether(fits) for fits in found.values()]


class SharedBatch(Fits):
    """Fits of one method that a solver does at once."""


Batch: TypeAlias = tuple[Fit, ...] | SharedBatch
