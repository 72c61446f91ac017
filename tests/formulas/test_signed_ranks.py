"""The tests over data sets, against scipy, enumeration and closed forms."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from foldwise.errors import BadInterval
from foldwise.formulas.signed_ranks import PRIOR_WEIGHT, sign_test, signed_rank, signed_rank_bayes


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=8))
def test_the_p_is_the_share_of_all_signs_that_are_as_far(differences):
    """Ties share ranks, zeros are ranked and then dropped; every sign of the rest is as likely as its opposite."""
    ranks = stats.rankdata(np.abs(differences))
    kept = [(rank, value > 0) for rank, value in zip(ranks, differences, strict=True) if value]
    total = sum(rank for rank, _ in kept)
    seen = min(sum(rank for rank, is_above in kept if is_above), sum(rank for rank, is_above in kept if not is_above))
    sums = [sum(rank for (rank, _), sign in zip(kept, signs, strict=True) if sign) for signs in
            product([0, 1], repeat=len(kept))]  # fmt: skip
    expected = np.mean([min(one, total - one) <= seen + 1e-9 for one in sums])

    assert signed_rank(differences).p == pytest.approx(expected)


@pytest.mark.parametrize("sets", [5, 14, 45])
def test_without_ties_it_is_the_exact_test_of_scipy(sets):
    differences = np.random.default_rng(sets).normal(0.3, 1, sets)
    expected = stats.wilcoxon(differences, method="exact")

    found = signed_rank(differences)

    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)
    assert found.side == (1 if stats.rankdata(abs(differences))[differences > 0].sum() > found.statistic else -1)


def test_many_data_sets_take_the_normal_approximation():
    differences = np.random.default_rng(0).normal(0.05, 1, 400)

    assert signed_rank(differences).p == pytest.approx(stats.wilcoxon(differences, method="approx").pvalue, rel=1e-6)


@given(st.lists(st.integers(-2, 2), min_size=1, max_size=12))
def test_the_sign_test_is_the_binomial_test(differences):
    above, below = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    expected = stats.binomtest(above, above + below).pvalue if above + below else 1.0

    assert sign_test(differences).p == pytest.approx(expected)


def test_no_p_is_below_the_smallest_that_the_data_sets_allow():
    for sets in (1, 3, 6):
        for test in (signed_rank, sign_test):
            found = test(np.arange(1.0, sets + 1))
            assert found.p == found.smallest_p == 2.0 ** (1 - sets)


def test_equal_methods_are_equal():
    assert signed_rank([0.0, 0.0]) == sign_test([0, 0]) == (0.0, 1.0, 1.0, 0)
    assert signed_rank_bayes([0.0, 0.0, 0.0], rope=0.01) == (0, 1, 0)


def test_one_data_set_has_a_closed_form():
    """Its weight is Beta(1, s) beside the imagined one at 0, and means of two mostly lie there if w0^2 < 1/2."""
    expected = stats.beta(1, PRIOR_WEIGHT).sf(1 - np.sqrt(0.5))
    found = signed_rank_bayes([-1.0], rope=0.1, seed=3)

    assert found.p_left == pytest.approx(expected, abs=4 * np.sqrt(0.25 / 50_000))
    assert found.p_right == 0


def naive_bayes(differences, rope, draws, rng):
    """Benavoli and others (2017), equations as printed: loops over draws and pairs."""
    values, wins = [0.0, *differences], np.zeros(3)
    for _ in range(draws):
        weights = rng.dirichlet([PRIOR_WEIGHT, *np.ones(len(differences))])
        places = np.zeros(3)
        for (one, z), (other, u) in product(enumerate(values), repeat=2):
            place = 0 if (z + u) / 2 < -rope else 2 if (z + u) / 2 > rope else 1
            places[place] += weights[one] * weights[other]
        wins[places.argmax()] += 1
    return wins / draws


def test_the_probabilities_are_those_of_the_plain_loop():
    differences = [-0.03, -0.01, 0.004, -0.02, 0.015, -0.002]
    expected = naive_bayes(differences, 0.01, 1500, np.random.default_rng(1))

    found = signed_rank_bayes(differences, rope=0.01)

    assert sum(found) == pytest.approx(1)
    assert np.array(found) == pytest.approx(expected, abs=5 * np.sqrt(0.25 / 1500))


def test_the_other_side_is_the_mirror_and_the_same_seed_the_same_numbers():
    differences = np.random.default_rng(5).normal(0.01, 0.02, 9)
    found, turned = signed_rank_bayes(differences, rope=0.01), signed_rank_bayes(-differences, rope=0.01)

    assert found == signed_rank_bayes(differences, rope=0.01)
    assert turned == pytest.approx(found[::-1])
    assert signed_rank_bayes(differences, rope=10.0) == (0, 1, 0)


@pytest.mark.parametrize("test", [signed_rank, sign_test, lambda d: signed_rank_bayes(d, rope=0.01)])
def test_what_is_no_list_of_finite_numbers_is_refused(test):
    with pytest.raises(BadInterval, match="one difference per data set"):
        test([])
    with pytest.raises(BadInterval, match="data set 1 has nan"):
        test([0.1, float("nan")])
    with pytest.raises(BadInterval, match="rope is the largest difference"):
        signed_rank_bayes([0.1], rope=-1)


@pytest.mark.slow
def test_equal_methods_are_rarely_told_apart():
    """800 made benchmarks without a difference: no more than 5 in 100 false alarms, but for chance."""
    rng, times = np.random.default_rng(0), 800
    found = [signed_rank(rng.normal(size=10)).p <= 0.05 for _ in range(times)]

    assert np.mean(found) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / times)
