"""Nearest neighbours behind preprocessing, and of a sample of rows, against fitting every candidate by itself."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from twin import assert_twins, bootstraps, fits_of, folds, solve

import foldwise as fw
from foldwise.data.dataset import make_dataset
from foldwise.learners.estimators.nearest import NearestClassifier, NearestRegressor
from foldwise.learners.sample import RowSample
from foldwise.solvers.finding import find
from foldwise.solvers.nearest_families import SOLVERS

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


SAMPLED, SOLVER = SOLVERS
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


def test_what_the_steps_make_no_numbers_of_is_left_to_the_plain_loop():
    table, y = frame()
    sparse = make_column_transformer((OneHotEncoder(), ["town"]), (StandardScaler(), ["b", "c"]), sparse_threshold=1)
    gaps = make_column_transformer((StandardScaler(), list("abcd")))
    for steps in (sparse, gaps):
        fits = fits_of([make_pipeline(steps, KNeighborsRegressor(k)) for k in (2, 5)], folds(ROWS, 3), ("predict",))
        assert solve(SOLVER, fits, make_dataset(table, y)) == [None] * len(fits)


def test_a_class_that_a_training_set_lacks_has_no_neighbours():
    table, y = frame()
    labels = np.where(y > 0, "above", "below").astype(object)
    labels[:3] = "at the start"
    data = make_dataset(table, labels)
    split = [(np.arange(3, 50), np.arange(50, ROWS))]
    assert_twins(SOLVER, [prepared(one) for one in CLASSIFIERS], data, split, ("predict", "predict_proba"))


def test_steps_of_unknown_code_are_left_to_the_plain_loop():
    table, y = frame()
    data = make_dataset(table.drop(columns="town"), y)
    model = make_pipeline(FunctionTransformer(lambda X: X.fillna(0.0)), KNeighborsRegressor())
    assert not SOLVER.takes(model, data)
    assert not SOLVER.takes(KNeighborsRegressor(), data)  # nothing stands before it


def test_one_pass_answers_all_candidates_of_a_training_set():
    """Without this the numbers are the same, and every candidate is fitted on its own."""
    table, y = frame()
    models = [prepared(KNeighborsRegressor(k)) for k in range(1, 11)]
    assert find(models, make_dataset(table, y), is_builtin=False) is SOLVER
    assert SOLVER.fits_for(models) == 1


def test_a_study_of_a_mixed_table_has_the_numbers_of_the_plain_loop():
    table, y = frame(60)
    asked = {"outer": 7, "inner": "aligned", "jobs": 1, "progress": False, "guards": False, "effort": "quick"}
    fast, plain = (fw.compare(["k-nn"], table, y, solvers=solvers, **asked).to_dict() for solvers in ("auto", False))
    found, expected = ([fold["loss"] for fold in one["methods"][0]["folds"]] for one in (fast, plain))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_fit_made_again_on_its_own_has_the_same_digits():
    models = [prepared(one) for one in REGRESSORS]
    fits, data = fits_of(models, folds(ROWS, 3), ("predict",)), make_dataset(*frame())
    for fit, answer in zip(fits, solve(SOLVER, fits, data), strict=True):
        [again] = solve(SOLVER, [fit], make_dataset(*frame()))
        np.testing.assert_array_equal(again["predict"], answer["predict"])


SAMPLE_ROWS = 200


def sample_table(*, is_regression: bool = True):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, size=(SAMPLE_ROWS, 3)).astype(float)  # with ties
    y = X[:, 0] - X[:, 1] + rng.normal(size=SAMPLE_ROWS)
    return X, y if is_regression else np.array(["low", "mid", "top"])[np.digitize(y, (-2, 2))]


def sampled(kind):
    for k in (1, 4, 9):
        for how in ("uniform", "distance"):
            for seed in (0, 1):
                final = RowSample(kind(k, weights=how), max_rows=60, random_state=seed)
                yield final if k == 9 else make_pipeline(StandardScaler(), final)


@pytest.mark.parametrize("is_regression", [True, False])
def test_answers_are_those_of_the_learner_itself(is_regression):
    data = make_dataset(*sample_table(is_regression=is_regression))
    models = list(sampled(NearestRegressor if is_regression else NearestClassifier))
    responses = ("predict",) if is_regression else ("predict", "predict_proba")
    assert_twins(SAMPLED, models, data, folds(SAMPLE_ROWS, 3) + bootstraps(SAMPLE_ROWS, 1), responses, 0)


def test_scikit_learns_own_neighbours_are_left_to_the_plain_loop():
    assert not SAMPLED.takes(RowSample(KNeighborsRegressor(3), random_state=0), make_dataset(*sample_table()))


def test_a_built_in_learner_of_a_sample_has_the_numbers_of_the_plain_loop():
    words = {"outer": 3, "inner": 2, "jobs": 1, "seed": 4, "effort": "quick"}
    learner = fw.learner("k-nn", max_rows=50)
    quick, plain = (
        fw.compare({"k-nn": learner}, *sample_table(), solvers=solvers, **words) for solvers in ("auto", False)
    )
    for name in ("risk", "selection_score", "train_risk"):
        assert quick.to_dict()["methods"][0][name] == plain.to_dict()["methods"][0][name]
