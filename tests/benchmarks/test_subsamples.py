"""Losses of random splits, of splits inside halves, and of leaving one row out."""

from __future__ import annotations

import numpy as np
from designs.cv_designs import leave_one_out
from designs.exact import ols_risk
from designs.subsamples import half_means, subsample_means
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression

from foldwise.formulas.conservative_z import conservative_z
from foldwise.lab.learners import Mean, Ridge
from foldwise.lab.problems import find_problem


def test_subsamples_hold_out_what_they_should():
    """With the mean as learner, a split's loss depends on its training rows alone: means of equal targets are 0."""
    problem, rng = find_problem("linear"), np.random.default_rng(5)
    X, y = problem.draw(20, rng, times=3)
    means = subsample_means(problem, Mean(), X, np.ones_like(y), splits=4, test_rows=5, rng=rng)
    assert means.shape == (3, 4)
    assert_allclose(means, 0)
    halves = half_means(problem, Mean(), X, y, repeats=3, splits=2, test_rows=5, rng=rng)
    assert halves.shape == (3, 3, 2)


def test_the_conservative_z_covers_the_learner_and_is_wide():
    """Least squares on 5 columns of noise, 60 rows: nominal 90%."""
    problem, rng = find_problem("noise", columns=5), np.random.default_rng(0)
    X, y = problem.draw(60, rng, times=100)
    data = (problem, Ridge(), X, y)
    full = subsample_means(*data, splits=10, test_rows=6, rng=rng)
    halves = half_means(*data, repeats=5, splits=10, test_rows=6, rng=rng)
    found = conservative_z(full, halves, level=0.9)
    truth = ols_risk(54, 5)
    assert ((found.low <= truth) & (truth <= found.high)).mean() >= 0.9 - 3 * np.sqrt(0.09 / 100)


def test_leave_one_out_by_the_hat_matrix_is_refitting_without_each_row():
    X, y = find_problem("linear").draw(15, np.random.default_rng(3), times=1)
    expected = []
    for row in range(15):
        rest = np.arange(15) != row
        model = LinearRegression().fit(X[0, rest], y[0, rest])
        expected.append((y[0, row] - model.predict(X[0, [row]])[0]) ** 2)
    assert_allclose(leave_one_out(X, y)[0], expected, rtol=1e-8)
