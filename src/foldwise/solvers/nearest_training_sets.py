"""Training sets as searches for neighbours see them: what is asked of each, its rows in the lists, and its ties."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.learners.estimators.distances import EPSILON, before_ties, distances, norm_error, squared_norms
from foldwise.solvers.nearest_lists import Index, Lists, first_in_order, first_places
from foldwise.solvers.nearest_votes import Target, Weighting, running_answers, tied_boundaries
from foldwise.solvers.scaling import Scaling
from foldwise.solvers.solver import RequestPart

Scale = tuple[FloatArray, FloatArray]  # what is taken off every column, and what it is divided by
NEAREST = 1e-11  # relative error of a squared distance that inverse weights may have


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


class Ties:
    """Settles ties between neighbours for one estimator of scikit-learn's, training set by training set."""

    def __init__(self, final: Any, scaling: Scaling, X: FloatArray, p: float, target: Target) -> None:
        self.final, self.scaling, self.X, self.p, self.target = final, scaling, X, p, target
        self._plain_error: FloatArray | None = None

    def settle(self, part: TrainingSet, slot: slice, rows: IntArray, near: Lists, *, is_sure: bool) -> None:
        """Answer rows whose neighbours tie as scikit-learn's tree has it; what hangs on its rounding is in doubt."""
        is_forced = self._is_by_force(np.arange(1, part.width + 1), part.train.size)
        is_open, is_tiny = self._open(part, rows, near, is_forced, is_sure=is_sure)
        columns = np.flatnonzero(is_open.any(axis=0))
        for weighting, votes in part.votes.items():
            if is_tiny and weighting == "distance":
                votes.is_doubtful |= is_forced[votes.ks - 1]
            for at in np.flatnonzero(np.isin(votes.ks - 1, columns)).tolist():
                k = int(votes.ks[at])
                if is_forced[k - 1]:
                    votes.is_doubtful[at] = True
                else:
                    self._as_tree(part, votes, weighting, at, slot, rows, np.flatnonzero(is_open[:, k - 1]))

    def _open(
        self, part: TrainingSet, rows: IntArray, near: Lists, is_forced: Any, *, is_sure: bool
    ) -> tuple[Any, bool]:
        """By row and k: might scikit-learn choose other neighbours? And is some distance it computes all rounding?"""
        distance, values = near.distance, self.target.values[near.near]
        is_whole = part.width == part.train.size
        tied = distance[:, 1:] - distance[:, :-1] <= 4 * (self.X.shape[1] + 4) * EPSILON * distance[:, 1:]
        is_open, is_tiny = tied_boundaries(tied, values, is_whole=is_whole), False
        if self.p == 2 and (is_forced.any() or not is_sure):
            error = self._error(part, rows)[:, None]
            squares = distance**2
            is_wide = is_forced[:-1] if is_sure else np.ones(part.width - 1, bool)
            wide = tied_boundaries(np.diff(squares, axis=1) <= error, values, is_whole=is_whole)
            is_open = np.where(is_wide, wide, is_open)
            is_tiny = bool((squares[:, :1] * NEAREST < error).any())
        return is_open, is_tiny

    def _error(self, part: TrainingSet, rows: IntArray) -> FloatArray:
        """By row: how wrong squared distances computed from norms may be."""
        if self.scaling == Scaling():
            if self._plain_error is None:
                self._plain_error = _rounding(self.X)
            return self._plain_error[rows]
        return _rounding(part.table(self.X))[rows]

    def _is_by_force(self, ks: IntArray, train: int) -> Any:
        """By k: does scikit-learn look at every row?"""
        if self.final.algorithm == "auto":
            return (ks >= train // 2) | (self.X.shape[1] > 15)
        return np.full(ks.size, self.final.algorithm == "brute")

    def _as_tree(
        self,
        part: TrainingSet,
        votes: Votes,
        weighting: Weighting,
        at: int,
        slot: slice,
        rows: IntArray,
        places: IntArray,
    ) -> None:
        """Rows whose neighbours tie, with the neighbours that scikit-learn's tree finds."""
        k, table = votes.ks[at : at + 1], part.table if self.scaling != Scaling() else np.asarray
        distance, near = self._tree(part, table).kneighbors(table(self.X[rows[places]]), int(k[0]))
        answers, close = running_answers(self.target, part.train[near].T, distance.T, weighting, part.names, k)
        for name, found in answers.items():
            votes.answers[name][at, slot.start + places] = found[0]
        votes.is_doubtful[at] |= close is not None and close.any()

    def _tree(self, part: TrainingSet, table: Callable[[FloatArray], FloatArray]) -> Any:
        """scikit-learn's own tree of a training set, as its estimator makes it."""
        from sklearn.neighbors import NearestNeighbors

        if part.tree is None:
            final, kind = self.final, "kd_tree" if self.final.algorithm == "auto" else self.final.algorithm
            tree = NearestNeighbors(algorithm=kind, leaf_size=final.leaf_size, metric=final.metric, p=final.p)
            part.tree = tree.fit(table(self.X[part.train]))
        return part.tree


def _rounding(X: FloatArray) -> FloatArray:
    """By row: how wrong its squared distance from any other may be, computed from norms."""
    squares = squared_norms(X)
    return norm_error(squares + squares.max(initial=0.0), X.shape[1])
