"""Intervals along a replication axis are the public ones, one replication after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from foldwise import intervals
from foldwise.lab import batched

RNG = np.random.default_rng(8)
LOSSES = RNG.beta(1, 4, (5, 30))
FOLDS = RNG.permutation(np.arange(30) % 5)
WRONG = (RNG.random((5, 30)) < 0.3).astype(float)


def ends(found):
    return [one.low for one in found], [one.high for one in found]


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_intervals_of_test_rows_are_the_public_ones(level):
    assert_allclose(batched.mean_t(LOSSES, level), ends([intervals.holdout_t(row, level) for row in LOSSES]))
    public = [intervals.clopper_pearson(int(row.sum()), 30, level) for row in WRONG]
    assert_allclose(batched.clopper_pearson(WRONG, level), ends(public), rtol=1e-9)
    public = [intervals.betting(row, (0, 1), level) for row in LOSSES]
    assert_allclose(batched.betting(LOSSES, level), ends(public))


def test_bounds_are_the_public_ones_where_those_do_not_leave_the_range():
    """Both ends are held to [0, 1] here, as the public functions do."""
    for name in ("hoeffding", "empirical_bernstein"):
        mine, public = getattr(batched, name), getattr(intervals, name)
        expected = np.clip(ends([public(row, (0, 1), 0.95) for row in LOSSES]), 0, 1)
        assert_allclose(mine(LOSSES, 0.95), expected)


def test_the_corrected_t_is_the_public_one():
    means = batched.fold_means(LOSSES, FOLDS)
    assert_allclose(means[2], [LOSSES[2, k == FOLDS].mean() for k in range(5)])
    expected = ends([intervals.corrected_t(row, 0.25, 0.95) for row in means])
    assert_allclose(batched.corrected_t(means, 0.25, 0.95), expected)


@pytest.mark.parametrize("within", [False, True])
def test_the_cv_central_limit_interval_is_the_public_one(within):
    variance = "within-fold" if within else "all-pairs"
    expected = ends([intervals.cv_clt(row, FOLDS, variance, 0.95) for row in LOSSES])
    assert_allclose(batched.cv_clt(LOSSES, FOLDS, 0.95, within=within), expected)


def test_the_bates_interval_is_the_public_one():
    folds = np.stack([FOLDS, np.roll(FOLDS, 7)])
    outer = RNG.beta(1, 4, (3, 2, 30))
    inner = RNG.beta(1, 4, (3, 2, 5, 30))
    own = folds[:, None, :] == np.arange(5)[:, None]
    inner[:, own] = np.nan
    low, high, inflation = batched.bates(outer, inner, folds, 0.9)
    for r in range(3):
        public = intervals.bates(outer[r], np.nan_to_num(inner[r]), folds, 0.9)
        assert_allclose([low[r], high[r]], [public.low, public.high])
        assert_allclose(inflation[r], public.details["inflation"])


def test_the_conservative_z_is_the_public_one():
    full, halves = RNG.random((4, 6)), RNG.random((4, 5, 2))
    expected = ends([intervals.conservative_z(f, h, 0.95) for f, h in zip(full, halves, strict=True)])
    assert_allclose(batched.conservative_z(full, halves, 0.95), expected)


def test_the_arcsine_interval_of_an_error_rate_has_its_closed_form():
    low, high = batched.arcsine(np.array([0.25]), 1.0, 100, 0.9)
    reach = 1.6448536269514722 / 20
    assert_allclose([low[0], high[0]], np.sin(np.arcsin(0.5) + np.array([-reach, reach])) ** 2)
    assert_allclose(batched.arcsine(np.array([0.0]), 1.0, 100, 0.9)[0], 0)


@given(st.permutations(range(5)), st.permutations(range(30)))
def test_labels_of_folds_and_order_of_rows_do_not_matter(labels, order):
    """D11: only which rows share a fold counts."""
    renamed, moved = np.array(labels)[FOLDS], np.array(order)
    means = batched.corrected_t(batched.fold_means(LOSSES, FOLDS), 0.25, 0.95)
    again = batched.corrected_t(batched.fold_means(LOSSES[:, moved], renamed[moved]), 0.25, 0.95)
    assert_allclose(again, means)
    for within in (False, True):
        assert_allclose(
            batched.cv_clt(LOSSES[:, moved], renamed[moved], 0.95, within=within),
            batched.cv_clt(LOSSES, FOLDS, 0.95, within=within),
        )


def test_no_error_at_all_still_leaves_an_upper_bound():
    """D11: with 0 of n errors Clopper and Pearson's upper end is 1 - (alpha / 2)^(1/n)."""
    low, high = batched.clopper_pearson(np.zeros((1, 20)), 0.95)
    assert low[0] == 0
    assert high[0] == pytest.approx(1 - 0.025 ** (1 / 20))
    assert batched.clopper_pearson(np.ones((1, 20)), 0.95)[1][0] == 1


def test_constant_losses_make_zero_width_t_intervals():
    """D11: the lab shows them as they are; the tool refuses to print them."""
    low, high = batched.corrected_t(np.full((2, 5), 0.3), 0.25, 0.95)
    assert_allclose(high - low, 0, atol=1e-12)
