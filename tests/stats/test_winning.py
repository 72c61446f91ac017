"""The law of the winner is read from the losses of all methods it was picked from."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import foldwise as fw
from foldwise.stats.winning import correlation_of


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
