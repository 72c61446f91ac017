"""Pipelines of fewer principal components read from the largest decomposition, against decomposing anew."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.compose import TransformedTargetRegressor
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from twin import assert_twins, bootstraps, fits_of, folds, requests_of, solve

from foldwise.data.dataset import make_dataset
from foldwise.solvers.principal_components import SOLVERS

[COMPONENTS] = SOLVERS


def correlated(rows, columns, *, is_labelled=False):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns)) @ rng.normal(size=(columns, columns))
    X[:, -1] = X[:, 0]  # collinear
    y = X[:, 0] + rng.normal(size=rows)
    return make_dataset(X, np.digitize(y, [-1, 1]) if is_labelled else y, weights=rng.uniform(0.5, 2, rows))


@pytest.mark.few(3)
@pytest.mark.parametrize("way", ["auto", "full", "covariance_eigh"])
@pytest.mark.parametrize("shape", [(90, 5), (30, 40)], ids=["tall", "wide"])
def test_every_number_of_components_is_read_from_one_decomposition(way, shape):
    data = correlated(*shape)
    pipelines = [
        make_pipeline(StandardScaler(), PCA(k, svd_solver=way, whiten=whiten, random_state=0), Ridge(alpha))
        for k in (1, 2, 4)
        for whiten, alpha in ((False, 0.1), (True, 1.0))
    ]
    assert_twins(COMPONENTS, pipelines, data, folds(shape[0], 3) + bootstraps(shape[0], 1), tolerance=0)


def test_steps_between_and_a_scaled_target_are_kept():
    data = correlated(60, 5)
    final = TransformedTargetRegressor(KNeighborsRegressor(3), transformer=StandardScaler())
    pipelines = [make_pipeline(PCA(k), StandardScaler(), final) for k in (1, 3, 5)]
    assert_twins(COMPONENTS, pipelines, data, folds(60, 3), tolerance=0)


def test_classes_keep_their_weights():
    data = correlated(60, 5, is_labelled=True)
    pipelines = [make_pipeline(PCA(k), StandardScaler(), LogisticRegression(max_iter=500)) for k in (1, 3)]
    assert_twins(COMPONENTS, pipelines, data, folds(60, 3), ("predict", "predict_proba"), tolerance=0)


def test_one_decomposition_is_made_per_training_set(monkeypatch):
    made = []
    plain = PCA._fit
    monkeypatch.setattr(PCA, "_fit", lambda self, X: made.append(self.n_components) or plain(self, X))
    fits = fits_of([make_pipeline(PCA(k), Ridge()) for k in (2, 4, 3)], folds(60, 3), ("predict",))
    assert COMPONENTS.pays(requests_of(fits), correlated(60, 5))
    solve(COMPONENTS, fits, correlated(60, 5))
    assert made == [4, 4, 4]


def test_more_components_than_rows_are_left_to_the_plain_loop():
    data = correlated(20, 12)
    fits = fits_of(
        [make_pipeline(PCA(k), Ridge()) for k in (2, 11)], [(np.arange(10), np.arange(10, 20))], ("predict",)
    )
    answers = solve(COMPONENTS, fits, data)
    assert answers[0] is not None
    assert answers[1] is None


def test_a_learner_that_warns_is_left_to_the_plain_loop_with_all_after_it():
    data = correlated(60, 5)
    models = [
        make_pipeline(PCA(k), MLPRegressor(max_iter=n, tol=tol))
        for k, n, tol in ((1, 50, 1e9), (2, 1, 0.0), (3, 50, 1e9))
    ]
    answers = solve(COMPONENTS, fits_of(models, folds(60, 3)[:1], ("predict",)), data)
    assert [answer is None for answer in answers] == [False, True, True]


def test_random_decompositions_and_shares_of_variance_are_not_taken():
    data = correlated(60, 5)
    for pca in (PCA(2, svd_solver="randomized"), PCA(0.9), PCA("mle"), PCA(2, copy=False)):
        assert not COMPONENTS.takes(make_pipeline(pca, Ridge()), data)
    assert not COMPONENTS.takes(Ridge(), data)
    assert not COMPONENTS.takes(make_pipeline(PCA(2), Ridge()), correlated(1200, 130))
