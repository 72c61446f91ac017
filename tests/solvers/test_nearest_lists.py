"""Brute force in single precision, against distances of every pair in double precision."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from twin import assert_twins, pairs

from foldwise.data.dataset import make_dataset
from foldwise.solvers import nearest_lists
from foldwise.solvers.nearest import NeighboursSolver
from foldwise.solvers.nearest_lists import Index, QuickSearch


def all_distances(asked, X):
    return np.sqrt(((asked[:, None, :] - X[None]) ** 2).sum(axis=2))


@given(seed=st.integers(0, 999), columns=st.integers(1, 20), shift=st.sampled_from([0.0, 1e3]))
def test_what_is_sure_holds_every_row_that_is_nearer_than_rounding_hides(seed, columns, shift):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(700, columns)), 1) + shift  # with ties
    found = QuickSearch(X).search(X[:90], 9)
    square = all_distances(X[:90], X) ** 2
    for at in np.flatnonzero(found.is_sure):
        listed = square[at, found.near[at]]
        missing = np.delete(square[at], found.near[at])
        assert len(set(found.near[at].tolist())) == 9
        assert missing.min() >= listed.max() - 2 * found.error[at]


def test_nearly_all_rows_are_sure_on_ordinary_data():
    X = np.random.default_rng(0).uniform(size=(3000, 12))
    found = QuickSearch(X).search(X, 40)
    assert found.is_sure.mean() > 0.97
    assert (2 * found.error < 1e-3).all()


def test_the_index_gives_the_lists_of_double_precision(monkeypatch):
    monkeypatch.setattr(nearest_lists, "WORTH", 0)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(900, 9)) + 50
    X[:5] *= 1e5  # beside these all others look alike in single precision
    for table in (X, X[5:]):
        lists = Index(table, 2.0).search(table[:200], 30)
        expected = all_distances(table[:200], table)
        np.testing.assert_allclose(lists.distance, np.sort(expected, axis=1)[:, :30], rtol=1e-9)
        assert (lists.reach <= lists.distance[:, -1]).all()
    assert (lists.reach / lists.distance[:, -1] > 0.99).all()


def test_rows_that_single_precision_cannot_tell_apart_are_not_sure():
    X = np.random.default_rng(2).normal(size=(500, 3)) * 1e-6
    X[0] = 1.0
    assert not QuickSearch(X).search(X[1:50], 5).is_sure.any()


@pytest.mark.parametrize("kind", [KNeighborsRegressor, KNeighborsClassifier])
def test_answers_are_the_plain_loops(kind, monkeypatch):
    monkeypatch.setattr(nearest_lists, "WORTH", 0)
    used = []
    plain = nearest_lists.QuickSearch.search
    monkeypatch.setattr(nearest_lists.QuickSearch, "search", lambda *a: used.append(1) or plain(*a))
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 9))
    X[50:80] = X[:30]  # rows that are there twice
    y = X[:, 0] + rng.normal(size=400)
    data = make_dataset(X, y if kind is KNeighborsRegressor else np.digitize(y, [-1, 1]))
    learners = [kind(k, weights=how, algorithm="brute") for k in (1, 4, 9) for how in ("uniform", "distance")]
    assert_twins(NeighboursSolver(), learners, data, pairs(400, 4)[:2], allow_none=True)
    assert used
