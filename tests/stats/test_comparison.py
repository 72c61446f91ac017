"""A comparison, and two methods or predictors compared from arrays: stats/comparison.py, stats/comparisons.py."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from foldwise import comparisons, intervals
from foldwise.errors import BadInterval
from foldwise.stats.comparison import Comparison
from foldwise.stats.estimate import Estimate


def test_paired_is_the_corrected_t_with_all_its_parts():
    differences = np.array([0.02, 0.01, 0.03, 0.02, -0.01])
    found = comparisons.paired(differences, 0.25, 0.9)
    se = differences.std(ddof=1) * np.sqrt(1 / 5 + 0.25)
    assert (found.se, found.t, found.df) == pytest.approx((se, differences.mean() / se, 4), rel=1e-12)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(found.t), 4), rel=1e-10)
    assert (found.level, found.interval) == (0.9, "corrected t")
    assert "averaged over training sets" in found.target


def test_identical_methods_are_a_tie():
    found = comparisons.paired(np.zeros(10), 1 / 9)
    assert (found.value, found.low, found.high, found.p) == (0, 0, 0, 1)
    same = comparisons.delong([0, 1, 0, 1], [1, 2, 3, 4], [1, 2, 3, 4])
    assert (same.value, same.low, same.high, same.p) == (0, 0, 0, 1)
    agree = comparisons.mcnemar([0, 1, 1], [0, 1, 1])
    assert (agree.value, agree.p) == (0, 1)
    # three rows on which two predictors agree do not make them equal
    assert agree.low < 0 < agree.high == pytest.approx(-agree.low)


@given(arrays(np.int64, (2, 30), elements=st.integers(0, 1)))
def test_mcnemar_from_losses_is_that_of_the_counts(losses):
    a, b = losses
    found = comparisons.mcnemar(a, b)
    only_a, only_b = int(((a == 1) & (b == 0)).sum()), int(((a == 0) & (b == 1)).sum())
    assert found.value == pytest.approx(a.mean() - b.mean(), abs=1e-12)
    assert found.low <= found.value <= found.high
    if only_a + only_b:
        assert found.p == pytest.approx(stats.binomtest(only_a, only_a + only_b).pvalue, rel=1e-9)
        assert not (found.low > 0 or found.high < 0) or found.p < 0.05
    counts = comparisons.mcnemar(only_a, only_b, rows=30)
    assert (counts.value, counts.low, counts.high, counts.p) == (found.value, found.low, found.high, found.p)


def test_mcnemar_of_many_rows_does_not_overflow():
    found = comparisons.mcnemar(3000, 2800, mid_p=True)
    exact = stats.binomtest(3000, 5800).pvalue
    assert found.details["exact_p"] == pytest.approx(exact, rel=1e-8)
    assert found.p == pytest.approx(exact - stats.binom.pmf(2800, 5800, 0.5), rel=1e-6)


def test_delong_variance_is_that_of_the_pairwise_definition():
    rng = np.random.default_rng(0)
    y = np.arange(40) < 15
    a, b = rng.integers(0, 12, (2, 40)) + 3 * y

    def parts(score):
        wins = np.array([[(p > n) + 0.5 * (p == n) for n in score[~y]] for p in score[y]])
        return wins.mean(axis=1), wins.mean(axis=0)

    (a10, a01), (b10, b01) = parts(a), parts(b)
    variance = np.var(a10 - b10, ddof=1) / 15 + np.var(a01 - b01, ddof=1) / 25
    found = comparisons.delong(y, a, b)
    assert found.value == pytest.approx(a10.mean() - b10.mean(), abs=1e-12)
    assert found.se == pytest.approx(np.sqrt(variance), rel=1e-10)
    turned = comparisons.delong(y, b, a)
    assert (turned.low, turned.high, turned.p) == pytest.approx((-found.high, -found.low, found.p))


def test_delong_of_rankings_that_do_not_vary_has_a_value_alone():
    found = comparisons.delong([0, 0, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1])
    assert (found.value, found.low, found.high, found.interval, found.p, found.se) == (1, None, None, None, None, 0)
    assert "neither ranking varies" in dict(found.notes)["interval"]
    json.dumps(found.to_dict(), allow_nan=False)


@given(arrays(np.float64, 8, elements=st.floats(-1, 1)), st.floats(0, 0.5))
def test_probabilities_of_a_belief_sum_to_one(differences, rope):
    assume(np.ptp(differences) > 1e-9 or not differences.any())
    found = comparisons.correlated_bayes(differences, 1 / 7, rope)
    assert found.p_left + found.p_rope + found.p_right == pytest.approx(1, abs=1e-9)
    assert found.equivalence == found.p_rope
    turned = comparisons.correlated_bayes(-differences, 1 / 7, rope)
    assert (turned.p_left, turned.p_right) == pytest.approx((found.p_right, found.p_left), abs=1e-9)


def test_beliefs_are_areas_of_the_t_distribution():
    differences = np.array([0.02, 0.01, 0.03, 0.02, 0.0])
    found = comparisons.correlated_bayes(differences, 0.25, rope=0.01)
    scale = math.sqrt(differences.var(ddof=1) * (1 / 5 + 0.25))
    belief = stats.t(4, differences.mean(), scale)
    expected = belief.cdf(-0.01), belief.cdf(0.01) - belief.cdf(-0.01), belief.sf(0.01)
    assert (found.p_left, found.p_rope, found.p_right) == pytest.approx(expected, rel=1e-9)


def test_a_belief_prints_its_probabilities_and_becomes_json():
    found = comparisons.correlated_bayes([0.02, 0.01, 0.03, 0.02], 1 / 3, rope=0.01)
    assert str(found).endswith("below -0.01 0.0086, within 0.095, above 0.9")
    assert json.loads(json.dumps(found.to_dict()))["p_rope"] == found.p_rope


def test_paired_and_corrected_t_are_the_same_interval():
    scores = [0.21, 0.25, 0.19, 0.23]
    one, other = comparisons.paired(scores, 1 / 3), intervals.corrected_t(scores, 1 / 3)
    assert (one.low, one.high) == (other.low, other.high)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: comparisons.paired([0.1] * 5, 0.25), "same difference of 0.1.*Use more splits"),
        (lambda: comparisons.paired(np.array([0.1, 0.2, 0.3]) - [0.2, 0.3, 0.4], 0.5), "same difference of -0.1"),
        (lambda: comparisons.paired([0.1, 0.2], "x"), "a number of at least 0, not 'x'"),
        (lambda: comparisons.correlated_bayes([0.1] * 3, 0.5, 0.01), "same difference of 0.1.*Use more splits"),
        (lambda: comparisons.paired([0.1], 0.25), "at least 2 splits, not 1"),
        (lambda: comparisons.mcnemar([0, 1], [0.5, 1]), "losses of 0 or 1, and row 0 has 0.5"),
        (lambda: comparisons.mcnemar([0, 1], [0, 1, 1]), "on the same rows, not 2 and 3"),
        (lambda: comparisons.mcnemar(-1, 3), "wrong answers must be at least 0, not -1"),
        (lambda: comparisons.mcnemar(5, 3, rows=7), "rows must be at least 8, not 7"),
        (lambda: comparisons.correlated_bayes([0.1, 0.2], 0.1, -1), "at least 0, not -1"),
        (lambda: comparisons.correlated_bayes([0.1, 0.2], 0.1, "x"), "at least 0, not 'x'"),
        (lambda: comparisons.delong([0, 0, 1], [1, 2, 3], [1, 3, 2]), "at least 2 rows of each class"),
    ],
)
def test_comparisons_that_would_not_be_valid_are_refused(call, words):
    with pytest.raises(BadInterval, match=words):
        call()


def test_a_comparison_is_an_estimate_with_p_and_equivalence():
    found = Comparison(0.1, names=("a", "b"))
    assert isinstance(found, Estimate)
    assert (found.p, found.equivalence) == (None, None)
    assert str(found) == "a minus b: 0.100 (no interval)"


def test_a_comparison_cannot_be_changed():
    with pytest.raises(AttributeError):
        Comparison(0.1).p = 0.01
