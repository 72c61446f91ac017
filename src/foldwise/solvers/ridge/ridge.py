"""Ridge, ridge classifier and least squares: all penalties of a training part from one reduction."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.batches import Group, by_rows, by_settings
from foldwise.solvers.pipeline import numbers, scale_columns, scaled
from foldwise.solvers.ridge.cross_products import Moments, symmetric_product
from foldwise.solvers.ridge.dual import Products, centred_products, in_chunks, left_out, rest_to_leave_out
from foldwise.solvers.ridge.linear_scores import score_targets
from foldwise.solvers.ridge.penalties import DOUBT, Found, PenaltyPass
from foldwise.solvers.ridge.primal import Form, is_of_full_rank, leave_one_out, primal_answers
from foldwise.solvers.solver import Answer, Job

FAR = 1e3  # means of a wide table's columns, in standard deviations, beyond which they cost too many digits
LEAST_RANK = 1e-6  # smaller shares of the largest singular value cannot be told from products
MOST_TOLERANCE = 1e-4  # larger tolerances of least squares would drop what leave-one-out takes for well conditioned


class RidgeSolver:
    """Answers Ridge, RidgeClassifier and LinearRegression."""

    name = "ridge"
    unit: Literal["method", "train"] = "method"
    is_exact = True

    def takes(self, estimator: Any, data: Dataset) -> bool:
        known = scaled(estimator)
        if known is None or known[0].target or numbers(data) is None:
            return False
        core = known[1]
        if not _is_ours(core, data) or core.positive or type(core.fit_intercept) is not bool:
            return False
        if _is_least_squares(core):
            return isinstance(core.tol, int | float | np.number) and bool(0 <= core.tol <= MOST_TOLERANCE)
        is_number = isinstance(core.alpha, int | float | np.number) and bool(np.isfinite(core.alpha))
        is_balanced = getattr(core, "class_weight", None) is not None
        return is_number and core.alpha >= 0 and not is_balanced and core.solver in ("auto", "cholesky", "svd")

    def shares(self, estimator: Any) -> Hashable:
        known = scaled(estimator)
        assert known is not None
        return type(known[1]).__name__, known[0], known[1].fit_intercept, _rank(known[1])

    def pays(self, jobs: Sequence[Job], data: Dataset) -> bool:
        """A pass over the table and one reduction per training part, against a fit per job; in multiplications."""
        n, d = data.rows, data.columns
        groups = by_rows(jobs, range(len(jobs)))
        plain = sum(len(group.jobs) * (_fit_cost(group.train.size, d) + 3e6) for group in groups)
        ours = 3e6 + n * d * min(n, d) + sum(_part_cost(group, n, d) + 2e6 for group in groups)
        return ours < plain

    def solve(self, jobs: Sequence[Job], data: Dataset) -> list[Answer | None]:
        answers: list[Answer | None] = [None] * len(jobs)
        for estimator, places in by_settings(self, jobs):
            for at, answer in _Pass(estimator, jobs, data).solve(places):
                answers[at] = answer
        return answers


SOLVERS = (RidgeSolver(),)


def _is_ours(core: Any, data: Dataset) -> bool:
    from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier

    return type(core) in ((Ridge, LinearRegression) if data.task == "regression" else (RidgeClassifier,))


def _is_least_squares(core: Any) -> bool:
    return type(core).__name__ == "LinearRegression"


def _rank(core: Any) -> float:
    """Of least squares: singular values below twice this tolerance, or too small to tell, may be taken for nought."""
    return max(2.0 * float(core.tol), LEAST_RANK) if _is_least_squares(core) else 0.0


def _fit_cost(rows: int, columns: int) -> float:
    small, large = min(rows, columns), max(rows, columns)
    return float(large * small**2 + small**3 / 3)


def _part_cost(group: Group, rows: int, columns: int) -> float:
    """Moments of the rows left out, a reduction (slower per step than a product), and the predictions."""
    small = min(group.train.size, columns)
    rest = min(rows - group.train.size, group.train.size)
    return float(max(rest, 0) * small * columns + 5 * small**3 + group.rows.size * columns * len(group.jobs))


class _Pass(PenaltyPass):
    """All jobs of one kind of ridge."""

    def __init__(self, estimator: Any, jobs: Sequence[Job], data: Dataset) -> None:
        known, X = scaled(estimator), numbers(data)
        assert known is not None
        assert X is not None
        super().__init__(jobs, data, score_targets(data), _penalty)
        self.X, self.scaling, self.intercept = X, known[0], bool(known[1].fit_intercept)
        self.form = Form(self.intercept, self.scaling.means, self.scaling.spreads, _rank(known[1]))

    def found(self, groups: list[Group], penalties: FloatArray) -> list[Found]:
        """Answers of every group, each by the cheapest way that is open to it.

        Square ones go by their columns, as in scikit-learn: about their means they are singular.
        """
        found: dict[int, Found] = {}
        wide = [group for group in groups if self.X.shape[1] > group.train.size]
        tall = [group for group in groups if self.X.shape[1] <= group.train.size]
        for ways, members in (((self._wide_left_out, self._wide), wide), ((self._tall_ones, self._tall), tall)):
            left = members
            for way in ways:
                for group, answer in way(left, penalties) if left else ():
                    found[id(group)] = answer
                left = [group for group in left if id(group) not in found]
        return [found[id(group)] for group in groups]

    def is_able(self, group: Group) -> bool:
        """Wide tables far from nought leave the plain loop few digits when their means are taken off."""
        is_wide = self.X.shape[1] > group.train.size
        return super().is_able(group) and not (is_wide and self._is_far())

    def _is_far(self) -> bool:
        if not hasattr(self, "_far"):
            takes_means = self.intercept != self.scaling.means  # with both, what rounding left is taken off again
            spread, is_flat = self.X.std(axis=0), np.ptp(self.X, axis=0) == 0
            self._far = takes_means and bool((np.abs(self.X.mean(axis=0)) > FAR * spread)[~is_flat].any())
        return self._far

    def _tall(self, groups: list[Group], penalties: FloatArray) -> Iterator[tuple[Group, Found]]:
        parts = [(group.train, group.rows) for group in groups]
        yield from zip(groups, primal_answers(self._moments(), self.form, parts, penalties), strict=True)

    def _tall_ones(self, groups: list[Group], penalties: FloatArray) -> Iterator[tuple[Group, Found]]:
        """Leave-one-out from the fit of all rows."""
        ones = [group for group in groups if group.train.size == self.data.rows - 1 and self._rest(group) is not None]
        if len(ones) < 3:
            return
        rows = np.array([group.rows[0] for group in ones])
        values, wrong = leave_one_out(self._moments(), self.form, rows, penalties)
        for at, group in enumerate(ones):
            if (wrong[:, at] <= DOUBT).all():
                yield group, (values[:, at : at + 1], wrong[:, at])

    def _wide(self, groups: list[Group], penalties: FloatArray) -> Iterator[tuple[Group, Found]]:
        poor: set[int] = set()

        def make(at: int) -> Products:
            made = self._scaled_products(groups[at]) if self.scaling.spreads else self._sliced_products(groups[at])
            if self.form.rank and not is_of_full_rank(made.weighed()[0], self.form.rank):
                poor.add(at)
            return made

        for at, (values, wrong) in in_chunks([group.train.size for group in groups], make, penalties):
            yield groups[at], (values, np.full_like(wrong, np.inf) if at in poor else wrong)

    def _wide_left_out(self, groups: list[Group], penalties: FloatArray) -> Iterator[tuple[Group, Found]]:
        """Many sets left out, from the fit of all rows."""
        able = [(group, rest) for group in groups if (rest := self._rest(group)) is not None]
        if len(able) < 3:
            return
        parts = [(rest, group.rows) for group, rest in able]
        middle = self.Y.mean(axis=0) if self.intercept else np.zeros(self.Y.shape[1])
        roots = None if self.data.weights is None else np.sqrt(self.data.weights)
        found = left_out(self._products(), self.Y - middle, roots, penalties, parts, intercept=self.intercept)
        for (group, _), (values, wrong) in zip(able, found, strict=True):
            if (wrong <= DOUBT * self.scale).all():
                yield group, (values + middle, wrong)

    def _rest(self, group: Group) -> IntArray | None:
        """The rows to leave out of a fit of all rows, where that gives what the training part gives."""
        is_shared = not self.scaling.spreads and (self.intercept or not self.scaling.means)
        is_weighed = self.data.weights is None or bool((self.data.weights > 0).all())
        return rest_to_leave_out(group.train, group.rows, self.data.rows) if is_shared and is_weighed else None

    def _products(self) -> FloatArray:
        """Products of all rows, about their mean where the fit does not see it."""
        if not hasattr(self, "_all_products"):
            table = self.X - self.X.mean(axis=0) if self.intercept or self.scaling.means else self.X
            self._all_products = symmetric_product(np.ascontiguousarray(table.T))
        return self._all_products

    def _sliced_products(self, group: Group) -> Products:
        """Products of a training part out of those of all rows."""
        products, train = self._products(), group.train
        inner, across, Y = products[np.ix_(train, train)], products[np.ix_(group.rows, train)], self.Y[train]
        weights = None if self.data.weights is None else self.data.weights[train]
        if self.intercept:
            return centred_products(inner, across, Y, weights)
        if self.scaling.means:
            about = centred_products(inner, across, Y, None)
            inner, across = about.train, about.across
        return Products(inner, across, Y, np.zeros(Y.shape[1]), None if weights is None else np.sqrt(weights))

    def _scaled_products(self, group: Group) -> Products:
        """Products of a training part as its own scaler leaves it."""
        shift, spread = scale_columns(self.X, group.train, self.scaling)
        table, asked = (self.X[group.train] - shift) / spread, (self.X[group.rows] - shift) / spread
        weights, Y = None if self.data.weights is None else self.data.weights[group.train], self.Y[group.train]
        if self.intercept:
            middle = np.average(table, axis=0, weights=weights)
            table, asked = table - middle, asked - middle
        inner, across = symmetric_product(np.ascontiguousarray(table.T)), asked @ table.T
        if self.intercept:
            return centred_products(inner, across, Y, weights)
        return Products(inner, across, Y, np.zeros(Y.shape[1]), None if weights is None else np.sqrt(weights))

    def _moments(self) -> Moments:
        """Summed once for a table, whatever is asked of it later."""
        if self.data not in _MOMENTS:
            _MOMENTS[self.data] = Moments(self.X, self.Y, self.data.weights)
        return _MOMENTS[self.data]


_MOMENTS: WeakKeyDictionary[Dataset, Moments] = WeakKeyDictionary()


def _penalty(estimator: Any) -> float:
    known = scaled(estimator)
    assert known is not None
    return 0.0 if _is_least_squares(known[1]) else float(known[1].alpha)
