"""Logistic paths (solvers/logistic.py, solvers/logistic_newton.py, solvers/logistic_loss.py) against scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from twin import assert_twins, bootstraps, fits_of, folds, requests_of, solve

from foldwise.data.dataset import make_dataset
from foldwise.learners.catalogue import builtin
from foldwise.solvers.finding import find
from foldwise.solvers.logistic import LogisticSolver
from foldwise.solvers.logistic_loss import Logistic
from foldwise.solvers.logistic_newton import Descent

SOLVER = LogisticSolver()
RESPONSES = ("predict", "predict_proba", "decision_function")
TIGHT: dict[str, Any] = {"tol": 1e-12, "max_iter": 1_000_000, "random_state": 0}
NEWTON: dict[str, Any] = {"solver": "newton-cholesky", **TIGHT}


def rows(rng: np.random.Generator, count: int = 80, width: int = 4, classes: int = 2) -> tuple[Any, Any]:
    X = rng.normal(size=(count, width)) * rng.uniform(0.3, 3, width) + 2
    scores = (X - 2) @ rng.normal(size=(width, classes)) + rng.gumbel(size=(count, classes))
    names = np.array(["ash", "beech", "cedar", "deal"])
    return X, names[scores.argmax(axis=1)]


def twins(
    options: Any, plain: Any, data: Any, splits: Any, *, Cs: Any = (0.01, 1.0, 100.0), tolerance: float = 1e-6
) -> None:
    """The solver on scaled columns with these options against scikit-learn with its own."""
    estimators = [make_pipeline(StandardScaler(), LogisticRegression(C=C, **options)) for C in Cs]
    tight = [make_pipeline(StandardScaler(), LogisticRegression(C=C, **{**options, **plain})) for C in Cs]
    assert_twins(SOLVER, estimators, data, splits, RESPONSES, tolerance, plain_estimators=tight)


@pytest.mark.few(4)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("has_weights", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(
    "options",
    [{}, {"fit_intercept": False}, {"class_weight": "balanced"}],
    ids=["intercept", "no intercept", "balanced"],
)
def test_squared_penalties_equal_tight_newton(options: Any, has_weights: bool, classes: int) -> None:
    rng = np.random.default_rng(0)
    X, y = rows(rng, classes=classes)
    data = make_dataset(X, y, weights=rng.uniform(0.2, 3, len(y)) if has_weights else None)
    twins(options, NEWTON, data, folds(80, 3)[:2] + bootstraps(80, 1))


def test_lbfgs_has_the_same_minimum() -> None:
    X, y = rows(np.random.default_rng(1), classes=3)
    twins({}, {"tol": 1e-14, "max_iter": 100_000}, make_dataset(X, y), folds(80, 2), Cs=(0.1, 1.0), tolerance=1e-5)


def test_unscaled_columns_equal_tight_newton() -> None:
    X, y = rows(np.random.default_rng(2))
    data = make_dataset(X * [1e-3, 1.0, 50.0, 1.0] + [0.0, 300.0, 0.0, 0.0], y)
    estimators = [LogisticRegression(C=C) for C in (0.01, 10.0)]
    tight = [LogisticRegression(C=C, **NEWTON) for C in (0.01, 10.0)]
    assert_twins(SOLVER, estimators, data, folds(80, 3), RESPONSES, 1e-6, plain_estimators=tight)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_liblinear_penalises_its_intercept(share: float) -> None:
    rng = np.random.default_rng(3)
    X, y = rows(rng)
    data = make_dataset(X, y, weights=rng.uniform(0.5, 2, len(y)))
    options = {"solver": "liblinear", "l1_ratio": share, "intercept_scaling": 1.5}
    twins(options, TIGHT, data, folds(80, 3)[:2], Cs=(0.1, 1.0, 20.0))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("share", [0.4, 1.0])
def test_absolute_penalties_equal_tight_saga(share: float, classes: int) -> None:
    X, y = rows(np.random.default_rng(4), classes=classes)
    options = {"solver": "saga", "l1_ratio": share}
    twins(
        options,
        {"tol": 1e-10, "max_iter": 100_000, "random_state": 0},
        make_dataset(X, y),
        folds(80, 3)[:1],
        Cs=(0.3, 3.0),
    )


def test_saga_that_uses_no_column_is_left_to_the_plain_loop() -> None:
    """It stops there before its intercept has settled, so the optimum would not be its answer."""
    X, y = rows(np.random.default_rng(4))
    estimators = [LogisticRegression(C=1e-3, solver=solver, l1_ratio=1) for solver in ("saga", "liblinear")]
    fits = fits_of(estimators, folds(80, 3)[:1], ("predict",))
    saga, liblinear = solve(SOLVER, fits, make_dataset(X, y))
    assert saga is None
    assert liblinear is not None


def test_classes_that_can_be_told_apart_have_their_minimum_too() -> None:
    X, y = rows(np.random.default_rng(5))
    X[:, 0] = np.where(y == "ash", 5.0, -5.0)
    twins({}, NEWTON, make_dataset(X, y), folds(80, 3)[:2], Cs=(1e-4, 1.0, 1e4, 1e6))


def test_leaving_one_row_out_equals_refitting() -> None:
    X, y = rows(np.random.default_rng(6), 15, 2)
    twins({}, NEWTON, make_dataset(X, y), folds(15, 15), Cs=(0.5,))


@given(st.integers(0, 10**6), st.integers(12, 40), st.integers(1, 20), st.integers(2, 4))
def test_awkward_columns_equal_tight_newton(seed: int, count: int, width: int, classes: int) -> None:
    """Constant columns, equal columns, more columns than rows; a class may be missing from the training rows."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(count, width)).astype(float)
    X = np.column_stack([X, X[:, 0], np.ones(count)])
    _, y = rows(rng, count, 2, classes)
    if len(set(y)) < 2:
        y[0] = "deal" if y[0] != "deal" else "ash"
    data = make_dataset(X, y)
    Cs = (0.01, 1.0, 30.0)
    splits = [split for split in folds(count, 2, seed) if len(set(y[split[0]])) == len(data.classes)]
    tight = [LogisticRegression(C=C, **NEWTON) for C in Cs]
    estimators = [LogisticRegression(C=C) for C in Cs]
    assert_twins(SOLVER, estimators, data, splits, RESPONSES[1:], 1e-5, plain_estimators=tight)


@given(st.integers(0, 10**6), st.integers(2, 4), st.floats(-4, 4))
def test_the_gradient_vanishes_at_a_squared_minimum(seed: int, classes: int, log_rate: float) -> None:
    loss = make_loss(seed, classes)
    rate = 10**log_rate
    found = Descent(loss).minimum(rate)
    assert found is not None
    assert np.abs(loss.at(found, rate).gradient).max() < 1e-8


@given(st.integers(0, 10**6), st.integers(2, 4), st.floats(-4, 1.5))
def test_an_absolute_minimum_meets_its_conditions(seed: int, classes: int, log_penalty: float) -> None:
    loss = make_loss(seed, classes)
    penalty = 10**log_penalty
    found = Descent(loss).minimum(0.0, penalty)
    assert found is not None or penalty < 0.003  # classes that are nearly apart may be left to the plain loop
    if found is None:
        return
    slopes, found = loss.at(found, 0.0).gradient.T, found.T
    assert np.abs(slopes[-1]).max() < 1e-7  # the intercepts are free
    assert np.abs(slopes[:-1]).max() <= penalty * (1 + 1e-6) + 1e-8
    used = found[:-1] != 0
    np.testing.assert_allclose(slopes[:-1][used], -penalty * np.sign(found[:-1][used]), rtol=0, atol=1e-7)


def make_loss(seed: int, classes: int) -> Logistic:
    rng = np.random.default_rng(seed)
    X, y = rows(rng, 30, 5, classes)
    X = np.column_stack([X - X.mean(axis=0), np.ones(30)])
    codes = np.unique(y, return_inverse=True)[1]
    hot = np.eye(codes.max() + 1)[codes].T if codes.max() > 1 else codes[None].astype(float)
    return Logistic(X, hot, rng.uniform(0.5, 2, 30), np.append(np.ones(5), 0.0))


def test_a_class_missing_from_the_training_rows_is_left_to_the_plain_loop() -> None:
    X, y = rows(np.random.default_rng(7), classes=3)
    data = make_dataset(X, y)
    present, missing = np.flatnonzero(y != "beech"), np.flatnonzero(y == "beech")
    fits = fits_of([LogisticRegression()], [(present, missing)], ("predict",))
    assert solve(SOLVER, fits, data) == [None]


class Mine(LogisticRegression):
    """A subclass may do anything."""


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(C=np.inf),
        LogisticRegression(class_weight={"ash": 2.0}),
        LogisticRegression(solver="liblinear", dual=True),
        LogisticRegression(l1_ratio=1.0),
        Mine(),
        LogisticRegression(penalty="l2"),
    ],
)
def test_what_it_cannot_answer_is_left_alone(estimator: Any) -> None:
    assert not SOLVER.takes(estimator, make_dataset(*rows(np.random.default_rng(8))))


def test_several_classes_are_left_alone_for_liblinear() -> None:
    data = make_dataset(*rows(np.random.default_rng(9), classes=3))
    assert not SOLVER.takes(LogisticRegression(solver="liblinear"), data)
    assert SOLVER.takes(LogisticRegression(), data)


@pytest.mark.parametrize(
    ("options", "columns", "classes", "is_taken"),
    [
        ({}, 5, 2, True),
        ({}, 60, 12, True),
        ({}, 350, 2, True),
        ({}, 450, 2, False),
        ({}, 60, 15, False),
        ({"solver": "saga", "l1_ratio": 1.0}, 60, 15, True),
        ({"solver": "saga", "l1_ratio": 1.0}, 200, 20, False),
    ],
)
def test_the_cost_rule_leaves_many_coefficients_to_the_plain_loop(
    options: Any, columns: int, classes: int, is_taken: bool
) -> None:
    y = np.array([f"class {code}" for code in np.arange(60) % classes])
    data = make_dataset(np.random.default_rng(10).normal(size=(60, columns)), y)
    fits = fits_of([LogisticRegression(**options)], folds(60, 2), ("predict",))
    assert SOLVER.takes(LogisticRegression(**options), data) == is_taken
    assert SOLVER.pays(requests_of(fits), data) == is_taken


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cg", "newton-cholesky", "sag", "saga"])
def test_a_users_own_object_is_found_when_tight_or_asked_for(solver: str) -> None:
    data = make_dataset(*rows(np.random.default_rng(9), classes=3))
    loose, tight = (make_pipeline(StandardScaler(), LogisticRegression(solver=solver, tol=tol)) for tol in (1e-4, 1e-9))
    assert getattr(find([loose], data, is_builtin=False), "name", None) != "logistic"
    assert find([loose], data, solvers="all", is_builtin=False).name == "logistic"  # type: ignore[union-attr]
    assert find([tight], data, is_builtin=False).name == "logistic"  # type: ignore[union-attr]


def test_the_built_in_logistic_is_found_and_answered() -> None:
    data = make_dataset(*rows(np.random.default_rng(11)))
    learner = builtin("logistic", data, overrides={"C": 1.0}).estimator
    assert find([learner], data, is_builtin=True).name == "logistic"  # type: ignore[union-attr]
    assert_twins(SOLVER, [learner], data, folds(80, 3), RESPONSES, tolerance=1e-6)


@pytest.mark.parametrize("scale", [1e4, 1e8, 1e20, 1e150])
@pytest.mark.parametrize("cuts", [[0.0], [-0.7, 0.7]], ids=["two classes", "three classes"])
def test_columns_of_huge_numbers_leave_the_intercept_its_minimum(cuts, scale):
    """Where the penalty is next to nothing, the scale of the columns changes no decision."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 3))
    classes = np.digitize(X[:, 0] + 1.0 + rng.normal(size=50), cuts)
    train, rows = folds(50, 3)[0]
    fit = fits_of([LogisticRegression(C=100.0, tol=1e-9)], [(train, rows)], ("decision_function",))
    [found] = solve(SOLVER, fit, make_dataset(scale * X, classes))
    assert found is not None
    model = LogisticRegression(C=1e10, tol=1e-12, max_iter=10_000, solver="newton-cholesky")
    expected = model.fit(X[train], classes[train]).decision_function(X[rows])
    if expected.ndim == 2:  # next to no penalty leaves scikit-learn's classes a common part
        expected -= expected.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(found["decision_function"], expected, atol=1e-6)
