"""The truth of simulated problems, checked against large samples and numerical integrals."""

from __future__ import annotations

import numpy as np
import pytest

from foldwise.errors import BadData
from foldwise.lab.problems import PROBLEMS, find_problem


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_best_prediction_has_the_bayes_risk(name, rng):
    """Drawn targets, judged at the best prediction, lose on average what the problem says no model can avoid."""
    problem = find_problem(name)
    X, y = problem.draw(30_000, rng)
    is_regression = problem.task == "regression"
    best = problem.mean(X) if is_regression else problem.mean(X) > 0.5
    losses = (y - best) ** 2 if is_regression else (y != best).astype(float)
    spread = 5 * losses.std() / np.sqrt(len(y))
    assert abs(losses.mean() - problem.bayes) < (0.3 if name == "heavy-tailed" else spread + 1e-3)
    assert problem.risk(X, np.asarray(best, float)) == pytest.approx(problem.bayes, abs=spread + 1e-3)


@pytest.mark.parametrize("name", ["linear", "heteroscedastic", "smooth", "13% positive"])
def test_the_risk_of_any_prediction_is_that_on_drawn_targets(name, rng):
    problem = find_problem(name)
    X, y = problem.draw(100_000, rng)
    scores = 0.7 * X[:, 0] + 0.2
    losses = (y - scores) ** 2 if problem.task == "regression" else (y != (scores > 0.5)).astype(float)
    assert problem.risk(X, scores) == pytest.approx(losses.mean(), abs=5 * losses.std() / np.sqrt(len(y)))


def test_the_chance_of_the_rare_class_is_that_of_drawn_rows(rng):
    problem = find_problem("13% positive")
    X, y = problem.draw(200_000, rng)
    chance = problem.mean(X)
    for low, high in ((0, 0.1), (0.1, 0.3), (0.3, 0.6), (0.6, 1)):
        rows = (chance >= low) & (chance < high)
        assert y[rows].mean() == pytest.approx(chance[rows].mean(), abs=5 * np.sqrt(0.25 / rows.sum()))
    assert y.mean() == pytest.approx(0.13, abs=0.005)


def test_replications_are_drawn_along_a_first_axis(rng):
    for name in PROBLEMS:
        X, y = find_problem(name).draw(12, rng, times=3)
        assert X.shape == (3, 12, find_problem(name).columns)
        assert y.shape == (3, 12)


def test_an_unknown_problem_is_answered_with_the_nearest():
    with pytest.raises(BadData, match=r"no problem 'smoth'. Did you mean 'smooth'"):
        find_problem("smoth")
