"""k-nearest neighbours with ties by row, against sorting in plain Python and against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.utils.estimator_checks import check_estimator

import foldwise.learners.estimators.nearest as room
from foldwise.learners.estimators.nearest import NearestClassifier, NearestRegressor


def grid(n: int, d: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 3, (n, d)).astype(float), rng.normal(size=n)


def first_by_row(X, asked, k, p=2):
    """Places of the first k rows by distance, then row; whole numbers, so that sums are exact."""
    gaps = [[sum(abs(a - b) ** p for a, b in zip(z, x, strict=True)) for z in X] for x in asked]
    return np.array([sorted(range(len(X)), key=lambda at, gap=gap: (gap[at], at))[:k] for gap in gaps])


@given(
    n=st.integers(2, 40),
    d=st.integers(1, 18),
    k=st.integers(1, 12),
    p=st.sampled_from([1, 2]),
    algorithm=st.sampled_from(["auto", "brute", "kd_tree", "ball_tree"]),
    seed=st.integers(0, 99),
)
def test_neighbours_come_by_distance_then_row(n, d, k, p, algorithm, seed):
    X, y = grid(n, d, seed)
    asked, k = grid(7, d, seed + 1)[0], min(k, n)
    model = NearestRegressor(k, p=p, algorithm=algorithm).fit(X, y)
    expected = first_by_row(X, asked, k, p)
    distance, near = model.kneighbors(asked)
    np.testing.assert_array_equal(near, expected)
    np.testing.assert_array_equal(model.kneighbors(asked, return_distance=False), expected)
    np.testing.assert_allclose(distance, KNeighborsRegressor(k, p=p).fit(X, y).kneighbors(asked)[0], atol=1e-7)
    np.testing.assert_allclose(model.predict(asked), y[expected].mean(axis=1), rtol=1e-14)


@pytest.mark.parametrize("make", [np.asarray, csr_matrix])
@pytest.mark.parametrize("columns", [2, 20])
def test_votes_count_the_first_rows_of_a_tie(columns, make):
    X, y = grid(60, columns)
    classes, asked = np.digitize(y, [-0.5, 0.5]), grid(25, columns, 1)[0]
    model = NearestClassifier(4).fit(make(X), classes)
    votes = classes[first_by_row(X, asked, 4)]
    shares = np.stack([(votes == code).mean(axis=1) for code in range(3)], axis=1)
    np.testing.assert_array_equal(model.predict_proba(make(asked)), shares)
    np.testing.assert_array_equal(model.predict(make(asked)), shares.argmax(axis=1))


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("columns", [3, 20])
def test_without_ties_it_is_scikit_learns(columns, weights):
    rng = np.random.default_rng(2)
    X, asked = rng.normal(size=(200, columns)), rng.normal(size=(50, columns))
    y, classes = rng.normal(size=200), rng.integers(0, 3, 200)
    ours, theirs = NearestRegressor(7, weights=weights), KNeighborsRegressor(7, weights=weights)
    np.testing.assert_allclose(ours.fit(X, y).predict(asked), theirs.fit(X, y).predict(asked), atol=1e-12)
    mine, other = NearestClassifier(7, weights=weights), KNeighborsClassifier(7, weights=weights)
    shares = other.fit(X, classes).predict_proba(asked)
    np.testing.assert_allclose(mine.fit(X, classes).predict_proba(asked), shares, atol=1e-12)
    np.testing.assert_array_equal(mine.predict(asked), other.predict(asked))


def test_training_rows_asked_of_themselves_are_left_out():
    X, y = np.array([[0.0], [0.0], [0.0], [1.0], [5.0]]), np.arange(5.0)
    near = NearestRegressor(2).fit(X, y).kneighbors(return_distance=False)
    assert near.tolist() == [[1, 2], [0, 2], [0, 1], [0, 1], [3, 0]]


def test_lists_that_end_in_a_tie_are_made_longer_block_by_block(monkeypatch):
    monkeypatch.setattr(room, "BLOCK", 50)
    X, y = np.repeat([[0.0], [1.0]], 300, axis=0), np.arange(600.0)
    near = NearestRegressor(3).fit(X, y).kneighbors([[1.0], [0.0], [0.4]], return_distance=False)
    assert near.tolist() == [[300, 301, 302], [0, 1, 2], [0, 1, 2]]


def test_rows_far_from_nought_are_told_apart_by_a_brute_search():
    X = 1e6 + np.random.default_rng(0).integers(0, 50, (40, 20)).astype(float)
    model = NearestRegressor(3, algorithm="brute").fit(X, np.zeros(40))
    np.testing.assert_array_equal(model.kneighbors(X, return_distance=False), first_by_row(X, X, 3))


def test_other_distances_are_left_to_scikit_learn():
    X, y = np.random.default_rng(0).normal(size=(2, 30, 4))
    ours, theirs = NearestRegressor(3, metric="cosine"), KNeighborsRegressor(3, metric="cosine")
    np.testing.assert_array_equal(ours.fit(X, y).predict(X), theirs.fit(X, y).predict(X))


def test_too_many_neighbours_are_refused_in_scikit_learns_words():
    with pytest.raises(ValueError, match="Expected n_neighbors <= n_samples_fit"):
        NearestRegressor(4).fit(np.eye(3), np.zeros(3)).predict(np.eye(3))


def test_a_copy_keeps_its_parameters():
    made = NearestClassifier(3, weights="distance", leaf_size=7)
    assert clone(made).get_params() == made.get_params()


@pytest.mark.few(1)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "learner", [NearestRegressor(), NearestClassifier(algorithm="brute")], ids=["numbers", "classes"]
)
def test_scikit_learns_own_checks_pass(learner):
    found = check_estimator(learner, on_fail=None)
    assert [check["check_name"] for check in found if check["status"] == "failed"] == []
