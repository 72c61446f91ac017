"""Learners as later versions of scikit-learn have them, for earlier ones (learners/estimators/earlier.py)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal
from sklearn import discriminant_analysis, linear_model
from sklearn.base import clone
from sklearn.datasets import make_classification

from foldwise.learners.estimators.earlier import (
    HAS_SHARES,
    HAS_SHRINKAGE,
    LogisticRegression,
    QuadraticDiscriminantAnalysis,
    absolute_share,
    logistic_regression,
    quadratic_discriminant,
)


@pytest.fixture(scope="module")
def rows():
    return make_classification(n_samples=120, n_features=4, n_redundant=0, n_classes=3, n_informative=4, random_state=0)


def test_scikit_learn_s_own_classes_are_used_where_they_will_do():
    own = discriminant_analysis.QuadraticDiscriminantAnalysis
    assert (type(quadratic_discriminant()) is own) == HAS_SHRINKAGE
    assert (type(logistic_regression()) is linear_model.LogisticRegression) == HAS_SHARES


@pytest.mark.parametrize("shrinkage", [None, 0.2, 1.0])
def test_a_shrunken_discriminant_is_the_normal_density_of_shrunken_covariances(rows, shrinkage):
    X, y = rows
    model = QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage).fit(X, y)

    densities = np.column_stack(
        [_density(X, X[y == label], shrinkage or 0.0) * np.mean(y == label) for label in range(3)]
    )

    assert_allclose(model.predict_proba(X), densities / densities.sum(axis=1, keepdims=True), rtol=1e-8, atol=1e-12)


def _density(X, part, shrinkage):
    covariance = np.cov(part.T, bias=True)
    ball = np.trace(covariance) / X.shape[1] * np.eye(X.shape[1])
    return multivariate_normal(part.mean(axis=0), (1 - shrinkage) * covariance + shrinkage * ball).pdf(X)


@pytest.mark.skipif(not HAS_SHRINKAGE, reason="scikit-learn has no such discriminant before 1.8")
@pytest.mark.parametrize("words", [{"solver": "eigen", "shrinkage": 0.1}, {"reg_param": 0.3}, {}], ids=str)
def test_it_is_the_discriminant_of_later_versions(rows, words):
    own = discriminant_analysis.QuadraticDiscriminantAnalysis(**words, store_covariance=True).fit(*rows)
    ours = clone(QuadraticDiscriminantAnalysis(**words, store_covariance=True)).fit(*rows)

    assert_allclose(ours.decision_function(rows[0]), own.decision_function(rows[0]))
    assert_allclose(ours.covariance_, own.covariance_, atol=1e-12)
    assert ours.get_params() == own.get_params()


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ({"shrinkage": 0.1}, "shrinkage not supported with 'svd' solver"),
        ({"solver": "qr"}, "'svd' or 'eigen'"),
        ({"solver": "eigen", "shrinkage": "auto"}, "needs scikit-learn 1.8"),
        ({"solver": "eigen", "covariance_estimator": 1}, "needs scikit-learn 1.8"),
        ({"tol": 1e9}, "not full rank"),
    ],
)
def test_what_it_cannot_do_it_refuses(rows, words, error):
    with pytest.raises((ValueError, NotImplementedError, np.linalg.LinAlgError), match=error):
        QuadraticDiscriminantAnalysis(**words).fit(*rows)


def test_a_class_of_one_row_has_no_covariance():
    with pytest.raises(ValueError, match="each of two rows or more"):
        QuadraticDiscriminantAnalysis().fit(np.eye(3), [0, 0, 1])


@pytest.mark.skipif(HAS_SHARES, reason="the names of penalties are deprecated from scikit-learn 1.8 on")
@pytest.mark.parametrize(("share", "penalty"), [(0.0, "l2"), (1.0, "l1"), (0.5, "elasticnet")])
def test_a_share_is_the_penalty_of_that_name(rows, share, penalty):
    words = {"solver": "saga", "max_iter": 10_000, "tol": 1e-8, "random_state": 0}
    ratio = {"l1_ratio": share} if penalty == "elasticnet" else {}
    own = linear_model.LogisticRegression(penalty=penalty, **ratio, **words)

    model = clone(LogisticRegression(l1_ratio=share, **words)).fit(*rows)

    assert_allclose(model.coef_, own.fit(*rows).coef_)
    assert (model.l1_ratio, absolute_share(model), absolute_share(own)) == (share, share, share)


def test_shares_of_what_is_not_penalised_by_shares():
    assert absolute_share(LogisticRegression(l1_ratio=0.3)) == 0.3
    assert absolute_share(linear_model.LogisticRegression()) == 0.0
    assert absolute_share(linear_model.LogisticRegression(penalty=None)) is None
