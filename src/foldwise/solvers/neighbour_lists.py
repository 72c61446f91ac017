"""The nearest rows of every row, found once, and walked for any training part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.recipes.distances import before_ties, distances, in_order, norm_error, squared_norms

KEPT = 500_000  # neighbours that are remembered from one call to the next
TREE_COLUMNS = 7  # with more columns a tree looks at almost every row, and brute force is faster


@dataclass(frozen=True, eq=False)
class Lists:
    """For each asked row, the nearest of the indexed rows in order; every one nearer than `reach` is among them."""

    near: IntArray  # asked x length
    distance: FloatArray
    reach: FloatArray  # by asked row; rows at this very distance may be missing

    def at(self, places: IntArray) -> Lists:
        return Lists(self.near[places], self.distance[places], self.reach[places])


class Index:
    """Finds nearest rows among those it was made of."""

    def __init__(self, X: FloatArray, p: float, *, is_by_row: bool = False) -> None:
        self.X, self.p, self.is_by_row = X, p, is_by_row
        self.is_tree = X.shape[1] <= TREE_COLUMNS
        self._searcher: Any = None
        self._largest = 0.0  # squared norm
        self._kept: tuple[IntArray, Lists] | None = None

    def of(self, rows: IntArray, count: int) -> Lists:
        """At least the `count` nearest of these of its own rows; short lists are kept for the next who asks."""
        if self._kept is not None and self._kept[1].near.shape[1] >= min(count, len(self.X)):
            known, lists = self._kept
            places = np.searchsorted(known, rows).clip(max=known.size - 1)
            if (known[places] == rows).all():
                return lists.at(places)
        found = self.search(self.X[rows], count)
        if found.near.size <= KEPT:
            self._kept = rows, found
        return found

    def search(self, asked: FloatArray, count: int) -> Lists:
        """The `count` nearest of every asked row; where ties matter, by distance, then row."""
        count = min(count, len(self.X))
        if self.is_tree:
            distance, near = self._by_tree(asked, count)
            reach = distance[:, -1]
        else:
            distance, near = self._by_force(asked, count)
            error = norm_error(squared_norms(asked) + self._largest, self.X.shape[1])
            reach = np.sqrt(np.maximum(distance[:, -1] ** 2 - error, 0.0))
        if self.is_by_row:
            reach = before_ties(reach, self.X.shape[1])
        return Lists(near, distance, reach if count < len(self.X) else np.full(len(asked), np.inf))

    def _by_tree(self, asked: FloatArray, count: int) -> tuple[FloatArray, IntArray]:
        if self._searcher is None:
            from scipy.spatial import cKDTree

            self._searcher = cKDTree(self.X)
        distance, near = self._searcher.query(asked, k=np.arange(1, count + 1), p=self.p)
        near = near.astype(np.int64, copy=False)
        return in_order(distances(asked, self.X, near, self.p), near) if self.is_by_row else (distance, near)

    def _by_force(self, asked: FloatArray, count: int) -> tuple[FloatArray, IntArray]:
        if self._searcher is None:
            from sklearn.neighbors import NearestNeighbors

            self._searcher = NearestNeighbors(algorithm="brute", p=self.p).fit(self.X)
            self._largest = float(squared_norms(self.X).max(initial=0.0))
        near = self._searcher.kneighbors(asked, count, return_distance=False)
        return in_order(distances(asked, self.X, near, self.p), near)


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
