"""Sums and cross-products of any training set: those of all rows, less those of the rows left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.solvers.solver import has_repeats

SMALL = 8_000_000  # numbers of a table that is held a second time, about its means
LOST = 1e-3  # a column that keeps less of its sum of squares than this is summed anew


@dataclass(frozen=True, eq=False)
class CrossProducts:
    """Weighted sums over a training set of [X Y], taken about a point."""

    about: FloatArray  # columns, then targets; from the means of all rows
    weight: float
    sums: FloatArray  # columns, then targets
    products: FloatArray  # columns x (columns and targets)
    plain_rows: int
    plain_sums: FloatArray  # of the columns, without weights
    plain_squares: FloatArray
    summed: FloatArray  # squares of each column that went through the sums: what their rounding is measured by


class CrossProductTable:
    """The cross-products of training sets of one table."""

    def __init__(self, X: FloatArray, Y: FloatArray, weights: FloatArray | None) -> None:
        self.X, self.Y, self.weights = X, Y, weights
        self.x_mean, self.y_mean = X.mean(axis=0), Y.mean(axis=0)
        self.rows, self.width = X.shape
        self.scale = float(np.abs(Y).max(initial=0.0)) or 1.0
        self._centred = self._about_means(slice(None)) if X.size <= SMALL else None
        self.total = self._sum(np.arange(self.rows), np.zeros(self.width + Y.shape[1]))
        self.y_squares = np.einsum("ij,ij->j", Y - self.y_mean, Y - self.y_mean)

    @property
    def targets(self) -> int:
        return int(self.Y.shape[1])

    def columns(self, rows: IntArray) -> FloatArray:
        """These rows about the means of all rows."""
        if self._centred is not None:
            return np.asarray(self._centred[rows, : self.width])
        columns: FloatArray = self.X[rows]
        columns -= self.x_mean
        return columns

    def values(self, rows: IntArray) -> FloatArray:
        """Their targets, about the means of all rows."""
        return np.asarray(self.Y[rows] - self.y_mean)

    def _both(self, rows: IntArray) -> FloatArray:
        """Columns and targets side by side; made when asked where a second table would be large."""
        return self._about_means(rows) if self._centred is None else self._centred[rows]

    def _about_means(self, rows: IntArray | slice) -> FloatArray:
        X, Y = self.X[rows], self.Y[rows]
        both = np.empty((len(X), self.width + Y.shape[1]))
        np.subtract(X, self.x_mean, out=both[:, : self.width])
        np.subtract(Y, self.y_mean, out=both[:, self.width :])
        return both

    def of(self, train: IntArray) -> CrossProducts:
        """The cross-products of a training set; the same whatever else is asked."""
        counts = np.bincount(train, minlength=self.rows)
        rest = np.flatnonzero(counts == 0)
        if has_repeats(train) or 2 * rest.size > self.rows:
            return self._own(train)
        less, total = self._sum(rest, self.total.about), self.total
        found = CrossProducts(
            total.about,
            total.weight - less.weight,
            total.sums - less.sums,
            total.products - less.products,
            total.plain_rows - less.plain_rows,
            total.plain_sums - less.plain_sums,
            total.plain_squares - less.plain_squares,
            total.summed,
        )
        return found if self._is_safe(found) else self._own(train)

    def _own(self, train: IntArray) -> CrossProducts:
        """The cross-products summed directly, about the part's own means."""
        counts = np.bincount(train, minlength=self.rows) / train.size
        means = [counts @ self.X - self.x_mean, counts @ self.Y - self.y_mean]
        return self._sum(train, np.concatenate(means))

    def _is_safe(self, found: CrossProducts) -> bool:
        """Is enough left of every column, about its own mean, for the digits to hold?"""
        kept = found.plain_squares - found.plain_sums**2 / found.plain_rows
        is_weighted_safe = self.weights is None or found.weight > LOST * self.total.weight
        return is_weighted_safe and bool((kept >= LOST * self.total.plain_squares).all())

    def _sum(self, rows: IntArray, about: FloatArray) -> CrossProducts:
        width, weights = self.width, None if self.weights is None else self.weights[rows]
        sums, plain_sums = np.zeros(width + self.targets), np.zeros(width)
        plain_squares, products = np.zeros(width), np.zeros((width, width + self.targets))
        step = max(1_000_000 // sums.size, 1)  # blocks, so that a large table is never copied whole
        for start in range(0, rows.size, step):
            block = self._both(rows[start : start + step])
            if about.any():
                block -= about
            if weights is None:
                sums += block.sum(axis=0)
                products += symmetric_product(block)[:width]
                continue
            plain_sums += block[:, :width].sum(axis=0)
            plain_squares += np.einsum("ij,ij->j", block[:, :width], block[:, :width])
            heavy = block * weights[start : start + step, None]
            sums += heavy.sum(axis=0)
            products += block[:, :width].T @ heavy
        summed = np.diagonal(products)
        if weights is None:
            plain_sums, plain_squares = sums[:width], summed
        weight = float(rows.size) if weights is None else float(weights.sum())
        return CrossProducts(about, weight, sums, products, rows.size, plain_sums, plain_squares, summed)


def symmetric_product(block: FloatArray) -> FloatArray:
    """block' block, for which NumPy does half the multiplications.

    >>> symmetric_product(np.array([[1.0, 2.0], [0.0, 1.0]])).tolist()
    [[1.0, 2.0], [2.0, 5.0]]
    """
    return np.asarray(block.T @ block)
