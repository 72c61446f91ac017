"""Training sets as searches for neighbours see them: what is asked of each, its rows in the lists, and its ties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.learners.estimators.distances import EPSILON, norm_error, squared_norms
from foldwise.solvers.nearest_lists import Index, Lists
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
    votes: dict[Weighting, Votes]
    is_kept: Any  # of all rows
    width: int  # neighbours looked at: the largest k, or one more to see ties
    longer: float  # how much longer lists are looked at, as it scales the columns in its own way
    shift: FloatArray
    spread: FloatArray
    tree: Any = None  # scikit-learn's, if ties ask for it

    @property
    def train(self) -> IntArray:
        return self.part.request.train

    @property
    def rows(self) -> IntArray:
        return self.part.request.rows

    def table(self, X: FloatArray) -> FloatArray:
        """Rows as this training set scales them."""
        return (X - self.shift) / self.spread


class Ties:
    """Settles ties between neighbours for one estimator of scikit-learn's, training set by training set."""

    def __init__(self, final: Any, scaling: Scaling, X: FloatArray, p: float, target: Target) -> None:
        self.final, self.scaling, self.X, self.p, self.target = final, scaling, X, p, target
        self._plain_error: FloatArray | None = None

    def settle(self, training_set: TrainingSet, slot: slice, rows: IntArray, near: Lists, *, is_sure: bool) -> None:
        """Answer rows whose neighbours tie as scikit-learn's tree has it; what hangs on its rounding is in doubt."""
        ks, size = np.arange(1, training_set.width + 1), training_set.train.size
        if self.final.algorithm == "auto":
            is_by_force = (ks >= size // 2) | (self.X.shape[1] > 15)  # does scikit-learn look at every row, by k?
        else:
            is_by_force = np.full(ks.size, self.final.algorithm == "brute")
        is_open, is_tiny = self._open(training_set, rows, near, is_by_force, is_sure=is_sure)
        columns = np.flatnonzero(is_open.any(axis=0))
        for weighting, votes in training_set.votes.items():
            if is_tiny and weighting == "distance":
                votes.is_doubtful |= is_by_force[votes.ks - 1]
            for at in np.flatnonzero(np.isin(votes.ks - 1, columns)).tolist():
                k = int(votes.ks[at])
                if is_by_force[k - 1]:
                    votes.is_doubtful[at] = True
                    continue
                places = np.flatnonzero(is_open[:, k - 1])
                answers, close = self._as_tree(training_set, weighting, k, rows[places])
                for name, values in answers.items():
                    votes.answers[name][at, slot.start + places] = values[0]
                votes.is_doubtful[at] |= close is not None and close.any()

    def _open(
        self, training_set: TrainingSet, rows: IntArray, near: Lists, is_by_force: Any, *, is_sure: bool
    ) -> tuple[Any, bool]:
        """By row and k: might scikit-learn choose other neighbours? And is some distance it computes all rounding?"""
        distance, values = near.distance, self.target.values[near.near]
        is_whole = training_set.width == training_set.train.size
        tied = distance[:, 1:] - distance[:, :-1] <= 4 * (self.X.shape[1] + 4) * EPSILON * distance[:, 1:]
        is_open, is_tiny = tied_boundaries(tied, values, is_whole=is_whole), False
        if self.p == 2 and (is_by_force.any() or not is_sure):
            error = self._error(training_set)[rows, None]
            squares = distance**2
            is_wide = is_by_force[:-1] if is_sure else np.ones(training_set.width - 1, bool)
            wide = tied_boundaries(np.diff(squares, axis=1) <= error, values, is_whole=is_whole)
            is_open = np.where(is_wide, wide, is_open)
            is_tiny = bool((squares[:, :1] * NEAREST < error).any())
        return is_open, is_tiny

    def _error(self, training_set: TrainingSet) -> FloatArray:
        """By row of the data: how wrong its squared distance from any other may be, computed from norms."""
        if self.scaling == Scaling() and self._plain_error is not None:
            return self._plain_error
        X = self.X if self.scaling == Scaling() else training_set.table(self.X)
        squares = squared_norms(X)
        error = norm_error(squares + squares.max(initial=0.0), X.shape[1])
        if self.scaling == Scaling():
            self._plain_error = error
        return error

    def _as_tree(
        self, training_set: TrainingSet, weighting: Weighting, k: int, rows: IntArray
    ) -> tuple[dict[str, AnyArray], Any]:
        """What rows answer with the neighbours that scikit-learn's own tree of the training set finds."""
        from sklearn.neighbors import NearestNeighbors

        table = np.asarray if self.scaling == Scaling() else training_set.table
        train, final = training_set.train, self.final
        if training_set.tree is None:
            kind = "kd_tree" if final.algorithm == "auto" else final.algorithm
            tree = NearestNeighbors(algorithm=kind, leaf_size=final.leaf_size, metric=final.metric, p=final.p)
            training_set.tree = tree.fit(table(self.X[train]))
        distance, near = training_set.tree.kneighbors(table(self.X[rows]), k)
        names = training_set.part.request.responses
        return running_answers(self.target, train[near].T, distance.T, weighting, names, np.array([k]))
