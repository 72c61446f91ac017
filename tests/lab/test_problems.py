"""The truth of simulated problems, checked against large samples and numerical integrals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from foldwise.errors import BadData
from foldwise.lab.learners import find_learner
from foldwise.lab.models import Constant, Linear, LinearRule
from foldwise.lab.problems import PROBLEMS, find_problem

UNKNOWN = ("latent", "sparse logistic", "rare and hard", "three classes", "five classes")
KNOWN = [name for name in PROBLEMS if name not in UNKNOWN]


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.mark.parametrize("name", KNOWN)
def test_the_best_prediction_has_the_bayes_risk(name, rng):
    """Drawn targets, judged at the best prediction, lose on average what the problem says no model can avoid."""
    problem = find_problem(name)
    X, y = problem.draw(30_000, rng)
    best = problem.mean(X) if problem.task == "regression" else (problem.mean(X) > 0.5).astype(float)
    if name == "unequal costs":
        best = (5 * problem.mean(X) > 1 - problem.mean(X)).astype(float)
    if name == "bounded":
        best = np.full(len(y), stats.beta.median(*problem.shape))
    losses = problem.losses(y, best)
    spread = 5 * losses.std() / np.sqrt(len(y))
    assert abs(losses.mean() - problem.bayes) < (0.3 if name == "heavy-tailed" else spread + 1e-3)


@pytest.mark.parametrize("name", ["linear", "noise", "heteroscedastic", "grouped", "twins"])
def test_the_risk_of_a_linear_model_by_formula_is_that_on_fresh_rows(name, rng):
    problem = find_problem(name)
    model = Linear(np.array([3.0]), rng.normal(size=(1, problem.columns)))
    X, y = problem.draw(200_000, rng)
    losses = problem.losses(y, model.predict(X)[0])
    assert problem.risk(model, rng)[0] == pytest.approx(losses.mean(), abs=5 * losses.std() / np.sqrt(len(y)))


@pytest.mark.parametrize(
    "name",
    ["logistic", "bates logistic", "two classes", "noise classes", "13% positive", "rare and hard", "unequal costs"],
)
def test_the_risk_of_a_linear_rule_by_formula_is_that_on_fresh_rows(name, rng):
    problem = find_problem(name)
    model = LinearRule(np.array([0.2, -0.4]), rng.normal(size=(2, problem.columns)))
    X, y = problem.draw(100_000, rng)
    assert problem.risk(model, rng) == pytest.approx(problem.losses(y, model.predict(X)).mean(-1), abs=0.02)


def test_the_chance_of_the_rare_class_is_that_of_drawn_rows(rng):
    problem = find_problem("rare and hard")
    X, y = problem.draw(200_000, rng)
    chance = problem.mean(X)
    for low, high in ((0, 0.1), (0.1, 0.3), (0.3, 0.6), (0.6, 1)):
        rows = (chance >= low) & (chance < high)
        assert y[rows].mean() == pytest.approx(chance[rows].mean(), abs=5 * np.sqrt(0.25 / rows.sum()))
    assert y.mean() == pytest.approx(0.13, abs=0.005)


def test_the_risk_among_many_classes_is_that_on_fresh_rows(rng):
    problem = find_problem("five classes")
    X, y = problem.draw(60, rng, times=2)
    model = find_learner("centroid", "multiclass").fit(X, y)
    fresh, truth = problem.draw(100_000, rng)
    assert np.unique(truth).tolist() == [0, 1, 2, 3, 4]
    assert problem.risk(model, rng) == pytest.approx((model.predict(fresh) != truth).mean(-1), abs=0.03)
    commonest = find_learner("majority", "multiclass").fit(X, y)
    assert problem.risk(commonest, rng) == pytest.approx([0.5, 0.5])


def test_a_rule_without_slopes_predicts_one_class_everywhere(rng):
    problem = find_problem("logistic")
    flat = LinearRule(np.array([1.0, -1.0]), np.zeros((2, 5)))
    assert problem.risk(flat, rng) == pytest.approx([0.5, 0.5])


def test_the_bayes_error_of_the_logistic_problem_is_its_integral():
    found = integrate.quad(lambda u: stats.norm.pdf(u) / (1 + np.exp(abs(2.0 * u))), -10, 10)[0]
    assert find_problem("bates logistic", beta=(2.0,)).bayes == pytest.approx(found, abs=1e-4)


def test_the_absolute_risk_of_a_constant_is_its_integral(rng):
    problem = find_problem("bounded")
    found = integrate.quad(lambda y: abs(y - 0.3) * stats.beta.pdf(y, 1, 4), 0, 1, points=[0.3])[0]
    assert problem.risk(Constant(np.array([0.3])), rng)[0] == pytest.approx(found, abs=1e-8)


def test_the_risk_of_a_smooth_problem_is_exact_on_a_grid(rng):
    """A constant 0 misses a sine by 1/2 on average, whatever rows are drawn."""
    problem = find_problem("smooth")
    assert problem.risk(Constant(np.zeros(1)), rng)[0] == pytest.approx(0.5 + 0.09, abs=1e-9)


def test_rows_of_one_group_share_their_effect(rng):
    problem = find_problem("grouped")
    X, y = problem.draw(3 * 4000, rng)
    rest = (y - problem.mean(X)).reshape(-1, 3)
    assert np.cov(rest[:, 0], rest[:, 1])[0, 1] == pytest.approx(1.0, abs=0.15)
    assert np.corrcoef(X[::3, 0], X[1::3, 0])[0, 1] == pytest.approx(0.9, abs=0.03)


def test_replications_are_drawn_along_a_first_axis(rng):
    for name in PROBLEMS:
        X, y = find_problem(name).draw(12, rng, times=3)
        assert X.shape == (3, 12, find_problem(name).columns)
        assert y.shape == (3, 12)


def test_a_problem_that_does_not_know_its_bayes_risk_says_so():
    with pytest.raises(BadData, match="'latent' does not know its Bayes risk"):
        _ = find_problem("latent").bayes


def test_an_unknown_problem_is_answered_with_the_nearest():
    with pytest.raises(BadData, match=r"no problem 'smoth'. Did you mean 'smooth'"):
        find_problem("smoth")
