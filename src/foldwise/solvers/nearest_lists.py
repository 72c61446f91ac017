"""The nearest rows of every row, found once, and walked for any training set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.learners.estimators.distances import before_ties, distances, in_order, norm_error, squared_norms

EPSILON = float(np.finfo(np.float32).eps)
SAMPLE = 1_000  # rows by which the radius of every search is guessed
ROWS, COLUMNS = 256, 1_024  # of a block: small enough for the cache
MOST = 12  # times as many rows found as asked for: then a row is searched the other way
SHARP = 0.02  # of the largest squared distance in a list, that rounding may hide
WORTH = 20_000_000  # distances; with fewer of them the sample costs too much
LEAF = 32  # rows in a leaf of the tree
TREE_COLUMNS = 7  # with more columns a tree looks at almost every row, and brute force is faster


@dataclass(frozen=True, eq=False)
class NearRows:
    """Rows near every asked row, in no order, and the largest rounding of its squared distances."""

    near: IntArray  # asked x count
    error: FloatArray
    is_sure: AnyArray  # by asked row; of the others nothing is known


class QuickSearch:
    """Finds near rows in Euclidean distance: single precision tells which rows are far away, and most of them are.

    Squared distances come from products of tables, block by block. How far to look from a row is guessed from a
    sample, so that of a block only the few cells below zero are ever looked at again.
    """

    def __init__(self, X: FloatArray) -> None:
        self.centre = X.mean(axis=0)
        table = X - self.centre
        squares = np.einsum("ij,ij->i", table, table)
        self.size = float(np.sqrt(squares.max(initial=0.0))) or 1.0
        rows, columns = X.shape
        self.others: AnyArray = np.empty((columns + 2, rows), dtype=np.float32)
        self.others[:-2] = table.T / self.size
        self.others[-2] = squares / self.size**2
        self.others[-1] = 1.0
        some = np.random.default_rng(0).permutation(rows)[:SAMPLE]
        self.sample = np.ascontiguousarray(self.others[:, some])

    def search(self, asked: FloatArray, count: int) -> NearRows:
        """The `count` nearest rows of each, up to rounding."""
        table = (asked - self.centre) / self.size
        squares = np.einsum("ij,ij->i", table, table)
        # products of these with the others are squared distances
        factors: AnyArray = np.ones((len(asked), table.shape[1] + 2), dtype=np.float32)
        factors[:, :-2] = -2.0 * table
        factors[:, -1] = squares
        error = 4 * (table.shape[1] + 6) * EPSILON * (1.0 + squares) * self.size**2
        rows = NearRows(np.zeros((len(asked), count), dtype=np.int64), error, np.zeros(len(asked), dtype=bool))
        # which neighbour in the sample is likely to be beyond so many of all rows?
        size: int = self.sample.shape[1]
        expected = count * size / self.others.shape[1]
        rank = min(int(np.ceil(expected + 3 * np.sqrt(expected) + 1)), size - 1)
        for start in range(0, len(asked), ROWS):
            block = factors[start : start + ROWS]
            radius = np.partition(block @ self.sample, rank, axis=1)[:, rank]
            block[:, -1] -= radius
            self._fill(rows, start, radius, *self._within(block))
        return rows

    def _within(self, block: AnyArray) -> tuple[IntArray, IntArray, AnyArray]:
        """Cells below zero: the row in the block (in order), the other row, and the value."""
        rows, others, values = list[AnyArray](), list[AnyArray](), list[AnyArray]()
        for start in range(0, self.others.shape[1], COLUMNS):
            cells = block @ self.others[:, start : start + COLUMNS]
            at = np.flatnonzero(cells < 0)
            row, other = np.divmod(at, cells.shape[1])
            rows.append(row.astype(np.int16))
            others.append(other + start)
            values.append(cells.ravel()[at])
        row = np.concatenate(rows)
        order = np.argsort(row, kind="stable")
        return row[order].astype(np.int64), np.concatenate(others)[order], np.concatenate(values)[order]

    def _fill(
        self, rows: NearRows, start: int, radius: AnyArray, row: IntArray, other: IntArray, value: AnyArray
    ) -> None:
        """The nearest of the cells of every row, where there are enough of them and not too many."""
        count, counts = rows.near.shape[1], np.bincount(row, minlength=radius.size)
        is_sure = (counts >= count) & (counts <= MOST * count)
        width = int(counts[is_sure].max(initial=count))
        place = np.arange(row.size) - np.repeat(np.cumsum(counts) - counts, counts)
        is_in = is_sure[row]
        table: AnyArray = np.full((radius.size, width), np.inf, dtype=np.float32)
        names: IntArray = np.zeros((radius.size, width), dtype=np.int64)
        table[row[is_in], place[is_in]] = value[is_in]
        names[row[is_in], place[is_in]] = other[is_in]
        order = np.argpartition(table, count - 1, axis=1)[:, :count]
        farthest = np.take_along_axis(table, order[:, -1:], axis=1)[:, 0] + radius
        end = start + radius.size
        rows.near[start:end] = np.take_along_axis(names, order, axis=1)
        is_sharp = rows.error[start:end] <= SHARP * np.maximum(farthest, 0.0) * self.size**2
        rows.is_sure[start:end] = is_sure & is_sharp


@dataclass(frozen=True, eq=False)
class Lists:
    """For each asked row, the nearest of the indexed rows in order; every one nearer than `reach` is among them."""

    near: IntArray  # asked x length
    distance: FloatArray
    reach: FloatArray  # by asked row; rows at this very distance may be missing

    def at(self, places: IntArray) -> Lists:
        if places.size == len(self.near):  # in order, so all of them
            return self
        return Lists(self.near[places], self.distance[places], self.reach[places])


class Index:
    """Finds nearest rows among those it was made of."""

    def __init__(self, X: FloatArray, p: float, *, is_by_row: bool = False) -> None:
        self.X, self.p, self.is_by_row = X, p, is_by_row
        self.is_tree = X.shape[1] <= TREE_COLUMNS
        self._searcher: Any = None
        self._quick: QuickSearch | None = None
        self._largest = 0.0  # squared norm
        self._kept: tuple[IntArray, Lists] | None = None
        self._groups: tuple[IntArray, IntArray, IntArray] | None = None  # of equal rows: codes, rows by code, starts

    def of(self, rows: IntArray, count: int, *, is_kept: bool) -> Lists:
        """At least the `count` nearest of these of its own rows; lists that are kept serve the next who asks."""
        if self._kept is not None and self._kept[1].near.shape[1] >= min(count, len(self.X)):
            listed_rows, lists = self._kept
            places = np.searchsorted(listed_rows, rows).clip(max=listed_rows.size - 1)
            if (listed_rows[places] == rows).all():
                return self._shortened(lists, count).at(places)
        lists = self.search(self.X[rows], count)
        if is_kept:
            self._kept = rows, lists
        return lists

    def _shortened(self, lists: Lists, count: int) -> Lists:
        """The first of every list, as a search for fewer would have them."""
        if count >= lists.near.shape[1]:
            return lists
        distance = lists.distance[:, :count]
        reach = before_ties(distance[:, -1], self.X.shape[1]) if self.is_by_row else distance[:, -1]
        return Lists(lists.near[:, :count], distance, np.minimum(reach, lists.reach))

    def search(self, asked: FloatArray, count: int) -> Lists:
        """The `count` nearest of every asked row; where ties matter, by distance, then row."""
        count = min(count, len(self.X))
        if self.is_tree:
            distance, near = self._by_tree(asked, count)
            reach = distance[:, -1]
        else:
            near, error = self._by_force(asked, count)
            distance, near = in_order(distances(asked, self.X, near, self.p), near)
            reach = np.sqrt(np.maximum(distance[:, -1] ** 2 - error, 0.0))
        if self.is_by_row:
            reach = before_ties(reach, self.X.shape[1])
            reach[reach == 0] = -1.0  # equal rows may be missing
            copies = np.flatnonzero(distance[:, -1] == 0)
            if copies.size and count < len(self.X):
                self._list_first_copies(near, reach, copies)
        return Lists(near, distance, reach if count < len(self.X) else np.full(len(asked), np.inf))

    def _list_first_copies(self, near: IntArray, reach: FloatArray, places: IntArray) -> None:
        """Let lists that hold nothing but rows equal to the asked one have the first of these."""
        if self._groups is None:
            codes = np.unique(self.X, axis=0, return_inverse=True)[1].ravel()
            order = np.argsort(codes, kind="stable")
            self._groups = codes, order, np.searchsorted(codes[order], np.arange(codes.max() + 2))
        codes, order, starts = self._groups
        own, count = codes[near[places, 0]], near.shape[1]
        has_all = starts[own + 1] - starts[own] >= count  # a distance of nought may be rounding too
        places, own = places[has_all], own[has_all]
        near[places] = order[starts[own][:, None] + np.arange(count)]
        reach[places] = 0.0

    def _by_tree(self, asked: FloatArray, count: int) -> tuple[FloatArray, IntArray]:
        if self._searcher is None:
            from scipy.spatial import cKDTree

            self._searcher = cKDTree(self.X, leafsize=LEAF)
        tree, shape = self._searcher, (len(asked), count)
        if asked.shape == self.X.shape and np.array_equal(asked, self.X):
            # its own rows are asked leaf by leaf, so that one search finds the cache of the last
            distance, near = np.empty(shape), np.empty(shape, np.int64)
            by_leaf = tree.query(asked[tree.indices], k=count, p=self.p)
            distance[tree.indices], near[tree.indices] = (part.reshape(shape) for part in by_leaf)
        else:
            distance, near = (part.reshape(shape) for part in tree.query(asked, k=count, p=self.p))
            near = near.astype(np.int64, copy=False)
        return in_order(distances(asked, self.X, near, self.p), near) if self.is_by_row else (distance, near)

    def _by_force(self, asked: FloatArray, count: int) -> tuple[IntArray, FloatArray]:
        """Near rows, and how wrong the squared distances may be by which they were found."""
        if self.p != 2 or len(asked) * len(self.X) < WORTH or len(self.X) < 8 * count:
            return self._by_library(asked, count)
        if self._quick is None:
            self._quick = QuickSearch(self.X)
        rows = self._quick.search(asked, count)
        near, error = rows.near, 2 * rows.error
        unsure = np.flatnonzero(~rows.is_sure)
        if unsure.size:
            near[unsure], error[unsure] = self._by_library(asked[unsure], count)
        return near, error

    def _by_library(self, asked: FloatArray, count: int) -> tuple[IntArray, FloatArray]:
        if self._searcher is None:
            from sklearn.neighbors import NearestNeighbors

            self._searcher = NearestNeighbors(algorithm="brute", p=self.p).fit(self.X)
            self._largest = float(squared_norms(self.X).max(initial=0.0))
        near = self._searcher.kneighbors(asked, count, return_distance=False)
        return near, norm_error(squared_norms(asked) + self._largest, self.X.shape[1])


def list_length(most: int, share: float) -> int:
    """How long lists must be to hold `most` training rows for nearly every row, at this held-out share.

    >>> list_length(30, 0.0)
    31
    """
    kept = max(1.0 - share, 0.02)
    return int(np.ceil(most / kept + 4.0 * np.sqrt(most * (1.0 - kept)) / kept)) + 1


def first_kept(lists: Lists, is_kept: Any, most: int) -> tuple[Lists, Any]:
    """The first `most` training rows of every list, and which lists run short of them.

    >>> lists = Lists(np.array([[0, 1, 2]]), np.array([[0.0, 1.0, 2.0]]), np.array([2.0]))
    >>> first_kept(lists, np.array([True, False, True]), 2)[0].near.tolist()
    [[0, 2]]
    """
    kept = is_kept.take(lists.near)
    counts, at = np.count_nonzero(kept, axis=1), np.flatnonzero(kept)
    is_short = counts < most
    if at.size < most:
        places = np.zeros((len(kept), most), np.int64)
        is_short[:] = True
    else:
        starts = np.minimum(np.cumsum(counts) - counts, at.size - most)
        places = at.take(starts[:, None] + np.arange(most))
    distance = lists.distance.ravel().take(places)
    is_short |= distance[:, -1] > lists.reach
    return Lists(lists.near.ravel().take(places), distance, distance[:, -1]), is_short
