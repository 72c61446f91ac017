"""Intervals of one test set: closed forms, leading axes and refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from foldwise.errors import BadInterval
from foldwise.formulas import holdout

RNG = np.random.default_rng(8)
LOSSES = RNG.beta(1, 4, (2, 3, 30))
LOSSES[1, 2] = 0.3  # no spread


@pytest.mark.parametrize(
    "formula", [holdout.hoeffding, holdout.empirical_bernstein, holdout.betting, holdout.holdout_t]
)
def test_test_sets_along_leading_axes_are_judged_one_by_one(formula, check_leading_axes):
    check_leading_axes(formula, LOSSES)


def test_groups_along_leading_axes_are_judged_one_by_one(check_leading_axes):
    groups = np.arange(30) % 7
    check_leading_axes(lambda losses: holdout.holdout_t(losses, groups=groups), LOSSES)


def test_shares_along_leading_axes_are_judged_one_by_one(check_leading_axes):
    failures = np.array([[0, 1, 30], [29, 12, 5]])
    check_leading_axes(lambda counts: holdout.clopper_pearson(counts, 30), failures)
    check_leading_axes(lambda shares: holdout.arcsine(shares, 30, inflation=1.2), failures / 30)


def test_the_t_interval_is_that_of_scipy():
    found = holdout.holdout_t(LOSSES[0, 0], level=0.9)
    expected = stats.ttest_1samp(LOSSES[0, 0], 0.0).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_the_arcsine_interval_has_its_closed_form():
    found, reach = holdout.arcsine(0.25, 100, level=0.9), 1.6448536269514722 / 20
    expected = np.sin(np.arcsin(0.5) + np.array([-reach, reach])) ** 2
    assert (found.low, found.high) == pytest.approx(tuple(expected), rel=1e-12)
    assert holdout.arcsine(0.0, 100).low == 0


def test_no_failure_and_no_success_keep_one_bound():
    """With 0 of n failures Clopper and Pearson's upper end is 1 - (alpha / 2)^(1/n)."""
    none, all_of_them = holdout.clopper_pearson(0, 20), holdout.clopper_pearson(20, 20)
    assert none.low == 0
    assert none.high == pytest.approx(1 - 0.025 ** (1 / 20))
    assert (all_of_them.low, all_of_them.high) == pytest.approx((0.025 ** (1 / 20), 1.0))


@given(st.integers(1, 200), st.data())
def test_wilson_is_that_of_scipy(rows, data):
    failures = data.draw(st.integers(0, rows))
    found = holdout.wilson(failures, rows, level=0.9)
    expected = stats.binomtest(failures, rows).proportion_ci(0.9, "wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(st.floats(0, 0.999), st.integers(1, 500))
def test_the_kl_bound_is_where_the_divergence_reaches_its_limit(mean, rows):
    q = holdout.kl_upper(mean, rows, level=0.95)
    assert mean <= q <= 1
    if q < 1 - 1e-9:  # beyond, the divergence changes faster than q can
        divergence = float(special.rel_entr(mean, q) + special.rel_entr(1 - mean, 1 - q))
        assert rows * divergence == pytest.approx(math.log(20), rel=1e-4)


def test_a_running_betting_interval_leaves_out_no_less():
    losses = np.random.default_rng(0).random(80)
    final, running = holdout.betting(losses), holdout.betting(losses, is_running=True)
    assert final.low <= running.low <= running.high <= final.high


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: holdout.kl_upper(1.5, 10), "cannot be 1.5"),
        (lambda: holdout.arcsine(-0.1, 10), "between 0 and 1, not at -0.1"),
        (lambda: holdout.arcsine(np.array([0.1, 1.1]), 10), "between 0 and 1"),
        (lambda: holdout.clopper_pearson([3, 11], 10), "11 failures cannot be among 10 rows"),
        (lambda: holdout.clopper_pearson([3, 4.5], 10), "failures must be a whole number, not 4.5"),
    ],
)
def test_what_is_no_share_is_refused(call, words):
    with pytest.raises(BadInterval, match=words):
        call()
