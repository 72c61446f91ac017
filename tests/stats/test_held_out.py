"""Intervals of one test set: closed forms and refusals; more in test_intervals.py."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from foldwise.errors import BadInterval
from foldwise.stats import held_out

RNG = np.random.default_rng(8)
LOSSES = RNG.beta(1, 4, 30)


def test_the_t_interval_is_that_of_scipy():
    found = held_out.holdout_t(LOSSES, level=0.9)
    expected = stats.ttest_1samp(LOSSES, 0.0).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_no_failure_and_no_success_keep_one_bound():
    """With 0 of n failures Clopper and Pearson's upper end is 1 - (alpha / 2)^(1/n)."""
    none, all_of_them = held_out.clopper_pearson(0, 20), held_out.clopper_pearson(20, 20)
    assert none.low == 0
    assert none.high == pytest.approx(1 - 0.025 ** (1 / 20))
    assert (all_of_them.low, all_of_them.high) == pytest.approx((0.025 ** (1 / 20), 1.0))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: held_out.clopper_pearson(11, 10), "11 failures cannot be among 10 rows"),
        (lambda: held_out.clopper_pearson(4.5, 10), "failures must be a whole number, not 4.5"),
    ],
)
def test_what_is_no_share_is_refused(call, words):
    with pytest.raises(BadInterval, match=words):
        call()
