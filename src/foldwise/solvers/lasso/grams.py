"""Sums of products of a training set: those of all rows less those of the rows held out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.fitted_steps import numbers
from foldwise.solvers.solver import has_repeats

TOO_LITTLE_LEFT = 1e-6  # share of a column's sum of squares below which a difference has lost too many digits


@dataclass(frozen=True, eq=False)
class Sums:
    """Weighted count, sums and sums of products of the columns and the target (last), about their overall means."""

    weight: float
    sums: FloatArray
    products: FloatArray

    def about(self, centre: FloatArray) -> FloatArray:
        """The sums of products about another centre."""
        beside = self.sums - 0.5 * self.weight * centre
        cross: FloatArray = np.outer(centre, beside)
        moved: FloatArray = self.products - cross
        moved -= cross.T
        return moved


@dataclass(frozen=True, eq=False)
class Table:
    """The numbers of a data set about their means, with weights."""

    X: FloatArray
    y: FloatArray
    centre: FloatArray  # overall means of the columns and, last, of the target
    weights: FloatArray | None

    def values(self, rows: IntArray) -> FloatArray:
        """Rows x (columns and target), less the centre: a copy of the whole table is not held."""
        found = np.empty((rows.size, self.centre.size))
        found[:, :-1], found[:, -1] = self.X[rows], self.y[rows]
        found -= self.centre
        return found

    def sums(self, train: IntArray) -> Sums:
        """The sums of a training set; rows may repeat."""
        whole = self._whole
        out = np.setdiff1d(np.arange(len(self.X)), train, assume_unique=not has_repeats(train))
        if has_repeats(train) or 2 * out.size > train.size:
            return self._direct(train)
        held = self._direct(out)
        products = whole.products - held.products
        if (products.diagonal() < TOO_LITTLE_LEFT * whole.products.diagonal()).any():
            return self._direct(train)
        return Sums(whole.weight - held.weight, whole.sums - held.sums, products)

    @cached_property
    def _whole(self) -> Sums:
        return self._direct(np.arange(len(self.X)))

    def _direct(self, rows: IntArray) -> Sums:
        values = self.values(rows)
        if self.weights is None:
            return Sums(float(rows.size), values.sum(axis=0), values.T @ values)
        weights = self.weights[rows]
        sums = weights @ values
        values *= np.sqrt(weights)[:, None]
        return Sums(float(weights.sum()), sums, values.T @ values)


_TABLES: WeakKeyDictionary[Dataset, Table | None] = WeakKeyDictionary()


def table_of(data: Dataset) -> Table | None:
    """The numbers of a regression, made once per data set and process; None where they are not all numbers."""
    if data not in _TABLES:
        X = numbers(data) if data.task == "regression" else None
        _TABLES[data] = None if X is None else _make_table(X, np.asarray(data.y, dtype=np.float64), data.weights)
    return _TABLES[data]


def _make_table(X: FloatArray, y: FloatArray, weights: FloatArray | None) -> Table | None:
    values: AnyArray = np.column_stack([X, y])
    if not np.isfinite(y).all() or max(values.max(initial=0.0), -values.min(initial=0.0)) > 1e100:
        return None
    return Table(X, y, values.mean(axis=0), weights)
