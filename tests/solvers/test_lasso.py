"""Lasso and elastic net against scikit-learn and their optimality conditions (solvers/lasso_active_set.py)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import TransformedTargetRegressor
from sklearn.linear_model import ElasticNet, Lasso
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from twin import assert_twins, bootstraps, fits_of, folds, pairs, requests_of, solve

from foldwise.data.dataset import make_dataset
from foldwise.learners.catalogue import builtin
from foldwise.solvers.finding import find
from foldwise.solvers.lasso import LassoSolver
from foldwise.solvers.lasso_active_set import Gram, Rows, elastic_path, lasso_path

SOLVER = LassoSolver()
ALPHAS = np.geomspace(0.003, 20, 5)
TIGHT: dict[str, Any] = {"tol": 1e-13, "max_iter": 1_000_000}


def rows(rng: np.random.Generator, count: int = 60, width: int = 7) -> tuple[Any, Any]:
    X = rng.normal(size=(count, width)) * rng.uniform(0.3, 3, width) + 5
    return X, X @ np.where(rng.random(width) < 0.5, 0.0, rng.normal(size=width)) + rng.normal(size=count) + 30


def as_it_is(estimator: Any) -> Any:
    return estimator


def after_scaling(estimator: Any) -> Any:
    return make_pipeline(StandardScaler(), estimator)


def after_scaling_both(estimator: Any) -> Any:
    return make_pipeline(StandardScaler(), TransformedTargetRegressor(estimator, transformer=StandardScaler()))


@pytest.mark.few(4)
@pytest.mark.parametrize("wrap", [as_it_is, after_scaling, after_scaling_both])
@pytest.mark.parametrize("has_weights", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(
    "options", [{}, {"fit_intercept": False}, {"positive": True}], ids=["intercept", "no intercept", "positive"]
)
@pytest.mark.parametrize("kind", [Lasso, ElasticNet])
def test_path_equals_tight_coordinate_descent(kind: Any, options: Any, has_weights: bool, wrap: Any) -> None:
    rng = np.random.default_rng(0)
    X, y = rows(rng)
    data = make_dataset(X, y, weights=rng.uniform(0.2, 3, len(y)) if has_weights else None)
    splits = folds(60, 3)[:2] + pairs(60, 4)[:1] + bootstraps(60, 1)
    assert_twins(SOLVER, [wrap(kind(alpha, **options, **TIGHT)) for alpha in ALPHAS], data, splits, tolerance=1e-7)


@pytest.mark.parametrize("kind", [Lasso, ElasticNet])
def test_more_columns_than_rows_equal_tight_coordinate_descent(kind: Any) -> None:
    rng = np.random.default_rng(1)
    X, y = rows(rng, 24, 60)
    data = make_dataset(X, y, weights=rng.uniform(0.2, 3, 24))
    estimators = [after_scaling(kind(alpha, **TIGHT)) for alpha in np.geomspace(0.01, 5, 5)]
    assert_twins(SOLVER, estimators, data, folds(24, 3), tolerance=1e-6)


def test_leaving_one_row_out_equals_refitting() -> None:
    X, y = rows(np.random.default_rng(2), 12, 3)
    data = make_dataset(X, y)
    assert_twins(SOLVER, [after_scaling(Lasso(alpha, **TIGHT)) for alpha in (0.01, 0.5)], data, folds(12, 12))


@given(st.integers(0, 10**6), st.integers(8, 40), st.integers(1, 12), st.sampled_from([1e-4, 1e-2, 1.0]))
def test_awkward_columns_equal_tight_coordinate_descent(seed: int, count: int, width: int, least: float) -> None:
    """Small whole numbers make columns that are constant, equal, or mixtures of others."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(count, width)).astype(float)
    X = np.column_stack([X, X[:, 0], X[:, 0] - X[:, -1], np.ones(count)])
    y = X @ rng.integers(-2, 3, width + 3) + rng.normal(size=count)
    data = make_dataset(X, y)
    estimators = [Lasso(alpha, **TIGHT) for alpha in (least, 3 * least, 2.0)]
    splits = [(np.arange(count), np.arange(count))]  # outside them, mixtures of the training rows need not hold
    assert_twins(SOLVER, estimators, data, splits, tolerance=1e-6, allow_none=True)


@given(st.integers(0, 10**6), st.integers(5, 40), st.integers(1, 50), st.booleans())
def test_every_point_of_a_path_meets_the_optimality_conditions(seed: int, n: int, d: int, is_held: bool) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)) @ (np.eye(d) + 0.5), rng.normal(size=n)
    linear = X.T @ y
    penalties = np.abs(linear).max() * np.geomspace(1.1, 1e-4, 12)
    path = lasso_path(Gram(X.T @ X, linear) if is_held else Rows(X, y), penalties)
    for penalty, coefficients in zip(penalties, path, strict=True):
        assert coefficients is not None
        rest = linear - X.T @ (X @ coefficients)
        slack = 1e-8 * penalty + 1e-10 * np.abs(linear).max()
        assert np.abs(rest).max() <= penalty + slack
        used = coefficients != 0
        assert np.abs(rest[used] - penalty * np.sign(coefficients[used])).max(initial=0.0) <= slack


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(5, 30), st.integers(1, 30), st.sampled_from([0.01, 0.5, 0.95]))
def test_every_elastic_net_meets_the_optimality_conditions(seed: int, n: int, d: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)) @ (np.eye(d) + 0.5), rng.normal(size=n)
    linear = X.T @ y
    penalties = np.abs(linear).max() * np.geomspace(1.0, 1e-3, 6)
    path = elastic_path(Gram(X.T @ X, linear, y @ y), penalties, share=share)
    for penalty, coefficients in zip(penalties, path, strict=True):
        assert coefficients is not None
        rest = linear - X.T @ (X @ coefficients) - penalty * (1 - share) * coefficients
        assert np.abs(rest).max() <= penalty * share + 1e-5 * np.abs(linear).max()


def test_an_elastic_net_that_descends_too_slowly_is_solved_exactly() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 1)) + 1e-4 * rng.normal(size=(40, 6))
    y = X @ rng.normal(size=6) * 1e3
    linear = X.T @ y
    (found,) = elastic_path(Gram(X.T @ X, linear, y @ y), [1e-9], share=0.9)
    assert found is not None
    rest = linear - X.T @ (X @ found) - 1e-10 * found
    assert np.abs(rest).max() <= 0.9e-9 + 1e-10 * np.abs(linear).max()


def test_an_answer_does_not_depend_on_other_training_parts() -> None:
    X, y = rows(np.random.default_rng(4))
    data = make_dataset(X, y)
    together = solve(SOLVER, fits_of([Lasso(0.1)], folds(60, 4), ("predict",)), data)
    alone = [solve(SOLVER, fits_of([Lasso(0.1)], [split], ("predict",)), data)[0] for split in folds(60, 4)]
    for one, other in zip(together, alone, strict=True):
        assert one is not None
        assert other is not None
        np.testing.assert_array_equal(one["predict"], other["predict"])


def test_a_column_that_varies_only_in_the_held_out_rows_does_no_harm() -> None:
    X, y = rows(np.random.default_rng(5))
    X[:20, 0], X[20:, 0] = 1e7 * np.arange(20), 3.0
    data = make_dataset(X, y)
    split = (np.arange(20, 60), np.arange(20, 40))
    assert_twins(SOLVER, [Lasso(alpha, **TIGHT) for alpha in (0.01, 1.0)], data, [split], tolerance=1e-9)


class Mine(Lasso):
    """A subclass may do anything."""


@pytest.mark.parametrize(
    "estimator",
    [Lasso(0.0), ElasticNet(1.0, l1_ratio=0.0), Lasso(precompute=np.eye(7)), Mine(), Lasso("much"), Lasso(-1.0)],
    ids=["no penalty", "no absolute penalty", "own Gram", "subclass", "word", "negative"],
)
def test_what_it_cannot_answer_is_left_alone(estimator: Any) -> None:
    data = make_dataset(*rows(np.random.default_rng(6)))
    assert not SOLVER.takes(estimator, data)


def test_tables_with_gaps_and_classes_are_left_alone() -> None:
    X, y = rows(np.random.default_rng(7))
    gaps = X.copy()
    gaps[3, 2] = np.nan
    assert not SOLVER.takes(Lasso(), make_dataset(gaps, y))
    assert not SOLVER.takes(Lasso(), make_dataset(X, y > y.mean()))


def test_the_built_in_lasso_is_found_and_answered() -> None:
    data = make_dataset(*rows(np.random.default_rng(8)))
    learner = builtin("lasso", data, overrides={"alpha": 0.05}).estimator
    assert find([learner], data, is_builtin=True).name == "lasso"  # type: ignore[union-attr]
    assert find([Lasso()], data, is_builtin=False) is None or find([Lasso()], data, is_builtin=False).is_exact  # type: ignore[union-attr]
    assert_twins(SOLVER, [learner], data, folds(60, 3), tolerance=1e-2)


def test_it_pays_for_paths_and_not_for_one_fit_of_a_large_table() -> None:
    small = make_dataset(*rows(np.random.default_rng(9)))
    assert SOLVER.pays(requests_of(fits_of([Lasso()], folds(60, 3), ("predict",))), small)
    large = make_dataset(np.random.default_rng(9).normal(size=(5000, 300)), np.arange(5000.0))
    split = folds(5000, 2)[:1]
    assert not SOLVER.pays(requests_of(fits_of([Lasso()], split, ("predict",))), large)
    assert SOLVER.pays(requests_of(fits_of([Lasso(alpha) for alpha in ALPHAS], split, ("predict",))), large)
