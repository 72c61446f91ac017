"""Rows whose neighbours tie: which of them scikit-learn takes, and where that hangs on its rounding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.learners.estimators.distances import EPSILON, norm_error, squared_norms
from foldwise.solvers.nearest.neighbour_lists import Lists
from foldwise.solvers.nearest.neighbour_votes import Target, Weighting, running_answers, tied_boundaries
from foldwise.solvers.nearest.training_sets import TrainingSet, Votes
from foldwise.solvers.steps import Scaling

NEAREST = 1e-11  # relative error of a squared distance that inverse weights may have


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
