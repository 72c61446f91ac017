"""Parts of a risk, and Theorem 1."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from foldwise.errors import BadLearner
from foldwise.lab.decomposition import decompose, theorem_one
from foldwise.lab.problems import find_problem


def test_the_parts_of_k_nn_add_up_and_trade_variance_for_bias():
    found = decompose("smooth", values=[1, 5, 15, 40], rows=100, replications=150, jobs=1)
    assert (found["bayes"] + found["approximation"] + found["estimation"]).tolist() == pytest.approx(found["risk"])
    assert found["approximation"].is_monotonic_increasing
    assert found["estimation"].iloc[:3].is_monotonic_decreasing
    assert found["risk"].idxmin() in (1, 2)  # U-shaped
    # one neighbour's answer is a target: its variance is that of the noise
    assert found["estimation"].iloc[0] == pytest.approx(0.09, abs=0.01)


def test_few_training_sets_do_not_pass_variance_off_as_bias():
    """The mean of 6 one-neighbour models still has a sixth of their variance, 0.015: it must not be counted."""
    found = decompose("smooth", values=[1], rows=100, replications=6, jobs=1).iloc[0]
    assert found["approximation"] == pytest.approx(0, abs=0.006)


def test_a_true_linear_model_has_nothing_left_to_approximate():
    found = decompose("linear", rows=60, replications=200, jobs=1).iloc[0]
    assert found["approximation"] == pytest.approx(0, abs=0.005)
    assert found["reference"] == "best of the class"
    # the exact expected risk of least squares on 5 standard normal columns
    assert found["risk"] == pytest.approx(61 * 58 / (60 * 53), abs=0.03)


def test_the_best_linear_model_of_a_curved_problem_is_the_projection():
    found = decompose("friedman", rows=80, replications=50, jobs=1).iloc[0]
    problem = find_problem("friedman")
    X, _ = problem.draw(50_000, np.random.default_rng(9))
    rest = problem.mean(X) - LinearRegression().fit(X, problem.mean(X)).predict(X)
    assert found["approximation"] == pytest.approx((rest**2).mean(), rel=0.06)


def test_the_best_rule_of_two_normal_classes_is_linear():
    found = decompose("two classes", "least squares", rows=60, replications=80, jobs=1).iloc[0]
    assert found["approximation"] == pytest.approx(0, abs=0.006)
    assert found["bayes"] == pytest.approx(find_problem("two classes").bayes, abs=0.02)


@pytest.mark.parametrize(
    ("problem", "rows", "folds"), [("linear", 20, None), ("linear", 40, 5), ("smooth", 36, 4), ("logistic", 40, 5)]
)
def test_cv_on_a_few_more_rows_estimates_the_risk_at_fewer(problem, rows, folds):
    """Theorem 1: leave-one-out on m + 1 rows, K-fold on m + m / (K - 1), have the mean risk at m as their mean."""
    found = theorem_one(problem, rows=rows, folds=folds, replications=600, jobs=1)
    assert abs(found["z"]) < 3.5


def test_requests_that_make_no_sense_are_refused():
    with pytest.raises(BadLearner, match="40 training rows are not 6 equal folds"):
        theorem_one("linear", rows=40, folds=7)
    with pytest.raises(BadLearner, match="'mean' has no number to vary"):
        decompose("linear", "mean", values=[1.0])
