"""Lasso and elastic net at every penalty of a training set, solved to the optimum."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.lasso_active_set import Gram, Rows, elastic_path, lasso_path
from foldwise.solvers.lasso_pivots import pivot_path
from foldwise.solvers.scaling import Scaling, is_between, known_scaling, numbers, scale_columns, scale_target, scaled
from foldwise.solvers.solver import Answered, FitRequest, grouped_parts, has_repeats

TOO_LITTLE_LEFT = 1e-6  # share of a column's sum of squares below which a difference has lost too many digits
WIDEST_GRAM = 3000  # columns; beyond them the products are made as they are needed


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
        values = np.empty((rows.size, self.centre.size))
        values[:, :-1], values[:, -1] = self.X[rows], self.y[rows]
        values -= self.centre
        return values

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


class LassoSolver:
    """Answers Lasso and ElasticNet, also after scaling of the columns and of the target."""

    name = "lasso"
    batch: Literal["train"] = "train"
    is_exact = False

    def takes(self, estimator: Any, data: Dataset) -> bool:
        known = scaled(estimator)
        return known is not None and _is_known(known[1]) and table_of(data) is not None

    def shares(self, estimator: Any) -> Hashable:
        scaling, final = known_scaling(estimator)
        return scaling, final.fit_intercept, final.positive, float(final.l1_ratio)

    def pays(self, requests: Sequence[FitRequest], data: Dataset) -> bool:
        """Nearly always: a path costs a few plain fits, of which the framework around them is a part."""
        fits, training_sets = sum(len(request.estimators) for request in requests), {id(r.train) for r in requests}
        return fits >= 3 * len(training_sets) or data.rows * data.columns <= 1_000_000

    def solve(self, requests: Sequence[FitRequest], data: Dataset) -> Iterator[Answered]:
        table = table_of(data)
        assert table is not None
        for parts in grouped_parts(requests, self.shares):
            scaling, final = known_scaling(parts[0].request.estimators[0])
            for number, places, request in parts:
                alphas = [float(known_scaling(estimator)[1].alpha) for estimator in request.estimators]
                training_set = _training_set(table, request.train, scaling, is_centred=final.fit_intercept)
                coefficients = _coefficients(training_set, final, alphas)
                known = [at for at, slopes in enumerate(coefficients) if slopes is not None]
                if known:
                    values = training_set.predict(table.X[request.rows], [coefficients[at] for at in known])
                    yield Answered(number, [places[at] for at in known], {"predict": values})


@dataclass(frozen=True, eq=False)
class _TrainingSet:
    """A training set as the final sees it, and the way back from its coefficients to predictions."""

    problem: Gram | Rows
    weight: float
    centre: FloatArray  # of the columns and, last, of the target
    spread: FloatArray

    def predict(self, X: FloatArray, coefficients: list[Any]) -> FloatArray:
        """Predictions, one row for each vector of coefficients."""
        slopes = np.array(coefficients) * (self.spread[-1] / self.spread[:-1])
        offsets = self.centre[-1] - slopes @ self.centre[:-1]
        values: FloatArray = slopes @ X.T + offsets[:, None]
        return values


def _training_set(table: Table, train: IntArray, scaling: Scaling, *, is_centred: bool) -> _TrainingSet:
    shift, spread = scale_columns(table.X, train, scaling)
    y_shift, y_spread = scale_target((table.y[train] - table.centre[-1]) + table.centre[-1], scaling)
    spreads = np.append(spread, y_spread)
    given = np.append(shift, y_shift)
    weights = None if table.weights is None else table.weights[train]
    if len(spread) <= min(train.size, WIDEST_GRAM):
        sums = table.sums(train)
        centre = sums.sums / sums.weight if is_centred else given - table.centre
        products = sums.about(centre)
        if (spreads != 1).any():
            products /= np.outer(spreads, spreads)
        problem = Gram(np.ascontiguousarray(products[:-1, :-1]), products[:-1, -1].copy(), products[-1, -1])
        return _TrainingSet(problem, sums.weight, centre + table.centre, spreads)
    values = table.values(train)
    centre = np.average(values, axis=0, weights=weights) if is_centred else given - table.centre
    values = (values - centre) / spreads
    if weights is not None:
        values *= np.sqrt(weights)[:, None]
    weight = float(train.size) if weights is None else float(weights.sum())
    return _TrainingSet(Rows(values[:, :-1], values[:, -1]), weight, centre + table.centre, spreads)


def _coefficients(part: _TrainingSet, final: Any, alphas: list[float]) -> list[FloatArray | None]:
    if part.weight <= 0:
        return [None] * len(alphas)
    penalties = [alpha * part.weight for alpha in alphas]
    if final.l1_ratio == 1 and isinstance(part.problem, Gram):
        return pivot_path(part.problem, penalties, positive=final.positive)
    if final.l1_ratio == 1:
        return lasso_path(part.problem, penalties, positive=final.positive)
    return elastic_path(part.problem, penalties, share=float(final.l1_ratio), positive=final.positive)


def _is_known(final: Any) -> bool:
    from sklearn.linear_model import ElasticNet, Lasso

    return (
        type(final) in (Lasso, ElasticNet)
        and is_between(final.alpha, 0.0, np.inf)
        and final.alpha > 0
        and (type(final) is Lasso or (is_between(final.l1_ratio, 0.0, 1.0) and final.l1_ratio > 0))
        and type(final.fit_intercept) is bool
        and type(final.positive) is bool
        and type(final.precompute) is bool
        and final.selection in ("cyclic", "random")
        and final.warm_start in (False, True)
        and is_between(final.tol, 0.0, np.inf)
        and is_between(final.max_iter, 1, np.inf)
    )


SOLVERS = (LassoSolver(),)
