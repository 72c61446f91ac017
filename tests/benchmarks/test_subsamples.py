"""Losses of random splits, and of leaving one row out."""

from __future__ import annotations

import numpy as np
from designs.cv_designs import leave_one_out
from designs.subsamples import subsample_means
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression

from foldwise.lab.learners import Mean
from foldwise.lab.problems import find_problem


def test_subsamples_hold_out_what_they_should():
    """With the mean as learner, a split's loss depends on its training rows alone: means of equal targets are 0."""
    problem, rng = find_problem("linear"), np.random.default_rng(5)
    X, y = problem.draw(20, rng, times=3)
    means = subsample_means(problem, Mean(), X, np.ones_like(y), splits=4, test_rows=5, rng=rng)
    assert means.shape == (3, 4)
    assert_allclose(means, 0)


def test_leave_one_out_by_the_hat_matrix_is_refitting_without_each_row():
    X, y = find_problem("linear").draw(15, np.random.default_rng(3), times=1)
    expected = []
    for row in range(15):
        rest = np.arange(15) != row
        model = LinearRegression().fit(X[0, rest], y[0, rest])
        expected.append((y[0, row] - model.predict(X[0, [row]])[0]) ** 2)
    assert_allclose(leave_one_out(X, y)[0], expected, rtol=1e-8)
