"""Ridge, ridge classifier and least squares: all penalties of a training set from one reduction."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.ridge_dual import Products, centred_products, in_chunks, left_out, rest_to_leave_out
from foldwise.solvers.ridge_penalties import DOUBT, PenaltyBatch, Predictions, score_targets
from foldwise.solvers.ridge_primal import (
    CrossProductTable,
    Form,
    is_of_full_rank,
    leave_one_out,
    primal_answers,
    symmetric_product,
)
from foldwise.solvers.scaling import known_numbers, known_scaling, numbers, scale_columns, scaled
from foldwise.solvers.solver import Answered, FitRequest, grouped_parts

GROUP = 2_000_000  # predictions of a tall table made at a time
FAR = 1e3  # means of a wide table's columns, in standard deviations, beyond which they cost too many digits
LEAST_RANK = 1e-6  # smaller shares of the largest singular value cannot be told from products
MOST_TOLERANCE = 1e-4  # larger tolerances of least squares would drop what leave-one-out takes for well conditioned


class RidgeSolver:
    """Answers Ridge, RidgeClassifier and LinearRegression."""

    name = "ridge"
    batch: Literal["method", "train"] = "method"
    is_exact = True

    def takes(self, estimator: Any, data: Dataset) -> bool:
        from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier

        known = scaled(estimator)
        if known is None or known[0].target or numbers(data) is None:
            return False
        final, kinds = known[1], (Ridge, LinearRegression) if data.task == "regression" else (RidgeClassifier,)
        if type(final) not in kinds or final.positive or type(final.fit_intercept) is not bool:
            return False
        if _is_least_squares(final):
            return isinstance(final.tol, int | float | np.number) and bool(0 <= final.tol <= MOST_TOLERANCE)
        is_number = isinstance(final.alpha, int | float | np.number) and bool(np.isfinite(final.alpha))
        is_balanced = getattr(final, "class_weight", None) is not None
        return is_number and final.alpha >= 0 and not is_balanced and final.solver in ("auto", "cholesky", "svd")

    def shares(self, estimator: Any) -> Hashable:
        scaling, final = known_scaling(estimator)
        return type(final).__name__, scaling, final.fit_intercept, _rank(final)

    def pays(self, requests: Sequence[FitRequest], data: Dataset) -> bool:
        """A reduction per training set, against every fit; in multiplications.

        The pass over the table that they share is not counted: the rest of a batch that was stopped half-way must be
        answered as the whole would have been, to the bit.
        """
        n, d = data.rows, data.columns
        plain = sum(len(request.estimators) * (_fit_cost(request.train.size, d) + 3e6) for request in requests)
        return sum(_cost(request, n, d) + 2e6 for request in requests) < plain

    def solve(self, requests: Sequence[FitRequest], data: Dataset) -> Iterator[Answered]:
        """Answers as they come, so that those of a large table need not be held all at once."""
        for parts in grouped_parts(requests, self.shares):
            yield from _Batch(parts[0].request.estimators[0], data).solve(parts)


SOLVERS = (RidgeSolver(),)


def _is_least_squares(final: Any) -> bool:
    return type(final).__name__ == "LinearRegression"


def _rank(final: Any) -> float:
    """Of least squares: singular values below twice this tolerance, or too small to tell, may be taken for nought."""
    return max(2.0 * float(final.tol), LEAST_RANK) if _is_least_squares(final) else 0.0


def _fit_cost(rows: int, columns: int) -> float:
    small, large = min(rows, columns), max(rows, columns)
    return float(large * small**2 + small**3 / 3)


def _cost(request: FitRequest, rows: int, columns: int) -> float:
    """Cross-products of the rows left out, a reduction (slower per step than a product), and the predictions."""
    small = min(request.train.size, columns)
    rest = min(rows - request.train.size, request.train.size)
    return float(max(rest, 0) * small * columns + 5 * small**3 + request.rows.size * columns * len(request.estimators))


class _Batch(PenaltyBatch):
    """All fits of one kind of ridge."""

    def __init__(self, estimator: Any, data: Dataset) -> None:
        super().__init__(data, score_targets(data), _penalty)
        self.scaling, final = known_scaling(estimator)
        self.X, self.intercept = known_numbers(data), bool(final.fit_intercept)
        self.most_at_once = GROUP if 2 * data.columns < data.rows else math.inf  # wide sets share one reduction
        self.form = Form(self.intercept, self.scaling.means, self.scaling.spreads, _rank(final))

    def predictions(self, requests: list[FitRequest], penalties: FloatArray) -> list[Predictions]:
        """Each training set by the cheapest way that is open to it.

        Square ones go by their columns, as in scikit-learn: about their means they are singular.
        """
        predictions: dict[int, Predictions] = {}
        wide = [request for request in requests if self.X.shape[1] > request.train.size]
        tall = [request for request in requests if self.X.shape[1] <= request.train.size]
        for ways, some in (((self._wide_left_out, self._wide), wide), ((self._tall_ones, self._tall), tall)):
            rest = some
            for way in ways:
                for request, predicted in way(rest, penalties) if rest else ():
                    predictions[id(request)] = predicted
                rest = [request for request in rest if id(request) not in predictions]
        return [predictions[id(request)] for request in requests]

    def is_able(self, request: FitRequest) -> bool:
        """Wide tables far from nought leave the plain loop few digits when their means are taken off."""
        is_wide = self.X.shape[1] > request.train.size
        return super().is_able(request) and not (is_wide and self._is_far())

    def _is_far(self) -> bool:
        if not hasattr(self, "_far"):
            takes_means = self.intercept != self.scaling.means  # with both, what rounding left is taken off again
            spread, is_flat = self.X.std(axis=0), np.ptp(self.X, axis=0) == 0
            self._far = takes_means and bool((np.abs(self.X.mean(axis=0)) > FAR * spread)[~is_flat].any())
        return self._far

    def _tall(self, requests: list[FitRequest], penalties: FloatArray) -> Iterator[tuple[FitRequest, Predictions]]:
        parts = [(request.train, request.rows) for request in requests]
        yield from zip(requests, primal_answers(self._cross_products(), self.form, parts, penalties), strict=True)

    def _tall_ones(self, requests: list[FitRequest], penalties: FloatArray) -> Iterator[tuple[FitRequest, Predictions]]:
        """Leave-one-out from the fit of all rows."""
        ones = [
            request
            for request in requests
            if request.train.size == self.data.rows - 1 and self._rest(request) is not None
        ]
        if len(ones) < 3:
            return
        rows = np.array([request.rows[0] for request in ones])
        values, wrong = leave_one_out(self._cross_products(), self.form, rows, penalties)
        for at, request in enumerate(ones):
            if (wrong[:, at] <= DOUBT).all():
                yield request, (values[:, at : at + 1], wrong[:, at])

    def _wide(self, requests: list[FitRequest], penalties: FloatArray) -> Iterator[tuple[FitRequest, Predictions]]:
        poor: set[int] = set()

        def make(at: int) -> Products:
            products_of = self._scaled_products if self.scaling.spreads else self._sliced_products
            products = products_of(requests[at])
            if self.form.rank and not is_of_full_rank(products.weighed()[0], self.form.rank):
                poor.add(at)
            return products

        for at, (values, wrong) in in_chunks([request.train.size for request in requests], make, penalties):
            yield requests[at], (values, np.full_like(wrong, np.inf) if at in poor else wrong)

    def _wide_left_out(
        self, requests: list[FitRequest], penalties: FloatArray
    ) -> Iterator[tuple[FitRequest, Predictions]]:
        """Many sets left out, from the fit of all rows."""
        able = [(request, rest) for request in requests if (rest := self._rest(request)) is not None]
        if len(able) < 3:
            return
        parts = [(rest, request.rows) for request, rest in able]
        middle = self.Y.mean(axis=0) if self.intercept else np.zeros(self.Y.shape[1])
        roots = None if self.data.weights is None else np.sqrt(self.data.weights)
        predictions = left_out(self._products(), self.Y - middle, roots, penalties, parts, intercept=self.intercept)
        for (request, _), (values, wrong) in zip(able, predictions, strict=True):
            if (wrong <= DOUBT * self.scale).all():
                yield request, (values + middle, wrong)

    def _rest(self, request: FitRequest) -> IntArray | None:
        """The rows to leave out of a fit of all rows, where that gives what the training set gives."""
        is_shared = not self.scaling.spreads and (self.intercept or not self.scaling.means)
        is_weighed = self.data.weights is None or bool((self.data.weights > 0).all())
        return rest_to_leave_out(request.train, request.rows, self.data.rows) if is_shared and is_weighed else None

    def _products(self) -> FloatArray:
        """Products of all rows, about their mean where the fit does not see it."""
        if not hasattr(self, "_all_products"):
            middle = self.X.mean(axis=0) if self.intercept or self.scaling.means else np.zeros(self.X.shape[1])
            self._all_products = symmetric_product(np.subtract(self.X.T, middle[:, None], order="C"))
        return self._all_products

    def _sliced_products(self, request: FitRequest) -> Products:
        """Products of a training set out of those of all rows."""
        products, train = self._products(), request.train
        inner, across, Y = products[np.ix_(train, train)], products[np.ix_(request.rows, train)], self.Y[train]
        weights = None if self.data.weights is None else self.data.weights[train]
        if self.intercept:
            return centred_products(inner, across, Y, weights)
        if self.scaling.means:
            about = centred_products(inner, across, Y, None)
            inner, across = about.train, about.across
        return Products(inner, across, Y, np.zeros(Y.shape[1]), None if weights is None else np.sqrt(weights))

    def _scaled_products(self, request: FitRequest) -> Products:
        """Products of a training set as its own scaler leaves it."""
        shift, spread = scale_columns(self.X, request.train, self.scaling)
        table, asked = (self.X[request.train] - shift) / spread, (self.X[request.rows] - shift) / spread
        weights, Y = None if self.data.weights is None else self.data.weights[request.train], self.Y[request.train]
        if self.intercept:
            middle = np.average(table, axis=0, weights=weights)
            table, asked = table - middle, asked - middle
        inner, across = symmetric_product(np.ascontiguousarray(table.T)), asked @ table.T
        if self.intercept:
            return centred_products(inner, across, Y, weights)
        return Products(inner, across, Y, np.zeros(Y.shape[1]), None if weights is None else np.sqrt(weights))

    def _cross_products(self) -> CrossProductTable:
        """Summed once for a table, whatever is asked of it later."""
        if self.data not in _CROSS_PRODUCTS:
            _CROSS_PRODUCTS[self.data] = CrossProductTable(self.X, self.Y, self.data.weights)
        return _CROSS_PRODUCTS[self.data]


_CROSS_PRODUCTS: WeakKeyDictionary[Dataset, CrossProductTable] = WeakKeyDictionary()


def _penalty(estimator: Any) -> float:
    final = known_scaling(estimator)[1]
    return 0.0 if _is_least_squares(final) else float(final.alpha)
