"""The nearest rows of every row, found once, and walked for any training part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray, IntArray

TREE_COLUMNS = 7  # with more columns a tree looks at almost every row, and brute force is faster
EPSILON = float(np.finfo(np.float64).eps)
POWERS = {"euclidean": 2.0, "l2": 2.0, "manhattan": 1.0, "l1": 1.0, "cityblock": 1.0, "chebyshev": float("inf")}


def power(core: Any) -> float | None:
    """The exponent of a Minkowski distance, or None where the distance is another.

    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> power(KNeighborsRegressor(p=1))
    1.0
    """
    if core.metric_params is not None or not isinstance(core.metric, str):
        return None
    if core.metric == "minkowski":
        return float(core.p) if isinstance(core.p, int | float | np.number) and core.p >= 1 else None
    return POWERS.get(core.metric)


def rounding(X: FloatArray) -> FloatArray:
    """By row: how wrong a squared distance from it may be when it is computed from norms and products."""
    squares = np.einsum("ij,ij->i", X, X)
    return np.asarray(4 * (X.shape[1] + 4) * EPSILON * (squares + squares.max(initial=0.0)))


@dataclass(frozen=True, eq=False)
class Lists:
    """For each asked row, the nearest of the indexed rows in order; every one within `reach` is among them."""

    near: IntArray  # asked x length
    distance: FloatArray
    reach: FloatArray  # asked

    def at(self, places: IntArray) -> Lists:
        return Lists(self.near[places], self.distance[places], self.reach[places])


class Index:
    """Finds nearest rows among those it was made of."""

    def __init__(self, X: FloatArray, p: float) -> None:
        self.X, self.p = X, p
        self.is_tree = X.shape[1] <= TREE_COLUMNS
        self._searcher: Any = None

    def search(self, asked: FloatArray, count: int) -> Lists:
        """The `count` nearest of every asked row."""
        count = min(count, len(self.X))
        if self.is_tree:
            distance, near = self._by_tree(asked, count)
            reach = distance[:, -1]
        else:
            distance, near = self._by_force(asked, count)
            reach = np.sqrt(np.maximum(distance[:, -1] ** 2 - rounding(asked).max(), 0.0))
        return Lists(near, distance, reach if count < len(self.X) else np.full(len(asked), np.inf))

    def _by_tree(self, asked: FloatArray, count: int) -> tuple[FloatArray, IntArray]:
        if self._searcher is None:
            from scipy.spatial import cKDTree

            self._searcher = cKDTree(self.X)
        distance, near = self._searcher.query(asked, k=np.arange(1, count + 1), p=self.p)
        return distance, near.astype(np.int64, copy=False)

    def _by_force(self, asked: FloatArray, count: int) -> tuple[FloatArray, IntArray]:
        if self._searcher is None:
            from sklearn.neighbors import NearestNeighbors

            self._searcher = NearestNeighbors(algorithm="brute", p=self.p).fit(self.X)
        near = self._searcher.kneighbors(asked, count, return_distance=False)
        return in_order(distances(asked, self.X, near, self.p), near)


def distances(asked: FloatArray, X: FloatArray, near: IntArray, p: float) -> FloatArray:
    """Distances of every asked row to the rows of its list, from the differences themselves."""
    whole = np.zeros(near.shape)
    for here, there in zip(np.ascontiguousarray(asked.T), np.ascontiguousarray(X.T), strict=True):
        gap = there[near]
        gap -= here[:, None]
        if p == 2:
            gap *= gap
        else:
            np.abs(gap, out=gap)
            gap = gap if p == 1 or np.isinf(p) else gap**p
        whole = np.maximum(whole, gap, out=whole) if np.isinf(p) else np.add(whole, gap, out=whole)
    if p == 2:
        return np.sqrt(whole, out=whole)
    return whole if p == 1 or np.isinf(p) else whole ** (1 / p)


def in_order(distance: FloatArray, near: IntArray) -> tuple[FloatArray, IntArray]:
    """Each list by distance, equal ones as they stood."""
    order = np.argsort(distance, axis=1, kind="stable")
    return np.take_along_axis(distance, order, axis=1), np.take_along_axis(near, order, axis=1)


def list_length(most: int, share: float) -> int:
    """How long lists must be to hold `most` training rows for nearly every row, at this held-out share.

    >>> list_length(30, 0.0)
    31
    """
    kept = max(1.0 - share, 0.02)
    return int(np.ceil(most / kept + 4.0 * np.sqrt(most * (1.0 - kept)) / kept)) + 1


def first_kept(lists: Lists, is_kept: Any, most: int) -> tuple[Lists, Any]:
    """The first `most` training rows of every list, and which lists run short of them."""
    kept = is_kept[lists.near]
    seen = np.cumsum(kept, axis=1, dtype=np.int32)
    is_short = seen[:, -1] < most
    kept &= seen <= most
    if is_short.any():
        kept[is_short] = np.arange(kept.shape[1]) < most  # anything, so that every row has as many
    at = np.flatnonzero(kept)
    shape = (len(kept), most)
    distance = lists.distance.ravel()[at].reshape(shape)
    is_short |= distance[:, -1] > lists.reach
    return Lists(lists.near.ravel()[at].reshape(shape), distance, distance[:, -1]), is_short
