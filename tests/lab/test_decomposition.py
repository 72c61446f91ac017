"""Learners of many replications, parts of a risk, and Theorem 1."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor

from foldwise.errors import BadLearner, BadStudy
from foldwise.lab.decomposition import cv_means, decompose, model_risks, nearest_mean, ridge, theorem
from foldwise.lab.problems import find_problem

RNG = np.random.default_rng(3)
X, NEW = RNG.normal(size=(4, 40, 5)), RNG.normal(size=(4, 9, 5))
Y = X[..., 0] - X[..., 1] + RNG.normal(size=(4, 40))


@pytest.mark.parametrize("penalty", [0.0, 3.0])
def test_ridge_is_scikit_learns_in_every_replication(penalty):
    make = LinearRegression if penalty == 0 else lambda: Ridge(alpha=penalty)
    expected = [make().fit(X[r], Y[r]).predict(NEW[r]) for r in range(4)]
    assert_allclose(ridge(X, Y, NEW, value=penalty), expected, rtol=1e-9)
    # rows without a replication axis are shown to every model
    assert_allclose(ridge(X, Y, NEW[0], value=penalty)[2], make().fit(X[2], Y[2]).predict(NEW[0]), rtol=1e-9)


@pytest.mark.parametrize("columns", [1, 5])
def test_nearest_neighbours_are_scikit_learns(columns):
    rows, new = X[..., :columns], NEW[..., :columns]
    expected = [KNeighborsRegressor(7).fit(rows[r], Y[r]).predict(new[r]) for r in range(4)]
    assert_allclose(nearest_mean(rows, Y, new), expected, rtol=1e-10)
    assert_allclose(nearest_mean(rows, Y, new[0])[2], KNeighborsRegressor(7).fit(rows[2], Y[2]).predict(new[0]))


def test_k_fold_estimates_are_those_of_a_plain_loop():
    problem = find_problem("linear")
    means = cv_means(problem, ridge, (24, 4), 3, np.random.default_rng(1))
    rows, targets = problem.draw(24, np.random.default_rng(1), times=3)
    for r in range(3):
        losses = []
        for k in range(4):
            test = np.arange(24) % 4 == k
            model = LinearRegression().fit(rows[r, ~test], targets[r, ~test])
            losses += [*((targets[r, test] - model.predict(rows[r, test])) ** 2)]
        assert means[r] == pytest.approx(np.mean(losses))


def test_the_mean_risk_of_least_squares_is_its_closed_form():
    risks = model_risks(find_problem("linear"), ridge, 60, 400, np.random.default_rng(0))
    assert risks.mean() == pytest.approx(61 * 58 / (60 * 53), abs=0.01)


def test_the_parts_of_k_nn_add_up_and_trade_variance_for_bias():
    frame = decompose("smooth", values=[1, 5, 15, 40], rows=100, replications=150)
    assert (frame["bayes"] + frame["approximation"] + frame["estimation"]).tolist() == pytest.approx(frame["risk"])
    assert frame["approximation"].is_monotonic_increasing
    assert frame["estimation"].iloc[:3].is_monotonic_decreasing
    assert frame["risk"].idxmin() in (1, 2)  # U-shaped
    # one neighbour's answer is a target: its variance is that of the noise
    assert frame["estimation"].iloc[0] == pytest.approx(0.09, abs=0.01)


def test_few_training_sets_do_not_pass_variance_off_as_bias():
    """The mean of 6 one-neighbour models still has a sixth of their variance, 0.015: it must not be counted."""
    line = decompose("smooth", values=[1], rows=100, replications=6).iloc[0]
    assert line["approximation"] == pytest.approx(0, abs=0.006)


def test_a_true_linear_model_has_nothing_left_to_approximate():
    line = decompose("linear", rows=60, replications=200).iloc[0]
    assert line["approximation"] == pytest.approx(0, abs=0.005)
    assert line["risk"] == pytest.approx(61 * 58 / (60 * 53), abs=0.03)


def test_the_best_linear_model_of_a_curved_problem_is_the_projection():
    line = decompose("smooth", "ridge", rows=80, replications=50).iloc[0]
    problem = find_problem("smooth")
    rows, _ = problem.draw(50_000, np.random.default_rng(9))
    rest = problem.mean(rows) - LinearRegression().fit(rows, problem.mean(rows)).predict(rows)
    assert line["approximation"] == pytest.approx((rest**2).mean(), rel=0.06)


def test_the_best_rule_of_two_normal_classes_is_linear():
    line = decompose("two classes", rows=60, replications=80).iloc[0]
    assert line["approximation"] == pytest.approx(0, abs=0.006)
    assert line["bayes"] == pytest.approx(find_problem("two classes").bayes, abs=0.02)


@pytest.mark.parametrize(
    ("problem", "rows", "folds"), [("linear", 20, None), ("linear", 40, 5), ("smooth", 36, 4), ("two classes", 40, 5)]
)
def test_cv_on_a_few_more_rows_estimates_the_risk_at_fewer(problem, rows, folds):
    """Theorem 1: leave-one-out on m + 1 rows, K-fold on m + m / (K - 1), have the mean risk at m as their mean."""
    assert abs(theorem(problem, rows=rows, folds=folds, replications=600)["z"]) < 3.5


def test_requests_that_make_no_sense_are_refused():
    with pytest.raises(BadStudy, match="40 training rows are not 6 equal folds"):
        theorem("linear", rows=40, folds=7)
    with pytest.raises(BadStudy, match="1 replications show nothing"):
        theorem("linear", replications=1)
    with pytest.raises(BadLearner, match=r"no learner 'rigde' here. Did you mean 'ridge'"):
        decompose("linear", "rigde")
    with pytest.raises(BadLearner, match="least squares cannot fit 100 columns on 50 rows"):
        decompose("sparse", rows=50)
    with pytest.raises(BadLearner, match="40 neighbours need more than 40 rows"):
        nearest_mean(X, Y, NEW, value=40)
