"""Differences of two predictors; the public functions are tested in tests/comparisons."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from foldwise.errors import BadInterval
from foldwise.formulas.pairs import correlated_bayes, five_by_two, mcnemar


@given(st.integers(0, 30), st.integers(0, 30))
def test_mcnemar_is_the_binomial_test_of_the_rows_that_differ(first, second):
    if first + second == 0:
        assert mcnemar(0, 0).p == 1
        return
    found = mcnemar(first, second)
    assert found.p == pytest.approx(stats.binomtest(first, first + second).pvalue)
    assert found.chi2 == pytest.approx((first - second) ** 2 / (first + second))


def test_beliefs_are_areas_of_the_t_distribution():
    differences = np.array([0.02, 0.01, 0.03, 0.02, 0.0])
    found = correlated_bayes(differences, test_train_ratio=0.25, rope=0.01)
    scale = math.sqrt(differences.var(ddof=1) * (1 / 5 + 0.25))
    belief = stats.t(4, differences.mean(), scale)
    expected = belief.cdf(-0.01), belief.cdf(0.01) - belief.cdf(-0.01), belief.sf(0.01)
    assert (found.p_left, found.p_rope, found.p_right) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: five_by_two(np.ones((4, 2))), "at least 5 repeats, not 4"),
        (lambda: five_by_two(np.ones((6, 2))), "not 6 of 2"),
        (lambda: five_by_two(np.ones((5, 2))), "vary within some repeat"),
        (lambda: correlated_bayes([0.1, 0.1], test_train_ratio=0.1, rope=0.0), "all splits have the same difference"),
        (lambda: correlated_bayes([0.1, 0.2], test_train_ratio=0.1, rope="x"), "rope is the largest difference"),
    ],
)
def test_differences_that_say_nothing_are_refused(call, words):
    with pytest.raises(BadInterval, match=words):
        call()
