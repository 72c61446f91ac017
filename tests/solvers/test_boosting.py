"""Shorter runs of boosting read from the longest, against fitting each of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.tree import DecisionTreeClassifier
from twin import assert_twins, bootstraps, fits_of, folds, requests_of

from foldwise.data.dataset import make_dataset
from foldwise.learners.estimators.catboosted import CatBoostedClassifier, CatBoostedRegressor
from foldwise.solvers.boosting import SOLVERS

HISTOGRAM, GRADIENT, ADABOOST, LIGHTGBM, XGBOOST = SOLVERS[:5]
ROUNDS = (1, 2, 6, 13)
ALL_RESPONSES = ("predict", "predict_proba", "decision_function")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4))
    return X, X[:, 0] + rng.normal(size=90), rng.uniform(0.5, 2, 90)


@pytest.fixture(params=["two classes", "two classes, the first positive", "four classes"])
def labelled(request, table):
    X, y, weights = table
    if request.param == "four classes":
        return make_dataset(X, np.digitize(y, [-1, 0, 1]).astype(str), weights=weights)
    return make_dataset(X, np.digitize(y, [0]), weights=weights, positive=0 if "first" in request.param else None)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "options", [{"max_features": 0.5}, {"loss": "poisson"}, {"early_stopping": True, "n_iter_no_change": 2}], ids=str
)
def test_histogram_boosting_is_staged_bit_for_bit(options, table):
    """A run that stops early stops where it would have stopped with more rounds allowed."""
    X, y, weights = table
    data = make_dataset(X, np.exp(y / 2), weights=weights)
    models = [HistGradientBoostingRegressor(max_iter=r, random_state=1, **options) for r in (*ROUNDS, 40)]
    assert_twins(HISTOGRAM, models, data, folds(90, 2) + bootstraps(90, 1), tolerance=0)


def test_histogram_boosting_of_classes_is_staged_bit_for_bit(labelled):
    models = [HistGradientBoostingClassifier(max_iter=r, random_state=1) for r in ROUNDS]
    assert_twins(HISTOGRAM, models, labelled, folds(90, 2), ALL_RESPONSES, tolerance=0)


def test_gradient_boosting_is_staged_bit_for_bit(table):
    X, y, weights = table
    data = make_dataset(X, y, weights=weights)
    options = {"random_state": 1, "subsample": 0.5}
    models = [
        GradientBoostingRegressor(n_estimators=r, loss=loss, **options)
        for r in ROUNDS
        for loss in ("huber", "squared_error")
    ]
    assert_twins(GRADIENT, models, data, folds(90, 2), tolerance=0)


@pytest.mark.few(1)
def test_gradient_boosting_of_classes_is_staged_bit_for_bit(labelled):
    models = [
        GradientBoostingClassifier(n_estimators=r, random_state=1, n_iter_no_change=patience)
        for r in ROUNDS
        for patience in (None, 2)
    ]
    assert_twins(GRADIENT, models, labelled, folds(90, 2), ALL_RESPONSES, tolerance=0)


@pytest.mark.few(1)
def test_adaboost_is_staged_bit_for_bit(table, labelled):
    X, y, weights = table
    models = [AdaBoostRegressor(n_estimators=r, random_state=1) for r in ROUNDS]
    assert_twins(ADABOOST, models, make_dataset(X, y, weights=weights), folds(90, 2), tolerance=0)
    # a tree that leaves no error ends the run at once
    for depth in (1, 20):
        models = [
            AdaBoostClassifier(DecisionTreeClassifier(max_depth=depth), n_estimators=r, random_state=1) for r in ROUNDS
        ]
        assert_twins(ADABOOST, models, labelled, folds(90, 2), ALL_RESPONSES, tolerance=0)


def test_lightgbm_is_staged_to_the_last_digit(table):
    lightgbm = pytest.importorskip("lightgbm")
    X, y, weights = table
    options = {"random_state": 1, "subsample": 0.5, "subsample_freq": 1, "verbose": -1, "n_jobs": 1}
    options["min_child_samples"] = 5
    models = [lightgbm.LGBMRegressor(n_estimators=r, **options) for r in ROUNDS]
    assert_twins(LIGHTGBM, models, make_dataset(X, y, weights=weights), folds(90, 2), tolerance=1e-14)
    models = [lightgbm.LGBMClassifier(n_estimators=r, **options) for r in ROUNDS]
    labels = make_dataset(X, np.digitize(y, [-1, 1]).astype(str))
    assert_twins(LIGHTGBM, models, labels, folds(90, 2), ALL_RESPONSES[:2], tolerance=1e-14)
    assert not LIGHTGBM.takes(lightgbm.LGBMRegressor(boosting_type="dart"), labels)
    assert not LIGHTGBM.takes(lightgbm.LGBMRegressor(boosting="dart"), labels)


@pytest.mark.parametrize("drawn", [{"colsample_bytree": 0.5}, {"subsample": 0.3, "subsample_freq": 1}], ids=str)
def test_rounds_of_lightgbm_with_nothing_to_split_on_are_not_counted_as_trees(drawn):
    """A round that drew the wrong columns leaves no tree, and the next may draw others."""
    lightgbm = pytest.importorskip("lightgbm")
    X = np.column_stack([np.arange(36) % 2, np.arange(36) >= 27])
    data = make_dataset(X, 5.0 * X[:, 1] + np.arange(36) % 3 / 9)
    options = {"min_child_samples": 4, "min_split_gain": 1, "random_state": 3, "verbose": -1, "n_jobs": 1, **drawn}
    models = [lightgbm.LGBMRegressor(n_estimators=r, **options) for r in (1, 2, 3, 5, 9)]
    answers = assert_twins(LIGHTGBM, models, data, folds(36, 3), tolerance=1e-14, allow_none=True)
    assert answers[-1] is not None
    assert answers[0] is None


def test_xgboost_is_staged_bit_for_bit(table):
    xgboost = pytest.importorskip("xgboost")
    X, y, weights = table
    options = {"random_state": 1, "subsample": 0.5, "n_jobs": 1}
    models = [xgboost.XGBRegressor(n_estimators=r, **options) for r in ROUNDS]
    assert_twins(XGBOOST, models, make_dataset(X, y, weights=weights), folds(90, 2), tolerance=0)
    models = [xgboost.XGBClassifier(n_estimators=r, **options) for r in ROUNDS]
    labels = make_dataset(X, np.digitize(y, [-1, 1]))
    assert_twins(XGBOOST, models, labels, folds(90, 2), ALL_RESPONSES[:2], tolerance=0)
    assert not XGBOOST.takes(xgboost.XGBRegressor(n_estimators=5, booster="dart"), labels)
    assert not XGBOOST.takes(xgboost.XGBRegressor(n_estimators=5, early_stopping_rounds=2), labels)


@pytest.mark.parametrize("case", ["classes", "categories", "a user's own, of counts", "a user's own, of numbers"])
def test_short_runs_of_catboost_are_not_read_from_long_ones_with_other_defaults(case, table):
    """From 200 rounds on CatBoost settles the leaves of some goals in ten steps, and combines categories."""
    catboost = pytest.importorskip("catboost")
    X, y, _ = table
    options = {"learning_rate": 0.3, "depth": 2}
    if case == "categories":
        X = pd.DataFrame({"a": X[:, 0], "b": np.arange(90) % 3, "c": np.arange(90) % 7}).astype({"b": str, "c": str})
    make = CatBoostedClassifier if case == "classes" else CatBoostedRegressor
    if "own" in case:
        make = catboost.CatBoostRegressor
        options |= {
            "loss_function": "Poisson" if "counts" in case else "RMSE",
            "verbose": 0,
            "allow_writing_files": False,
        }
    data = make_dataset(X, np.where(y > 0, "high", "low") if case == "classes" else np.abs(y))
    models = [make(iterations=rounds, **options) for rounds in (3, 199, 200, 230)]
    solver = next(solver for solver in SOLVERS if solver.takes(models[0], data))
    assert_twins(solver, models, data, folds(90, 3)[:1], tolerance=0)


def test_rates_are_not_free_and_runs_that_go_on_are_not_taken(table):
    data, split = make_dataset(*table[:2]), folds(90, 2)[:1]
    runs = [HistGradientBoostingRegressor(max_iter=r) for r in (3, 9)]
    rates = [HistGradientBoostingRegressor(learning_rate=r) for r in (0.1, 0.3)]
    assert HISTOGRAM.pays(requests_of(fits_of(runs, split, ("predict",))), data)
    assert not HISTOGRAM.pays(requests_of(fits_of(rates, split, ("predict",))), data)
    assert not HISTOGRAM.takes(HistGradientBoostingRegressor(warm_start=True), data)
    assert not GRADIENT.takes(GradientBoostingRegressor(n_estimators=0), data)
