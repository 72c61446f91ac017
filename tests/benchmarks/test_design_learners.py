"""The learners that only the published designs use."""

from __future__ import annotations

import numpy as np
import pytest
from designs.cv_designs import SoftThreshold
from designs.lasso import LassoLogistic, active
from numpy.testing import assert_allclose


def test_sparse_logistic_regression_meets_the_conditions_of_its_optimum():
    """At the optimum the gradient is -penalty * sign on used columns, and within the penalty on all others."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3, 60, 300))
    y = (rng.random((3, 60)) < 1 / (1 + np.exp(-2 * X[..., 0]))).astype(float)
    rule = LassoLogistic(0.1, width=40).fit(X, y)
    assert (active(rule) > 0).all()
    for r in range(3):
        scale = X[r].std(0)
        chance = 1 / (1 + np.exp(-(rule.intercept[r] + X[r] @ rule.slopes[r])))
        gradient = ((X[r] - X[r].mean(0)) / scale).T @ (chance - y[r]) / 60
        used = rule.slopes[r] != 0
        assert_allclose(gradient[used], -0.1 * np.sign(rule.slopes[r][used]), atol=1e-4)
        assert np.abs(gradient[~used]).max() <= 0.1 + 1e-4
        assert (chance - y[r]).mean() == pytest.approx(0, abs=1e-4)


def test_soft_thresholds_shrink_least_squares_by_their_share_of_the_rows():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(4, 40, 5)), rng.normal(size=(4, 40))
    slopes = SoftThreshold(1.0).fit(X, y).slopes[1]
    plain = np.linalg.lstsq(X[1], y[1], rcond=None)[0]
    cut = (np.sqrt(40) + 1) / 40
    assert_allclose(slopes, np.sign(plain) * np.maximum(np.abs(plain) - cut, 0), atol=1e-10)
