"""k-nearest neighbours whose ties in distance are broken by the order of the training rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors
from sklearn.utils.validation import check_is_fitted, validate_data

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.learners.estimators.distances import (
    before_ties,
    distances,
    in_order,
    norm_error,
    power,
    sparse_distances,
    squared_norms,
)

BLOCK = 2_000_000  # neighbours in one block
LONGER = 4  # lists that end in a tie are made so many times longer


class RowOrder:
    """Neighbours in the order of their distance, then of their place among the training rows.

    Distances are summed from the differences, column after column. Those other than Minkowski's, and neighbours
    given by the user, are left to scikit-learn.
    """

    def kneighbors(self: Any, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """The nearest training rows of every row; of the training rows themselves, each without itself, for None."""
        check_is_fitted(self, "_fit_method")
        if power(self) is None:
            return super().kneighbors(X, n_neighbors, return_distance)  # type: ignore[misc]
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        search = Search(self)
        if X is None:
            distance, near = without_self(*search.nearest(self._fit_X, k + 1))
        else:
            distance, near = search.nearest(validate_data(self, X, accept_sparse="csr", reset=False, order="C"), k)
        return (distance, near) if return_distance else near


class NearestRegressor(RowOrder, KNeighborsRegressor):  # type: ignore[misc]
    """The mean target of the k nearest rows; of rows at one distance, the first come first.

    >>> NearestRegressor(1).fit([[0.0], [2.0]], [10.0, 20.0]).predict([[1.0]]).tolist()
    [10.0]
    """


class NearestClassifier(RowOrder, KNeighborsClassifier):  # type: ignore[misc]
    """The most frequent class of the k nearest rows; of rows at one distance, the first come first.

    >>> NearestClassifier(1).fit([[0.0], [2.0]], ["b", "a"]).predict([[1.0]]).tolist()
    ['b']
    """

    def predict_proba(self, X: Any) -> Any:
        """Shares of the classes among the neighbours, in the order of `classes_`."""
        if self.weights != "uniform" or getattr(self, "outputs_2d_", True):
            return super().predict_proba(X)
        # scikit-learn counts equal votes of a brute search without asking for the neighbours
        votes = self._y[self.kneighbors(X, return_distance=False)]
        places = np.arange(len(votes))[:, None] * self.classes_.size + votes
        counts = np.bincount(places.ravel(), minlength=len(votes) * self.classes_.size)
        return counts.reshape(len(votes), -1) / votes.shape[1]


class Search:
    """Finds the first rows by distance, then row, among those a model was fitted to."""

    def __init__(self, model: Any) -> None:
        kind = model._fit_method
        made = NearestNeighbors(algorithm=kind, leaf_size=model.leaf_size, metric=model.metric, p=model.p)
        self.table, self.p, self.is_tree = model._fit_X, power(model) or 2.0, kind != "brute"
        self.finder = made.set_params(n_jobs=model.n_jobs).fit(self.table if model._tree is None else model._tree)
        self.rows = self.table.shape[0]

    def nearest(self, asked: Any, k: Any) -> tuple[FloatArray, IntArray]:
        """Distances and places of the first k; lists that end in a tie are looked up again, longer."""
        count = k + 1 if isinstance(k, int | np.integer) and 0 < k < self.rows else k
        left, total = np.arange(asked.shape[0]), asked.shape[0]
        self.finder.kneighbors(asked[:1], count)  # what is no count is refused here
        distance, near = np.empty((total, k)), np.empty((total, k), np.int64)
        while left.size:
            is_open = np.zeros(left.size, bool)
            step = max(BLOCK // count, 1)
            for start in range(0, left.size, step):
                some = left[start : start + step]
                found, places = self.listed(asked[some], count)
                distance[some], near[some] = found[:, :k], places[:, :k]
                is_open[start : start + step] = self.ends_in_tie(asked[some], found, k)
            left, count = left[is_open], min(LONGER * count, self.rows)
        return distance, near

    def listed(self, asked: Any, count: int) -> tuple[FloatArray, IntArray]:
        """As many neighbours of each row, in order."""
        near = self.finder.kneighbors(asked, count, return_distance=False).astype(np.int64, copy=False)
        is_dense = isinstance(asked, np.ndarray) and isinstance(self.table, np.ndarray)
        return in_order((distances if is_dense else sparse_distances)(asked, self.table, near, self.p), near)

    def ends_in_tie(self, asked: Any, distance: FloatArray, k: int) -> AnyArray:
        """Might a row that was not listed be as near as the k-th?"""
        if distance.shape[1] == self.rows:
            return np.zeros(len(distance), bool)
        kth, last = distance[:, k - 1], distance[:, -1]
        columns = self.table.shape[1]
        if self.is_tree or self.p != 2:
            return np.asarray(kth >= before_ties(last, columns))
        squares = squared_norms(asked) + squared_norms(self.table).max(initial=0.0)
        return np.asarray(kth**2 >= before_ties(last**2 - norm_error(squares, columns), columns))


def without_self(distance: FloatArray, near: IntArray) -> tuple[FloatArray, IntArray]:
    """Lists of the training rows, each without itself, or without its last where duplicates crowd it out."""
    is_self = near == np.arange(len(near))[:, None]
    is_self[~is_self.any(axis=1), -1] = True
    shape = (len(near), near.shape[1] - 1)
    return distance[~is_self].reshape(shape), near[~is_self].reshape(shape)
