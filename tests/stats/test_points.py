"""Even points have the moments of their law, and are the same every time."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from foldwise.stats.points import POINTS, even_points


@pytest.mark.parametrize("dimensions", [1, 3, 8])
def test_normals_are_standard_and_independent(dimensions):
    normals, _ = even_points(dimensions, 9.0)
    assert normals.shape == (POINTS, dimensions)
    assert_allclose(normals.mean(0), 0, atol=5e-3)
    assert_allclose(np.cov(normals.T), np.eye(dimensions) if dimensions > 1 else 1, atol=0.02)


@pytest.mark.parametrize("df", [4.0, 12.0])
def test_scaled_points_follow_the_t_distribution(df):
    normals, scales = even_points(2, df)
    for point in (0.5, 1.5, 3.0):
        assert_allclose((normals[:, 0] * scales <= point).mean(), stats.t.cdf(point, df), atol=2e-3)


def test_without_end_to_the_degrees_of_freedom_the_law_is_normal():
    assert (even_points(2, np.inf)[1] == 1).all()
