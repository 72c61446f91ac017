"""Logistic paths started from the minima of all rows, and steps among coefficients of given signs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from twin import assert_twins, bootstraps, fits_of, folds, solve

from foldwise.data.dataset import make_dataset
from foldwise.solvers import logistic
from foldwise.solvers.logistic import LogisticSolver
from foldwise.solvers.logistic_loss import Logistic
from foldwise.solvers.logistic_newton import Descent, step_within
from foldwise.solvers.logistic_warm_start import RegularizationPath, WarmStart, minima_along

SOLVER = LogisticSolver()
RESPONSES = ("predict_proba", "decision_function")
NEWTON: dict[str, Any] = {"solver": "newton-cholesky", "tol": 1e-12, "max_iter": 1000}
SHAPES = {"two classes": (55, 2), "six classes": (9, 6)}  # columns, classes


def rows(rng: np.random.Generator, count: int, width: int, classes: int) -> tuple[Any, Any]:
    X = rng.normal(size=(count, width))
    scores = X[:, :5] @ rng.normal(size=(5, classes)) + rng.gumbel(size=(count, classes))
    codes = scores.argmax(axis=1)
    codes[: 3 * classes] = np.arange(3 * classes) % classes
    return X, np.array([f"class {code}" for code in codes])


def tight(estimators: list[Any]) -> list[Any]:
    finals = [LogisticRegression(**{**estimator[-1].get_params(), **NEWTON}) for estimator in estimators]
    return [
        make_pipeline(*(step for _, step in made.steps[:-1]), final)
        for made, final in zip(estimators, finals, strict=True)
    ]


@pytest.mark.few(3)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("has_weights", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(
    "options", [{}, {"fit_intercept": False, "class_weight": "balanced"}], ids=["intercept", "balanced"]
)
def test_warm_started_minima_equal_tight_newton(options: Any, has_weights: bool, shape: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rows(rng, 150, *SHAPES[shape])
    data = make_dataset(X, y, weights=rng.uniform(0.2, 3, len(y)) if has_weights else None)
    estimators = [make_pipeline(StandardScaler(), LogisticRegression(C=C, **options)) for C in (1e-5, 0.01, 1.0, 100.0)]
    splits = folds(150, 3)[:1] + bootstraps(150, 1)
    assert_twins(SOLVER, estimators, data, splits, RESPONSES, 1e-6, plain_estimators=tight(estimators))


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(30, 80), st.integers(5, 9), st.integers(3, 8), st.floats(-5, 4))
def test_warm_started_minima_have_no_slope(seed: int, count: int, width: int, classes: int, log_rate: float) -> None:
    """Whatever the size of the training set, with equal and constant columns."""
    rng = np.random.default_rng(seed)
    X, y = rows(rng, count, width, classes)
    X[:, 1], X[:, 2] = X[:, 0], 0.0
    loss = make_loss(X, y, rng.uniform(0.5, 2, count))
    part = np.union1d(np.arange(classes), rng.permutation(count)[: rng.integers(5, count + 1)])  # every class is there
    small = Logistic(loss.X[part], loss.hot[:, part], loss.weights[part], loss.penalised)
    rates = 10.0 ** np.array([log_rate + 1, log_rate])
    for found, rate in zip(minima_along(small, WarmStart(loss), rates), rates, strict=True):
        assert found is not None
        assert np.abs(small.at(found, float(rate)).gradient).max() < 1e-6


def make_loss(X: Any, y: Any, weights: Any) -> Logistic:
    codes = np.unique(y, return_inverse=True)[1]
    table = np.column_stack([X - X.mean(axis=0), np.ones(len(X))])
    return Logistic(table, np.eye(codes.max() + 1)[codes].T.copy(), weights, np.append(np.ones(X.shape[1]), 0.0))


def test_columns_in_odd_units_and_classes_that_part_have_their_minima() -> None:
    X, y = rows(np.random.default_rng(1), 120, 9, 6)
    X[:, 0] = np.unique(y, return_inverse=True)[1]
    data = make_dataset(X * np.geomspace(1e-3, 50, 9), y)
    estimators = [make_pipeline("passthrough", LogisticRegression(C=C)) for C in (0.01, 1.0, 1e4, 1e6)]
    assert_twins(SOLVER, estimators, data, folds(120, 3)[:1], RESPONSES[:1], 1e-6, plain_estimators=tight(estimators))


def test_answers_do_not_depend_on_what_was_asked_before() -> None:
    X, y = rows(np.random.default_rng(2), 100, 9, 6)
    wanted = fits_of([LogisticRegression(C=C) for C in (0.1, 2.0)], folds(100, 3)[:1], RESPONSES)
    others = fits_of([LogisticRegression(C=C) for C in (0.001, 50.0)], folds(100, 4)[:2], RESPONSES)
    fresh, used = make_dataset(X, y), make_dataset(X, y)
    solve(SOLVER, others, used)
    for one, other in zip(solve(SOLVER, wanted, fresh), solve(SOLVER, wanted, used), strict=True):
        assert one is not None
        assert other is not None
        np.testing.assert_array_equal(one["predict_proba"], other["predict_proba"])


def test_rows_held_out_have_no_say() -> None:
    X, y = rows(np.random.default_rng(3), 100, 9, 6)
    train, held_out = folds(100, 3)[0]
    changed = y.copy()
    changed[held_out] = changed[held_out][::-1]
    fits = fits_of([LogisticRegression(C=C) for C in (0.1, 10.0)], [(train, held_out)], RESPONSES)
    for one, other in zip(
        solve(SOLVER, fits, make_dataset(X, y)), solve(SOLVER, fits, make_dataset(X, changed)), strict=True
    ):
        assert one is not None
        assert other is not None
        np.testing.assert_allclose(one["predict_proba"], other["predict_proba"], rtol=0, atol=1e-7)


def test_a_minimum_that_cannot_be_certified_is_left_to_the_plain_loop(monkeypatch: Any) -> None:
    monkeypatch.setattr("foldwise.solvers.logistic_warm_start.MOST_STEPS", 1)
    X, y = rows(np.random.default_rng(4), 100, 9, 6)
    assert solve(SOLVER, fits_of([LogisticRegression()], folds(100, 3)[:1], RESPONSES), make_dataset(X, y)) == [None]


def test_warm_started_and_whole_steps_come_to_the_same_minimum(monkeypatch: Any) -> None:
    X, y = rows(np.random.default_rng(5), 100, 9, 6)
    fits, data = fits_of([LogisticRegression(C=C) for C in (0.1, 10.0)], folds(100, 3), RESPONSES), make_dataset(X, y)
    short = solve(SOLVER, fits, data)
    monkeypatch.setattr(logistic, "MOST_WHOLE", 10**6)
    for one, other in zip(short, solve(SOLVER, fits, data), strict=True):
        assert one is not None
        assert other is not None
        np.testing.assert_allclose(one["decision_function"], other["decision_function"], rtol=0, atol=1e-7)


@pytest.mark.parametrize("classes", [4, 10])
def test_weak_absolute_penalties_use_nearly_every_coefficient(classes: int) -> None:
    """There, all classes may use a column with balanced signs, and the same added to each changes nothing."""
    X, y = rows(np.random.default_rng(6), 160, 12, classes)
    loss = make_loss(X, y, np.ones(160))
    descent = Descent(loss)
    for penalty in (10.0, 1.0, 0.3, 0.1, 0.03, 0.01):
        found = descent.minimum(0.0, penalty)
        assert found is not None, penalty
        slopes, used = loss.at(found, 0.0).gradient, found != 0
        assert np.abs(slopes[:, :-1]).max() <= penalty + 1e-7
        np.testing.assert_allclose(
            slopes[:, :-1][used[:, :-1]], -penalty * np.sign(found[:, :-1])[used[:, :-1]], atol=1e-7
        )


@given(st.integers(0, 10**6), st.integers(1, 8))
def test_a_step_keeps_to_its_signs_and_goes_down(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(size, size))
    hessian, slopes = root @ root.T + 0.1 * np.eye(size), rng.normal(size=size)
    signs = rng.integers(-1, 2, size).astype(float)
    here = np.where(signs == 0, rng.normal(size=size), signs * rng.integers(0, 2, size))
    slopes = np.where(here * signs == 0, -np.abs(slopes) * np.where(signs == 0, 1, signs), slopes)  # zeros are wanted
    moves, is_kept = step_within(hessian, slopes, here, signs)
    assert ((here + moves) * signs >= -1e-12).all()
    assert slopes @ moves + 0.5 * moves @ hessian @ moves <= 1e-12
    if is_kept:
        np.testing.assert_allclose(hessian @ moves, -slopes, atol=1e-8)


def test_a_path_carries_a_parabola_on() -> None:
    path = RegularizationPath((1,))
    assert path.extrapolate(2.0).tolist() == [0.0]
    for power in (3, 2, 1):
        path.add(np.exp(power / 2), np.array([power**2 + 1.0]))
    np.testing.assert_allclose(path.extrapolate(1.0), [1.0], atol=1e-12)
    assert path.extrapolate(np.exp(-9.0)).tolist() == [0.0]
