"""Ridge, ridge classifier and least squares: all penalties of a training set from one reduction."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.batches import SplitFits, by_estimator, by_split, solve_in_blocks
from foldwise.solvers.fitted_steps import numbers, scale_columns
from foldwise.solvers.ridge.cross_products import CrossProductTable, symmetric_product
from foldwise.solvers.ridge.dual import Products, centred_products, in_chunks, left_out, rest_to_leave_out
from foldwise.solvers.ridge.linear_scores import score_targets
from foldwise.solvers.ridge.penalties import DOUBT, Found, PenaltyBatch
from foldwise.solvers.ridge.primal import Form, is_of_full_rank, leave_one_out, primal_answers
from foldwise.solvers.solver import Answer, BlockAnswer, FitRequest, RequestBlock
from foldwise.solvers.steps import scaled

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
        known = scaled(estimator)
        if known is None or known[0].target or numbers(data) is None:
            return False
        final = known[1]
        if not _is_ours(final, data) or final.positive or type(final.fit_intercept) is not bool:
            return False
        if _is_least_squares(final):
            tolerance = _tolerance(final)
            return isinstance(tolerance, int | float | np.number) and bool(0 <= tolerance <= MOST_TOLERANCE)
        is_number = isinstance(final.alpha, int | float | np.number) and bool(np.isfinite(final.alpha))
        is_balanced = getattr(final, "class_weight", None) is not None
        return is_number and final.alpha >= 0 and not is_balanced and final.solver in ("auto", "cholesky", "svd")

    def shares(self, estimator: Any) -> Hashable:
        known = scaled(estimator)
        assert known is not None
        return type(known[1]).__name__, known[0], known[1].fit_intercept, _rank(known[1])

    def pays(self, fits: Sequence[FitRequest], data: Dataset) -> bool:
        """A reduction per training set, against every fit; in multiplications.

        The pass over the table that they share is not counted: the rest of a batch that was stopped half-way must be
        answered as the whole would have been, to the bit.
        """
        n, d = data.rows, data.columns
        splits = by_split(fits, range(len(fits)))
        plain = sum(len(split.fits) * (_fit_cost(split.train.size, d) + 3e6) for split in splits)
        return sum(_part_cost(split, n, d) + 2e6 for split in splits) < plain

    def solve(self, fits: Sequence[FitRequest], data: Dataset) -> list[Answer | None]:
        return solve_in_blocks(self.solve_blocks, fits, data)

    def solve_blocks(self, blocks: Sequence[RequestBlock], data: Dataset) -> Iterator[BlockAnswer]:
        """Answers as they come, so that those of a large table need not be held all at once."""
        for parts in by_estimator(self, blocks):
            yield from _Batch(parts[0].block.estimators[0], (), data).solve_parts(parts)


SOLVERS = (RidgeSolver(),)


def _is_ours(final: Any, data: Dataset) -> bool:
    from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier

    return type(final) in ((Ridge, LinearRegression) if data.task == "regression" else (RidgeClassifier,))


def _is_least_squares(final: Any) -> bool:
    return type(final).__name__ == "LinearRegression"


def _rank(final: Any) -> float:
    """Of least squares: singular values below twice this tolerance, or too small to tell, may be taken for nought."""
    return max(2.0 * float(_tolerance(final)), LEAST_RANK) if _is_least_squares(final) else 0.0


def _tolerance(final: Any) -> Any:
    """That of least squares; before scikit-learn 1.7 it is smaller than its later default and no parameter."""
    return getattr(final, "tol", 1e-6)


def _fit_cost(rows: int, columns: int) -> float:
    small, large = min(rows, columns), max(rows, columns)
    return float(large * small**2 + small**3 / 3)


def _part_cost(split: SplitFits, rows: int, columns: int) -> float:
    """Cross-products of the rows left out, a reduction (slower per step than a product), and the predictions."""
    small = min(split.train.size, columns)
    rest = min(rows - split.train.size, split.train.size)
    return float(max(rest, 0) * small * columns + 5 * small**3 + split.rows.size * columns * len(split.fits))


class _Batch(PenaltyBatch):
    """All fits of one kind of ridge."""

    def __init__(self, estimator: Any, fits: Sequence[FitRequest], data: Dataset) -> None:
        known, X = scaled(estimator), numbers(data)
        assert known is not None
        assert X is not None
        super().__init__(fits, data, score_targets(data), _penalty)
        self.X, self.scaling, self.intercept = X, known[0], bool(known[1].fit_intercept)
        self.most_at_once = GROUP if 2 * X.shape[1] < data.rows else math.inf  # wide sets share one reduction
        self.form = Form(self.intercept, self.scaling.means, self.scaling.spreads, _rank(known[1]))

    def found(self, splits: list[SplitFits], penalties: FloatArray) -> list[Found]:
        """Answers of every split, each by the cheapest way that is open to it.

        Square ones go by their columns, as in scikit-learn: about their means they are singular.
        """
        found: dict[int, Found] = {}
        wide = [split for split in splits if self.X.shape[1] > split.train.size]
        tall = [split for split in splits if self.X.shape[1] <= split.train.size]
        for ways, members in (((self._wide_left_out, self._wide), wide), ((self._tall_ones, self._tall), tall)):
            left = members
            for way in ways:
                for split, answer in way(left, penalties) if left else ():
                    found[id(split)] = answer
                left = [split for split in left if id(split) not in found]
        return [found[id(split)] for split in splits]

    def is_able(self, split: SplitFits) -> bool:
        """Wide tables far from nought leave the plain loop few digits when their means are taken off."""
        is_wide = self.X.shape[1] > split.train.size
        return super().is_able(split) and not (is_wide and self._is_far())

    def _is_far(self) -> bool:
        if not hasattr(self, "_far"):
            takes_means = self.intercept != self.scaling.means  # with both, what rounding left is taken off again
            spread, is_flat = self.X.std(axis=0), np.ptp(self.X, axis=0) == 0
            self._far = takes_means and bool((np.abs(self.X.mean(axis=0)) > FAR * spread)[~is_flat].any())
        return self._far

    def _tall(self, splits: list[SplitFits], penalties: FloatArray) -> Iterator[tuple[SplitFits, Found]]:
        parts = [(split.train, split.rows) for split in splits]
        yield from zip(splits, primal_answers(self._cross_products(), self.form, parts, penalties), strict=True)

    def _tall_ones(self, splits: list[SplitFits], penalties: FloatArray) -> Iterator[tuple[SplitFits, Found]]:
        """Leave-one-out from the fit of all rows."""
        ones = [split for split in splits if split.train.size == self.data.rows - 1 and self._rest(split) is not None]
        if len(ones) < 3:
            return
        rows = np.array([split.rows[0] for split in ones])
        values, wrong = leave_one_out(self._cross_products(), self.form, rows, penalties)
        for at, split in enumerate(ones):
            if (wrong[:, at] <= DOUBT).all():
                yield split, (values[:, at : at + 1], wrong[:, at])

    def _wide(self, splits: list[SplitFits], penalties: FloatArray) -> Iterator[tuple[SplitFits, Found]]:
        poor: set[int] = set()

        def make(at: int) -> Products:
            made = self._scaled_products(splits[at]) if self.scaling.spreads else self._sliced_products(splits[at])
            if self.form.rank and not is_of_full_rank(made.weighed()[0], self.form.rank):
                poor.add(at)
            return made

        for at, (values, wrong) in in_chunks([split.train.size for split in splits], make, penalties):
            yield splits[at], (values, np.full_like(wrong, np.inf) if at in poor else wrong)

    def _wide_left_out(self, splits: list[SplitFits], penalties: FloatArray) -> Iterator[tuple[SplitFits, Found]]:
        """Many sets left out, from the fit of all rows."""
        able = [(split, rest) for split in splits if (rest := self._rest(split)) is not None]
        if len(able) < 3:
            return
        parts = [(rest, split.rows) for split, rest in able]
        middle = self.Y.mean(axis=0) if self.intercept else np.zeros(self.Y.shape[1])
        roots = None if self.data.weights is None else np.sqrt(self.data.weights)
        found = left_out(self._products(), self.Y - middle, roots, penalties, parts, intercept=self.intercept)
        for (split, _), (values, wrong) in zip(able, found, strict=True):
            if (wrong <= DOUBT * self.scale).all():
                yield split, (values + middle, wrong)

    def _rest(self, split: SplitFits) -> IntArray | None:
        """The rows to leave out of a fit of all rows, where that gives what the training set gives."""
        is_shared = not self.scaling.spreads and (self.intercept or not self.scaling.means)
        is_weighed = self.data.weights is None or bool((self.data.weights > 0).all())
        return rest_to_leave_out(split.train, split.rows, self.data.rows) if is_shared and is_weighed else None

    def _products(self) -> FloatArray:
        """Products of all rows, about their mean where the fit does not see it."""
        if not hasattr(self, "_all_products"):
            middle = self.X.mean(axis=0) if self.intercept or self.scaling.means else np.zeros(self.X.shape[1])
            self._all_products = symmetric_product(np.subtract(self.X.T, middle[:, None], order="C"))
        return self._all_products

    def _sliced_products(self, split: SplitFits) -> Products:
        """Products of a training set out of those of all rows."""
        products, train = self._products(), split.train
        inner, across, Y = products[np.ix_(train, train)], products[np.ix_(split.rows, train)], self.Y[train]
        weights = None if self.data.weights is None else self.data.weights[train]
        if self.intercept:
            return centred_products(inner, across, Y, weights)
        if self.scaling.means:
            about = centred_products(inner, across, Y, None)
            inner, across = about.train, about.across
        return Products(inner, across, Y, np.zeros(Y.shape[1]), None if weights is None else np.sqrt(weights))

    def _scaled_products(self, split: SplitFits) -> Products:
        """Products of a training set as its own scaler leaves it."""
        shift, spread = scale_columns(self.X, split.train, self.scaling)
        table, asked = (self.X[split.train] - shift) / spread, (self.X[split.rows] - shift) / spread
        weights, Y = None if self.data.weights is None else self.data.weights[split.train], self.Y[split.train]
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
    known = scaled(estimator)
    assert known is not None
    return 0.0 if _is_least_squares(known[1]) else float(known[1].alpha)
