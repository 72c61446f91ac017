"""Nearest rows by brute force: single precision tells which rows are far away, and most of them are.

Squared distances come from products of tables, block by block. How far to look from a row is guessed from a sample,
so that of a block only the few cells below zero are ever looked at again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray

EPSILON = float(np.finfo(np.float32).eps)
SAMPLE = 1_000  # rows by which the radius of every search is guessed
ROWS, COLUMNS = 256, 1_024  # of a block: small enough for the cache
MOST = 12  # times as many rows found as asked for: then a row is searched the other way
SHARP = 0.02  # of the largest squared distance in a list, that rounding may hide
WORTH = 20_000_000  # distances; with fewer of them the sample costs too much


@dataclass(frozen=True, eq=False)
class Found:
    """Rows near every asked row, in no order, and the largest rounding of its squared distances."""

    near: IntArray  # asked x count
    error: FloatArray
    is_sure: AnyArray  # by asked row; of the others nothing is known


class QuickSearch:
    """Finds near rows among those of a table, in Euclidean distance."""

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

    def search(self, asked: FloatArray, count: int) -> Found:
        """The `count` nearest rows of each, up to rounding."""
        here, error = self._asked(asked)
        found = Found(np.zeros((len(asked), count), dtype=np.int64), error, np.zeros(len(asked), dtype=bool))
        rank = self._rank(count)
        for start in range(0, len(asked), ROWS):
            block = here[start : start + ROWS]
            radius = np.partition(block @ self.sample, rank, axis=1)[:, rank]
            block[:, -1] -= radius
            self._fill(found, start, radius, *self._within(block))
        return found

    def _asked(self, asked: FloatArray) -> tuple[AnyArray, FloatArray]:
        """Asked rows such that their products with the others are squared distances; and what rounding may do."""
        table = (asked - self.centre) / self.size
        squares = np.einsum("ij,ij->i", table, table)
        here: AnyArray = np.ones((len(asked), table.shape[1] + 2), dtype=np.float32)
        here[:, :-2] = -2.0 * table
        here[:, -1] = squares
        error = 4 * (table.shape[1] + 6) * EPSILON * (1.0 + squares) * self.size**2
        return here, error

    def _rank(self, count: int) -> int:
        """Which neighbour in the sample is likely to be beyond so many of all rows."""
        size: int = self.sample.shape[1]
        expected = count * size / self.others.shape[1]
        return min(int(np.ceil(expected + 3 * np.sqrt(expected) + 1)), size - 1)

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
        self, found: Found, start: int, radius: AnyArray, row: IntArray, other: IntArray, value: AnyArray
    ) -> None:
        """The nearest of the cells of every row, where there are enough of them and not too many."""
        count, counts = found.near.shape[1], np.bincount(row, minlength=radius.size)
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
        found.near[start:end] = np.take_along_axis(names, order, axis=1)
        is_sharp = found.error[start:end] <= SHARP * np.maximum(farthest, 0.0) * self.size**2
        found.is_sure[start:end] = is_sure & is_sharp
