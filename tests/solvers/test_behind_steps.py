"""Nearest neighbours behind preprocessing that learns from every training set, against fitting whole pipelines."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from twin import assert_twins, bootstraps, fits_of, folds

import foldwise as fw
from foldwise.data.dataset import make_dataset
from foldwise.solvers import behind_steps
from foldwise.solvers.behind_steps import SOLVERS
from foldwise.solvers.finding import find

ROWS = 70


def frame(rows=ROWS, seed=0):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(rows, 4)), columns=list("abcd")).assign(
        town=rng.choice(["x", "y", "z"], rows)
    )
    table.iloc[::7, 0] = np.nan
    return table, table["b"] - table["c"] + (table["town"] == "x") + 0.3 * rng.normal(size=rows)


def prepared(estimator):
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    columns = make_column_transformer((numbers, list("abcd")), (OneHotEncoder(sparse_output=False), ["town"]))
    return make_pipeline(columns, estimator)


[SOLVER] = SOLVERS
REGRESSORS = [KNeighborsRegressor(k, weights=how) for k in (1, 4, 9) for how in ("uniform", "distance")]
CLASSIFIERS = [KNeighborsClassifier(k) for k in (1, 4, 9)]


def test_numbers_are_those_of_whole_pipelines():
    data = make_dataset(*frame())
    assert_twins(SOLVER, [prepared(one) for one in REGRESSORS], data, folds(ROWS, 3) + bootstraps(ROWS, 1))


@pytest.mark.parametrize("classes", [2, 3])
def test_classes_are_those_of_whole_pipelines(classes):
    table, y = frame()
    data = make_dataset(table, pd.qcut(y, classes, labels=["low", "high", "top"][:classes]).astype(str))
    models = [prepared(one) for one in CLASSIFIERS]
    assert_twins(SOLVER, models, data, folds(ROWS, 3), ("predict", "predict_proba"))


def test_predictions_of_a_scaled_target_come_back_in_its_unit():
    table, y = frame()
    models = [
        prepared(TransformedTargetRegressor(KNeighborsRegressor(k), transformer=StandardScaler())) for k in (2, 5)
    ]
    assert_twins(SOLVER, models, make_dataset(table, 50 + 100 * y), folds(ROWS, 3))


def test_what_the_steps_make_no_numbers_of_is_fitted_behind_them_one_by_one():
    table, y = frame()
    sparse = make_column_transformer((OneHotEncoder(), ["town"]), (StandardScaler(), ["b", "c"]), sparse_threshold=1)
    models = [make_pipeline(sparse, KNeighborsRegressor(k)) for k in (2, 5)]
    assert_twins(SOLVER, models, make_dataset(table, y), folds(ROWS, 3))


def test_steps_of_unknown_code_are_left_to_the_plain_loop():
    table, y = frame()
    data = make_dataset(table.drop(columns="town"), y)
    model = make_pipeline(FunctionTransformer(lambda X: X.fillna(0.0)), KNeighborsRegressor())
    assert not SOLVER.takes(model, data)
    assert not SOLVER.takes(KNeighborsRegressor(), data)  # nothing stands before it


def test_one_pass_answers_all_candidates_of_a_training_set(monkeypatch):
    """Without this the numbers are the same, and every candidate is fitted on its own."""
    table, y = frame()
    data = make_dataset(table, y)
    models = [prepared(KNeighborsRegressor(k)) for k in range(1, 11)]
    fits = fits_of(models, folds(ROWS, 3), ("predict",))
    assert find(models, data, is_builtin=False) is SOLVER
    assert SOLVER.fits_for(models) == 1
    fitted = []
    monkeypatch.setattr(behind_steps.Anything, "fit", lambda self, estimators, *_: fitted.append(estimators))
    assert all(answer is not None for answer in SOLVER.solve(fits, data))
    assert not fitted


def test_a_study_of_a_mixed_table_has_the_numbers_of_the_plain_loop():
    table, y = frame(60)
    asked = {"outer": 7, "inner": "aligned", "jobs": 1, "progress": False, "guards": False, "effort": "quick"}
    fast, plain = (fw.compare(["k-nn"], table, y, solvers=solvers, **asked).to_dict() for solvers in ("auto", False))
    found, expected = ([fold["loss"] for fold in one["methods"][0]["folds"]] for one in (fast, plain))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_fit_made_again_on_its_own_has_the_same_digits():
    models = [prepared(one) for one in REGRESSORS]
    fits, data = fits_of(models, folds(ROWS, 3), ("predict",)), make_dataset(*frame())
    for fit, answer in zip(fits, SOLVER.solve(fits, data), strict=True):
        [again] = SOLVER.solve([fit], make_dataset(*frame()))
        np.testing.assert_array_equal(again["predict"], answer["predict"])
