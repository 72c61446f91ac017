"""Training sets as searches for neighbours see them: what is asked of each, and its rows in the lists of all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.learners.estimators.distances import before_ties, distances
from foldwise.solvers.nearest.neighbour_lists import Index, Lists, first_in_order, first_places
from foldwise.solvers.nearest.neighbour_votes import Weighting
from foldwise.solvers.solver import RequestPart

Scale = tuple[FloatArray, FloatArray]  # what is taken off every column, and what it is divided by


@dataclass(frozen=True, eq=False)
class Asks:
    """What the fits of a training set ask for; most training sets are asked for the same."""

    ks: dict[Weighting, IntArray]
    fits: dict[Weighting, IntArray]  # the fits of a weighting
    places: dict[Weighting, IntArray]  # and the place of the k of each
    able: IntArray  # fits that ask for no more neighbours than there are


@dataclass(eq=False)
class Votes:
    """What one weighting is asked for on one training set, filled in block by block."""

    ks: IntArray
    answers: dict[str, AnyArray]  # response -> k x rows (x classes)
    is_doubtful: Any  # by k: must the plain loop do it?


@dataclass(frozen=True, eq=False)
class Search:
    """Where lists come from: the index of all rows, and how they are scaled there."""

    index: Index
    spread: FloatArray
    longest: float  # how much longer the lists are at most


@dataclass(eq=False)
class TrainingSet:
    """One training set, and what is asked of it."""

    part: RequestPart
    asks: Asks
    is_kept: Any  # of all rows
    width: int  # neighbours looked at: the largest k, or one more to see ties
    longer: float  # how much longer lists are looked at, as it scales the columns in its own way
    shift: FloatArray
    spread: FloatArray
    votes: dict[Weighting, Votes] = field(default_factory=dict)
    tree: Any = None  # scikit-learn's, if ties ask for it

    @property
    def train(self) -> IntArray:
        return self.part.request.train

    @property
    def rows(self) -> IntArray:
        return self.part.request.rows

    @property
    def names(self) -> tuple[str, ...]:
        return self.part.request.responses

    def table(self, X: FloatArray) -> FloatArray:
        """Rows as this training set scales them."""
        return (X - self.shift) / self.spread


class Together:
    """Training sets that are asked for the same, and all their rows, one training set after the other."""

    def __init__(self, parts: Sequence[RequestPart], scales: Sequence[Scale], longer: Sequence[float]) -> None:
        self.parts, self.scales, self.longer = parts, scales, longer
        asked = [part.request.rows for part in parts]
        self.rows = np.concatenate(asked)
        self.ends = [0, *accumulate(rows.size for rows in asked)]
        self.owner = np.repeat(np.arange(len(parts)), np.diff(self.ends))  # the training set of every row
        self.sizes = np.array([part.request.train.size for part in parts])
        self.shift = np.array([shift for shift, _ in scales])
        self.spread = np.array([spread for _, spread in scales])

    def is_kept(self, rows: int) -> Any:
        """By training set and row of the data."""
        found = np.zeros((len(self.parts), rows), bool)
        for own, part in zip(found, self.parts, strict=True):
            own[part.request.train] = True
        return found


class Walk:
    """Walks lists for the rows of many training sets at once.

    A row of a training set is numbered as one of a table that holds all rows once for every training set.
    """

    def __init__(self, sets: Together, X: FloatArray, p: float, width: int) -> None:
        self.sets, self.p, self.width = sets, p, width
        self.first_row = np.arange(len(sets.parts)) * len(X)  # of every training set
        self.is_kept = sets.is_kept(len(X)).ravel()
        self.table = ((X - sets.shift[:, None, :]) / sets.spread[:, None, :]).reshape(-1, X.shape[1])

    def first(
        self, some: IntArray, lists: Lists, places: IntArray, spread: FloatArray, most: int, length: int
    ) -> tuple[Lists, AnyArray]:
        """Neighbours of these of the rows, neighbour by row, and where lists run short; not more is looked at."""
        sets, owner = self.sets, self.sets.owner[some]
        most, first_row = min(most, sets.sizes.min(), lists.near.shape[1]), self.first_row[owner]
        listed = lists.near[:, :length][places]
        listed += first_row[:, None]
        at, is_short = first_places(self.is_kept.take(listed), most)
        near, cells = listed.ravel().take(at), at[:, -1] - np.arange(some.size) * listed.shape[1]
        reach = lists.distance[places, cells.clip(0, listed.shape[1] - 1)]
        is_short |= reach > lists.reach[places]
        reach = np.where(sets.sizes[owner] > most, before_ties(reach, self.table.shape[1]), np.inf)
        gaps = distances(self.table[first_row + sets.rows[some]], self.table, near, self.p)
        found = first_in_order(gaps, near, self.width)
        found.near[...] -= first_row
        is_short |= found.reach > reach * (spread / sets.spread).min(axis=1)[owner]
        return found, is_short
