"""Columns bent into smooth curves."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression, Ridge

from foldwise.learners.preprocessing.curves import Curves


def test_curves_bend_columns_and_leave_those_of_few_values():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=200), rng.integers(0, 2, 200)])
    curves = Curves(n_knots=10).fit(X)
    bent = curves.transform(X)
    assert_allclose(bent[:, :2], X)
    assert bent.shape == (200, 2 + 11)
    y = np.sin(3 * X[:, 0])
    assert Ridge(1e-6).fit(bent, y).score(bent, y) > 0.9 > LinearRegression().fit(X, y).score(X, y)
    assert np.isfinite(curves.transform([[100.0, 7.0]])).all()


def test_curves_of_a_column_with_ties_have_distinct_knots():
    X = np.array([0.0] * 50 + [1.0, 2.0, 3.0, 4.0])[:, None]
    assert np.isfinite(Curves(n_knots=10).fit(X).transform(X)).all()
