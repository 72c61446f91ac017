"""Lab learners fit many replications at once, and each as scikit-learn or a plain loop would."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.neighbors import KNeighborsRegressor, NearestCentroid

from foldwise.errors import BadLearner
from foldwise.lab.learners import (
    Centroid,
    Columns,
    Estimator,
    Logistic,
    Majority,
    Mean,
    Nearest,
    Ridge,
    RidgeRule,
    Threshold,
    TunedRidge,
    find_learner,
)


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(4, 40, 5))
    return X, X[..., 0] - X[..., 1] + rng.normal(size=(4, 40)), rng.normal(size=(4, 9, 5))


@pytest.fixture
def classes(rows):
    X, y, new = rows
    return X, (y > 0.2).astype(float), new


@pytest.mark.parametrize("penalty", [0.0, 3.0])
def test_ridge_is_scikit_learns_in_every_replication(rows, penalty):
    X, y, new = rows
    found = Ridge(penalty).fit(X, y).predict(new)
    make = LinearRegression if penalty == 0 else lambda: SklearnRidge(alpha=penalty)
    expected = [make().fit(X[r], y[r]).predict(new[r]) for r in range(4)]
    assert_allclose(found, expected, rtol=1e-9)


def test_the_least_squares_rule_cuts_the_fit_at_one_half(classes):
    X, y, new = classes
    expected = [LinearRegression().fit(X[r], y[r]).predict(new[r]) > 0.5 for r in range(4)]
    assert_allclose(RidgeRule().fit(X, y).predict(new), expected)


@pytest.mark.parametrize("columns", [1, 5])
def test_nearest_neighbours_are_scikit_learns(rows, columns):
    X, y, new = rows
    X, new = X[..., :columns], new[..., :columns]
    expected = [KNeighborsRegressor(7).fit(X[r], y[r]).predict(new[r]) for r in range(4)]
    assert_allclose(Nearest(7).fit(X, y).predict(new), expected, rtol=1e-10)
    # rows without a replication axis are shown to every model
    assert_allclose(Nearest(7).fit(X, y).predict(new[0])[2], KNeighborsRegressor(7).fit(X[2], y[2]).predict(new[0]))


def test_the_centroid_rule_is_scikit_learns(classes):
    X, y, new = classes
    expected = [NearestCentroid().fit(X[r], y[r]).predict(new[r]) for r in range(4)]
    assert_allclose(Centroid().fit(X, y).predict(new), expected)


def test_logistic_regression_finds_scikit_learns_coefficients(classes):
    X, y, _ = classes
    y = np.where(np.arange(40) % 5 == 0, 1 - y, y)  # so that no line parts the classes
    rule = Logistic(steps=40, floor=1e-10).fit(X, y)
    for r in range(4):
        one = LogisticRegression(C=np.inf, tol=1e-10, max_iter=5000).fit(X[r], y[r])
        assert_allclose(rule.slopes[r], one.coef_[0], atol=1e-4)
        assert_allclose(rule.intercept[r], one.intercept_[0], atol=1e-4)


def test_tuned_ridge_chooses_and_fits_as_a_grid_search(rows):
    X, y, new = rows
    tuned = TunedRidge((0.1, 3.0, 30.0, 300.0), folds=5)
    folds = PredefinedSplit(np.arange(40) % 5)
    for r, found in enumerate(tuned.fit(X, y).predict(new)):
        search = GridSearchCV(
            SklearnRidge(), {"alpha": tuned.penalties}, cv=folds, scoring="neg_mean_squared_error"
        ).fit(X[r], y[r])
        assert_allclose(found, search.predict(new[r]), rtol=1e-8)
    assert tuned.is_tuned


def test_the_threshold_rule_errs_as_little_as_any_cut(classes):
    X, y, _ = classes
    rule = Threshold().fit(X, y)
    for r in range(4):
        cuts = np.concatenate([[-np.inf], X[r, :, 0]])
        fewest = min((y[r] != (X[r, :, 0] > cut)).sum() for cut in cuts)
        assert (y[r] != rule.predict(X)[r]).sum() == fewest


def test_constant_learners_predict_the_mean_and_the_majority(rows):
    X, y, new = rows
    assert_allclose(Mean().fit(X, y).predict(new), np.repeat(y.mean(1)[:, None], 9, axis=1))
    labels = np.tile([1.0, 1.0, 0.0, 0.0], 10)
    assert Majority().fit(X[0], labels).predict(new[0]).sum() == 0  # a tie is class 0


def test_a_learner_of_some_columns_does_not_use_the_others(rows):
    X, y, new = rows
    model = Columns(Ridge(), (1, 3)).fit(X, y)
    assert_allclose(model.predict(new), Ridge().fit(X[..., [1, 3]], y).predict(new[..., [1, 3]]))
    assert (model.slopes[:, [0, 2, 4]] == 0).all()


def test_any_scikit_learn_estimator_takes_the_slow_path(rows):
    X, y, new = rows
    assert_allclose(Estimator(LinearRegression).fit(X, y).predict(new), Ridge().fit(X, y).predict(new), rtol=1e-9)


def test_refusals_name_what_was_found(rows):
    X, y, _ = rows
    with pytest.raises(BadLearner, match=r"5 columns on 5 rows\. Use ridge"):
        Ridge().fit(X[:, :5], y[:, :5])
    with pytest.raises(BadLearner, match="40 neighbours need more than 40 rows"):
        Nearest(40).fit(X, y)
    with pytest.raises(BadLearner, match=r"no learner 'rigde'. Did you mean 'ridge'"):
        find_learner("rigde", "regression")
    with pytest.raises(BadLearner, match=r"'mean' is not for binary\. Known are: centroid"):
        find_learner("mean", "binary")
