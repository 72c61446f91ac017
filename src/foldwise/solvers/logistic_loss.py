"""The logistic loss of a table, with two classes or more: its value, slopes and curvature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray, IntArray

ROUNDING = 500  # machine precisions of the largest curvature added to each: no root of a Hessian then fails

Product = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class Point:
    """What is known where a descent stands."""

    coefficients: FloatArray  # classes x columns
    value: float
    gradient: FloatArray  # classes x columns
    chances: FloatArray  # classes x rows


class Logistic:
    """The loss of a table: coefficients are classes x columns, with one class only where there are two.

    With the classes first, what is done over classes runs along rows. The penalty is half the squared coefficient
    times a rate, and times `penalised` of its column: 0 for a free intercept.
    """

    def __init__(self, X: FloatArray, hot: FloatArray, weights: FloatArray, penalised: FloatArray) -> None:
        self.X, self.weights, self.penalised = np.ascontiguousarray(X), weights, penalised
        self.hot = hot  # classes x rows: one where the row is of the class
        self.shape = (len(hot), X.shape[1])
        self.is_binary = len(hot) == 1
        self._tables: dict[Any, FloatArray] = {}
        self.sizes: FloatArray = np.einsum("n,nd,nd->d", weights, self.X, self.X)  # by column: no curvature is larger

    def weighted(self, scale: float) -> Logistic:
        """The same loss so many times; with a rate so many times as large, it has the same minimum."""
        return Logistic(self.X, self.hot, scale * self.weights, self.penalised)

    def at(self, coefficients: FloatArray, rate: float) -> Point:
        """The objective and its slopes."""
        losses, chances = self._chances(coefficients @ self.X.T)
        pull = rate * self.penalised * coefficients
        value = float(self.weights @ losses) + 0.5 * float(np.vdot(pull, coefficients))
        gradient = ((chances - self.hot) * self.weights) @ self.X + pull
        return Point(coefficients, value, gradient, chances)

    def _chances(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Losses of the rows, and the probabilities behind them."""
        if self.is_binary:
            small = np.exp(-np.abs(scores))
            losses = (np.log1p(small) + np.maximum(scores, 0.0) - self.hot * scores)[0]
            return losses, np.where(scores >= 0, 1.0, small) / (1.0 + small)
        own = np.einsum("kn,kn->n", scores, self.hot)
        highest = scores.max(axis=0)
        chances = np.exp(scores - highest)
        totals = chances.sum(axis=0)
        chances /= totals
        return np.log(totals) + highest - own, chances

    def curvature(self, chances: FloatArray, rate: float, kind: Any) -> Product:
        """The Hessian as what it does to a vector, in numbers of this kind."""
        columns, pull = self._table(kind), np.asarray(rate * self.penalised, dtype=kind)
        chances = chances.astype(kind)
        weighted = chances * self.weights.astype(kind)
        if self.is_binary:
            weighted *= 1 - chances

        def product(direction: FloatArray) -> FloatArray:
            moved = direction @ columns
            moved *= weighted
            if not self.is_binary:
                moved -= chances * moved.sum(axis=0)
            bent: FloatArray = moved @ columns.T
            bent += pull * direction
            return bent

        return product

    def steepest(self, chances: FloatArray) -> float:
        """The largest curvature along one coefficient, without the penalty."""
        bends = (chances * (1 - chances) * self.weights) @ np.square(self.X)
        return float(bends.max())

    def hessian(
        self,
        chances: FloatArray,
        rate: float,
        places: IntArray | None = None,
        flat: IntArray | None = None,
        kind: Any = np.float64,
    ) -> FloatArray:
        """The Hessian of these coefficients (all of them if none are named), which ascend by class and column.

        Of flat columns all classes are asked for, and nothing feels the same added to each: this is bent. If none
        are named, they are those without a penalty.
        """
        if places is None:
            places = np.arange(self.shape[0] * self.shape[1])
        if flat is None:
            flat = np.flatnonzero(self.penalised == 0)
        classes, columns = np.divmod(places, self.shape[1])
        table = self._table(kind)[columns]
        if self.is_binary:
            table *= np.sqrt(self.weights * chances[0] * (1 - chances[0])).astype(kind, copy=False)
            return self._bent(table @ table.T, rate, columns, flat[:0])
        shares = table * (chances * np.sqrt(self.weights)).astype(kind, copy=False)[classes]
        hessian = -(shares @ shares.T)
        roots = np.sqrt(chances * self.weights).astype(kind, copy=False)
        ends = np.searchsorted(classes, np.arange(self.shape[0] + 1)).tolist()
        for at, (begin, end) in enumerate(pairwise(ends)):
            own = table[begin:end] * roots[at]
            hessian[begin:end, begin:end] += own @ own.T
        return self._bent(hessian, rate, columns, flat)

    def _bent(self, hessian: FloatArray, rate: float, columns: IntArray, flat: IntArray) -> FloatArray:
        """With the penalty, and with a little everywhere, so that the flattest directions have a step.

        In units of the columns' sizes it is the same for all of them, so that large numbers do not hold up small ones.
        """
        diagonal = hessian.reshape(-1)[:: len(hessian) + 1]
        sizes = self.sizes[columns]
        little = sizes * float(np.divide(diagonal, sizes, where=sizes > 0, out=np.zeros(sizes.size)).max(initial=0.0))
        diagonal += (rate * self.penalised)[columns]
        for column in flat:
            alike = np.flatnonzero(columns == column)
            hessian[alike[:, None], alike] += diagonal[alike].mean() / self.shape[0]
        diagonal += ROUNDING * np.finfo(hessian.dtype).eps * (little + rate * self.penalised[columns]) + 1e-300
        return hessian

    def _table(self, kind: Any) -> FloatArray:
        """Columns x rows in numbers of this kind."""
        if kind not in self._tables:
            self._tables[kind] = np.ascontiguousarray(self.X.T, dtype=kind)
        return self._tables[kind]
