"""The level of the winner's interval: right for ties by formula, close to the plain one where the winner is clear."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize, stats
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import foldwise as fw
from foldwise.stats.multiple import shared_level
from foldwise.stats.winner_level import SPENT, correlation_of, winner_level


def level_of(methods, *, gap=0.0, correlation=0.0, df=np.inf, level=0.95):
    gaps = np.r_[0.0, np.full(methods - 1, gap)]
    together = correlation + (1 - correlation) * np.eye(methods)
    return winner_level(
        gaps, (gaps > -1) * np.r_[0.0, np.ones(methods - 1)], np.ones(methods), together, df=df, df_gaps=df, level=level
    )


@pytest.mark.parametrize("methods", [2, 4, 8])
def test_independent_ties_miss_as_often_as_the_smallest_of_independent_normals_says(methods):
    """P(the smallest is off by more than q) = 1 - P(all > -q) + P(all > q)."""

    def missed(reach):
        return 1 - stats.norm.sf(-reach) ** methods + stats.norm.sf(reach) ** methods

    reach = optimize.brentq(lambda reach: missed(reach) - (1 - SPENT) * 0.05, 1, 6)
    assert_allclose(level_of(methods), 2 * stats.norm.cdf(reach) - 1, atol=2e-3)


@pytest.mark.parametrize("df", [4.0, 12.0, np.inf])
def test_a_clear_winner_has_nearly_its_plain_interval(df):
    assert_allclose(level_of(4, gap=100.0, df=df), 1 - (1 - SPENT) * 0.05, atol=2e-3)


def test_the_level_lies_between_the_plain_one_and_bonferroni_and_falls_with_correlation():
    levels = [level_of(8, correlation=together, df=12.0) for together in (0.0, 0.5, 0.9, 1.0)]
    assert levels == sorted(levels, reverse=True)
    assert 0.95 < levels[-1] < levels[0] < shared_level(0.95, 8)
    assert level_of(1) == 0.95


@pytest.mark.slow
@pytest.mark.parametrize("gap", [0.0, 3.0])
def test_the_picked_mean_is_missed_as_seldom_as_promised_for_unequal_standard_errors(gap):
    """Plain draws around means that the method does not know."""
    rng, methods, draws = np.random.default_rng(5), 4, 400
    se, means = np.array([1.0, 2.0, 0.5, 1.0]), np.array([0.0, gap, gap / 2, gap])
    together = 0.6 + 0.4 * np.eye(methods)
    covariance = together * np.outer(se, se)
    held = 0
    for estimate in rng.multivariate_normal(means, covariance, draws):
        best = int(estimate.argmin())
        apart = np.sqrt(se**2 + se[best] ** 2 - 2 * covariance[best])
        level = winner_level(estimate - estimate[best], apart, se, together, df=np.inf, df_gaps=np.inf)
        held += abs(estimate[best] - means[best]) <= stats.norm.ppf(0.5 + level / 2) * se[best]
    assert held / draws >= 0.95 - 2 * np.sqrt(0.05 * 0.95 / draws)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(80, 3))
    return X, X @ [1.0, 0.5, 0.0] + rng.normal(size=80)


def test_estimates_move_together_as_the_losses_of_rows_do(table):
    learners = {"ols": LinearRegression(), "ridge": Ridge(1.0), "k-nn": KNeighborsRegressor(3)}
    result = fw.compare(learners, *table, outer=5, jobs=1)
    losses = result.losses().pivot(index="row", columns="method", values="loss")[list(learners)]
    found = correlation_of([result._find(name).evidence for name in learners])
    assert_allclose(found, np.corrcoef(losses.to_numpy().T), atol=0.01)
    assert found[0, 1] > 0.99 > found[0, 2] > 0.2


def test_a_measure_without_losses_of_rows_is_taken_to_be_independent(table):
    X, y = table
    learners = {"a": LogisticRegression(), "b": KNeighborsClassifier(5)}
    result = fw.compare(learners, X, (y > 0).astype(int), outer=5, loss="roc_auc", jobs=1)
    assert correlation_of([result._find(name).evidence for name in learners]).tolist() == np.eye(2).tolist()
    winner = result.to_dict()["winner"]
    assert winner["level_shared"] == "winner"
    assert 0.95 < winner["level"] < 0.975


def test_alike_methods_cost_the_winner_next_to_nothing(table):
    learners = {f"ridge {at}": Ridge(1 + at / 100) for at in range(6)}
    winner = fw.compare(learners, *table, outer=5, jobs=1).to_dict()["winner"]
    assert 0.95 < winner["level"] < 0.958
    assert winner["among"] == 6


@pytest.mark.parametrize("outer", [0.3, "loo"])
def test_on_one_test_set_or_without_intervals_the_level_is_shared_evenly(table, outer):
    learners = {"ols": LinearRegression(), "k-nn": KNeighborsRegressor(3)}
    winner = fw.compare(learners, *table, outer=outer, jobs=1).to_dict()["winner"]
    assert (winner["level_shared"], winner["level"]) == ("evenly", pytest.approx(0.975))
