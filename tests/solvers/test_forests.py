"""Smaller forests read from the largest, against growing each of them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from twin import assert_twins, bootstraps, fits_of, folds, requests_of, solve

from foldwise.data.dataset import make_dataset
from foldwise.solvers import forests
from foldwise.solvers.forests import SOLVERS, grow

[FORESTS] = SOLVERS
SIZES = (1, 2, 5, 11)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4))
    return X, X[:, 0] + rng.normal(size=90), rng.uniform(0.5, 2, 90)


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", [RandomForestRegressor, ExtraTreesRegressor])
def test_regression_forests_are_prefixes_bit_for_bit(kind, table):
    X, y, weights = table
    data = make_dataset(X, y, weights=weights)
    candidates = [kind(size, random_state=4, max_features=0.5, min_samples_leaf=m) for size in SIZES for m in (1, 3)]
    assert_twins(FORESTS, candidates, data, folds(90, 3) + bootstraps(90, 1), tolerance=0)


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
def test_classification_forests_are_prefixes_bit_for_bit(kind, table):
    X, y, weights = table
    data = make_dataset(X, np.digitize(y, [-2, 0, 1]).astype(str), weights=weights)
    candidates = [kind(size, random_state=4, class_weight="balanced_subsample", bootstrap=True) for size in SIZES]
    candidates = [make_pipeline(StandardScaler(), forest) for forest in candidates]
    assert_twins(FORESTS, candidates, data, folds(90, 3), ("predict", "predict_proba"), tolerance=0)


def test_frames_sparse_tables_and_gaps_agree(table):
    import pandas as pd
    from scipy.sparse import csr_matrix

    X, y, _ = table
    candidates = [RandomForestRegressor(size, random_state=4) for size in (2, 4)]
    X[::5, 0] = np.nan
    assert_twins(FORESTS, candidates, make_dataset(pd.DataFrame(X), y), folds(90, 2), tolerance=0)
    thin = np.where(np.abs(X) < 1, 0.0, np.nan_to_num(X))
    assert_twins(FORESTS, candidates, make_dataset(csr_matrix(thin), y), folds(90, 2), tolerance=0)


def test_only_the_largest_forest_is_grown(table, monkeypatch):
    sizes = []
    spy = lambda forest, size, *given: sizes.append(size) or grow(forest, size, *given)  # noqa: E731
    monkeypatch.setattr(forests, "grow", spy)
    X, y, _ = table
    fits = fits_of([RandomForestRegressor(size, random_state=0) for size in (3, 9, 6)], folds(90, 2), ("predict",))
    solve(FORESTS, fits, make_dataset(X, y))
    assert sizes == [9, 9]


def test_forests_that_go_on_from_the_last_fit_are_not_taken(table):
    data = make_dataset(*table[:2])
    assert not FORESTS.takes(RandomForestRegressor(warm_start=True), data)
    assert not FORESTS.takes(RandomForestRegressor(oob_score=True), data)
    assert not FORESTS.takes(RandomForestRegressor(n_estimators=0), data)


def test_it_pays_for_one_forest_alone(table):
    data, split = make_dataset(*table[:2]), folds(90, 2)[:1]
    assert FORESTS.pays(requests_of(fits_of([RandomForestRegressor(3)], split, ("predict",))), data)
