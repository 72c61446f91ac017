"""Ties go to the first candidate of the space, in the rule and in a whole tuning; one_se is the textbook's."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor

import foldwise as fw
from foldwise.tuners.rules import choose


def test_ties_go_to_the_first_candidate():
    scores = np.array([[0.5, 0.5], [0.25, 0.5], [0.375, 0.375], [0.25, 0.5]])

    assert choose(scores) == 1
    assert choose(scores[[0, 2, 1, 3]]) == 1


@pytest.mark.parametrize("order", [["mean", "median"], ["median", "mean"]])
def test_a_tuned_learner_takes_the_first_of_equal_candidates(order):
    """Mean and median of a target that is symmetric in every fold are the same."""
    X, y = np.zeros((12, 1)), np.tile([1.0, 3.0], 6)

    tuned = fw.tune(DummyRegressor(), strategy=order, inner=[0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2]).fit(X, y)

    assert tuned.candidate_ == {"strategy": order[0]}


def test_one_se_takes_the_simplest_candidate_within_a_standard_error_of_the_best():
    """0.088 here; the standard deviation of the three losses is 0.153, and 0.072 is what dividing by 3 would give."""
    best = np.array([0.3, 0.4, 0.6])
    assert 0.08 < statistics.stdev(best.tolist()) / math.sqrt(3) < 0.09
    scores = np.array([best + 0.2, best + 0.12, best + 0.09, best + 0.08, best, best + 0.01])

    assert (choose(scores), choose(scores, rule="one_se", ranks=range(6))) == (4, 3)
    assert choose(scores, rule="one_se", ranks=[5, 4, 3, 2, 1, 0]) == 5


def test_candidates_without_a_score_are_never_chosen():
    assert choose(np.array([[math.nan, 0.1], [0.5, 0.6]])) == 1
    assert choose(np.full((2, 2), math.nan)) is None
