"""Families behind steps that are fitted once (solvers/shared_steps.py), against fitting whole pipelines."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import TransformedTargetRegressor
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, QuantileTransformer, StandardScaler
from twin import assert_twins, bootstraps, fits_of, folds, requests_of, solve

from foldwise.data.dataset import make_dataset
from foldwise.learners.catalogue import builtin
from foldwise.learners.learner import Learner
from foldwise.solvers.shared_steps import SOLVERS

[PREFIX] = SOLVERS


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70, 5))
    return X, X[:, 0] + rng.normal(size=70), rng.uniform(0.5, 2, 70)


def test_weights_reach_the_last_step_alone(table):
    X, y, weights = table
    data = make_dataset(X, y, weights=weights)
    models = [make_pipeline(StandardScaler(), Ridge(alpha)) for alpha in (0.1, 10.0)]
    assert_twins(PREFIX, models, data, folds(70, 3) + bootstraps(70, 1), tolerance=0)


def test_steps_that_learn_from_the_target_and_from_chance_agree(table):
    X, y, weights = table
    data = make_dataset(X, np.digitize(y, [-1, 1]).astype(str), weights=weights)
    models = [
        make_pipeline(
            QuantileTransformer(n_quantiles=20, subsample=30, random_state=5),
            SelectKBest(f_classif, k=columns),
            LogisticRegression(C=C),
        )
        for columns in (2, 4)
        for C in (0.1, 1.0)
    ]
    assert_twins(PREFIX, models, data, folds(70, 3), ("predict", "predict_proba", "decision_function"), tolerance=0)


def test_a_learner_that_writes_into_its_table_does_no_harm(table):
    X, y, _ = table
    models = [make_pipeline(StandardScaler(), Ridge(alpha, copy_X=False, solver="svd")) for alpha in (0.1, 1.0, 10.0)]
    assert_twins(PREFIX, models, make_dataset(X + 5, y), folds(70, 3), tolerance=0)


def test_nested_pipelines_and_scaled_targets_agree(table):
    X, y, _ = table
    models = [
        Pipeline(
            [
                ("prepare", make_pipeline(SimpleImputer(), StandardScaler())),
                ("skip", "passthrough"),
                ("learner", TransformedTargetRegressor(Lasso(alpha), transformer=StandardScaler())),
            ]
        )
        for alpha in (0.01, 0.1)
    ]
    assert_twins(PREFIX, models, make_dataset(X, 100 * y), folds(70, 3), tolerance=0)


def test_the_preparation_of_mixed_tables_is_shared(table):
    X, y, _ = table
    frame = pd.DataFrame(X).rename(columns=str).assign(town=np.array(["a", "b", "c"])[np.arange(70) % 3])
    frame.iloc[::9, 0] = np.nan
    data = make_dataset(frame, np.digitize(y, [0]))
    found = builtin("k-nn", data)
    learner = Learner("k-nn", found.estimator, found.space)
    models = [learner.at({"n_neighbors": k}) for k in (1, 5)]
    assert_twins(PREFIX, models, data, folds(70, 3), ("predict", "predict_proba"), tolerance=0)


def test_preprocessing_is_fitted_once_per_training_part_and_settings(table, monkeypatch):
    fitted = []
    plain_fit = StandardScaler.fit
    monkeypatch.setattr(StandardScaler, "fit", lambda self, *a, **k: fitted.append(1) or plain_fit(self, *a, **k))
    X, y, _ = table
    models = [
        make_pipeline(StandardScaler(with_std=has_spread), Ridge(alpha))
        for has_spread in (False, True)
        for alpha in (1.0, 2.0, 3.0)
    ]
    solve(PREFIX, fits_of(models, folds(70, 3), ("predict",)), make_dataset(X, y))
    assert len(fitted) == 3 * 2


def test_fits_that_warn_or_fail_are_left_to_the_plain_loop(table):
    X, y, _ = table
    data = make_dataset(X, np.digitize(y, [0]))
    models = [make_pipeline(StandardScaler(), KNeighborsClassifier(k)) for k in (3, 1000, 5)]
    answers = solve(PREFIX, fits_of(models, folds(70, 3)[:1], ("predict",)), data)
    assert [answer is None for answer in answers] == [False, True, False]
    short = [make_pipeline(StandardScaler(), MLPRegressor(max_iter=n, random_state=0)) for n in (1, 2, 3)]
    assert solve(PREFIX, fits_of(short, folds(70, 3)[:1], ("predict",)), make_dataset(X, y)) == [None] * 3


def test_steps_that_warn_or_fail_leave_their_jobs_to_the_plain_loop(table):
    X, y, _ = table
    data = make_dataset(np.column_stack([X, np.ones(70)]), np.digitize(y, [0]))
    warns = [make_pipeline(SelectKBest(f_classif, k=2), KNeighborsClassifier(k)) for k in (3, 5)]
    fails = [make_pipeline(SelectKBest(f_classif, k=-1), KNeighborsClassifier(k)) for k in (3, 5)]
    assert solve(PREFIX, fits_of(warns + fails, folds(70, 3)[:1], ("predict",)), data) == [None] * 4


class Mine(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X + np.random.normal(size=X.shape)


def test_code_that_may_draw_from_the_worlds_random_numbers_is_not_taken(table):
    data = make_dataset(*table[:2])
    assert not PREFIX.takes(make_pipeline(Mine(), Ridge()), data)
    assert not PREFIX.takes(make_pipeline(FunctionTransformer(lambda X: X), Ridge()), data)
    assert PREFIX.takes(make_pipeline(FunctionTransformer(np.sin), Ridge()), data)


def test_bare_estimators_and_pipelines_with_a_memory_are_not_taken(table, tmp_path):
    data = make_dataset(*table[:2])
    assert not PREFIX.takes(Ridge(), data)
    assert not PREFIX.takes(make_pipeline(StandardScaler(), Ridge(), memory=str(tmp_path)), data)
    assert not PREFIX.takes(make_pipeline(StandardScaler(), "passthrough"), data)


def test_it_pays_from_two_jobs_of_one_training_set(table):
    data = make_dataset(*table[:2])
    models = [make_pipeline(StandardScaler(), Ridge(alpha)) for alpha in (1.0, 2.0)]
    assert PREFIX.pays(requests_of(fits_of(models, folds(70, 3), ("predict",))), data)
    assert not PREFIX.pays(requests_of(fits_of(models[:1], folds(70, 3), ("predict",))), data)
