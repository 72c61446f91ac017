"""Scaling that solvers see through, and its arithmetic."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.compose import TransformedTargetRegressor
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Lasso, Ridge
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from foldwise.data.dataset import make_dataset
from foldwise.learners.catalogue import builtin
from foldwise.solvers import scaling as room
from foldwise.solvers.scaling import Scaling, numbers, scaled


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    return X, X[:, 0] + rng.normal(size=40)


@pytest.mark.parametrize(
    ("estimator", "scaling"),
    [
        (Ridge(), Scaling()),
        (make_pipeline(StandardScaler(), Ridge()), Scaling(means=True, spreads=True)),
        (make_pipeline(StandardScaler(with_mean=False), Ridge()), Scaling(spreads=True)),
        (make_pipeline(SimpleImputer(), StandardScaler(), Ridge()), Scaling(means=True, spreads=True)),
        (Pipeline([("none", "passthrough"), ("learner", Ridge())]), Scaling()),
        (TransformedTargetRegressor(Ridge(), transformer=StandardScaler()), Scaling(target=True)),
    ],
)
def test_scaling_is_seen_through(estimator, scaling):
    known = scaled(estimator)
    assert known is not None
    assert known[0] == scaling
    assert type(known[1]) is Ridge


@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(MinMaxScaler(), Ridge()),
        make_pipeline(PCA(), Ridge()),
        make_pipeline(StandardScaler(), StandardScaler(), Ridge()),
        make_pipeline(SimpleImputer(missing_values=0), Ridge()),
        make_pipeline(SimpleImputer(add_indicator=True), Ridge()),
        make_pipeline(type("Own", (StandardScaler,), {})(), Ridge()),
        make_pipeline(StandardScaler(), Ridge(), memory="somewhere"),
        make_pipeline(StandardScaler(), "passthrough"),
        TransformedTargetRegressor(Ridge(), func=np.log, inverse_func=np.exp),
    ],
)
def test_other_steps_are_not_seen_through(estimator):
    assert scaled(estimator) is None


def test_the_preparation_of_the_built_in_lasso_is_seen_through(table):
    data = make_dataset(*table)
    known = scaled(builtin("lasso", data).estimator)
    assert known is not None
    assert known[0] == Scaling(means=True, spreads=True, target=True)
    assert type(known[1]) is Lasso


def test_gaps_text_and_sparse_tables_are_no_numbers(table):
    X, y = table
    gaps = np.where(X > 2, np.nan, X)
    gaps[0, 0] = np.nan
    assert numbers(make_dataset(gaps, y)) is None
    assert numbers(make_dataset(sparse.csr_matrix(X), y)) is None
    assert numbers(make_dataset(pd.DataFrame({"a": ["x", "y"] * 20, "b": X[:, 0]}), y)) is None
    np.testing.assert_array_equal(numbers(make_dataset(pd.DataFrame(X, columns=list("abc")), y)), X)


@pytest.mark.parametrize("shift", [0.0, 1e3, -1e8])
def test_columns_are_scaled_with_the_bits_of_the_library(shift):
    rng = np.random.default_rng(int(abs(shift)) % 97)
    assert room._has_same_moments()
    for rows, columns in ((1, 2), (2, 3), (33, 1), (400, 7)):
        X = shift + rng.normal(size=(rows, columns)) * 10.0 ** rng.integers(-6, 6, columns)
        X[:, 0] = 0.3  # constant
        train = np.sort(rng.choice(rows, max(rows - 3, 1), replace=False))
        fitted = StandardScaler().fit(X[train])
        for order in ("C", "F"):
            found = room.scale_columns(np.asarray(X, order=order), train, Scaling(means=True, spreads=True))
            assert_array_equal(found, (fitted.mean_, fitted.scale_))


def test_a_library_that_scales_in_another_way_is_asked_itself(monkeypatch):
    X = np.random.default_rng(0).normal(size=(20, 2))
    monkeypatch.setattr(room, "_has_same_moments", lambda: False)
    monkeypatch.setattr(room, "_moments", None)
    found = room.scale_columns(X, np.arange(15), Scaling(spreads=True))
    assert_array_equal(found, (np.zeros(2), StandardScaler().fit(X[:15]).scale_))
