"""Distances and the order of neighbours, against SciPy and plain sorting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsRegressor

from foldwise.learners.estimators.distances import distances, in_order, power, sparse_distances, squared_norms

METRICS = {1.0: "cityblock", 2.0: "euclidean", np.inf: "chebyshev"}


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, np.inf])
def test_distances_are_those_of_scipy_for_dense_and_sparse_tables(p):
    rng = np.random.default_rng(0)
    asked, X = rng.normal(size=(4, 3)), rng.normal(size=(6, 3))
    near = np.array([rng.permutation(6)[:5] for _ in asked])
    whole = cdist(asked, X, METRICS[p]) if p in METRICS else cdist(asked, X, "minkowski", p=p)
    expected = np.take_along_axis(whole, near, axis=1)
    np.testing.assert_allclose(distances(asked, X, near, p), expected, rtol=1e-13)
    np.testing.assert_allclose(sparse_distances(sparse.csr_array(asked), X, near, p), expected, rtol=1e-13)


@given(hnp.arrays(np.float64, (3, 5), elements=st.sampled_from([0.0, 1.0, 2.0])))
def test_neighbours_are_in_the_order_of_distance_and_then_of_row(distance):
    near = np.array([[4, 2, 0, 3, 1]] * 3)
    found, rows = in_order(distance, near)
    for at in range(3):
        expected = sorted(zip(distance[at], near[at], strict=True))
        assert list(zip(found[at], rows[at], strict=True)) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"p": 1}, 1.0),
        ({"metric": "l2"}, 2.0),
        ({"metric": "chebyshev"}, np.inf),
        ({"p": 0.5}, None),
        ({"metric": "cosine"}, None),
        ({"metric": "minkowski", "metric_params": {"w": [1]}}, None),
    ],
)
def test_only_minkowski_distances_have_a_power(options, expected):
    assert power(KNeighborsRegressor(**options)) == expected


def test_squared_norms_of_dense_and_sparse_rows_agree():
    X = np.array([[3.0, 4.0], [0.0, 1.0]])
    assert squared_norms(X).tolist() == squared_norms(sparse.csr_array(X)).tolist() == [25.0, 1.0]
