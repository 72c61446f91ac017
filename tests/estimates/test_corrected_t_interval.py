from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from foldwise.errors import BadInterval
from foldwise.estimates.corrected_t import corrected_t_interval, cv_interval

LOSSES = [0.21, 0.25, 0.19, 0.23, 0.28, 0.2, 0.24, 0.22, 0.26, 0.18]
TEN = {"repeats": 1, "folds": 10, "test_rows": [10] * 10, "train_rows": [90] * 10, "level": 0.95}


def test_the_interval_is_that_of_the_oracle():
    """Shared oracle corrected_t_single_risk_subsampling."""
    found = corrected_t_interval(LOSSES, test_train_ratio=10 / 90, level=0.95)
    assert (found.low, found.high) == pytest.approx((0.1926962567, 0.2593037433), rel=1e-8)
    assert (found.level, found.name) == (0.95, "corrected t")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("folds", "corrected t over 10 folds"),
        ("grouped", "10 folds of whole groups.*the group is the unit"),
        ("monte_carlo", "10 random splits"),
    ],
)
def test_partitions_groups_and_random_splits_have_an_interval(kind, words):
    found, reason = cv_interval(LOSSES, kind=kind, **TEN)
    assert (found.low, found.high) == pytest.approx((0.1926962567, 0.2593037433), rel=1e-8)
    assert re.search(words, reason)


def test_unequal_folds_take_the_mean_sizes():
    found, _ = cv_interval(
        [0.1, 0.2, 0.4], repeats=1, folds=3, kind="folds", test_rows=[4, 3, 3], train_rows=[6, 7, 7], level=0.9
    )
    mean, s = np.mean([0.1, 0.2, 0.4]), np.std([0.1, 0.2, 0.4], ddof=1)
    reach = stats.t.ppf(0.95, 2) * s * math.sqrt(1 / 3 + (10 / 3) / (20 / 3))
    assert (found.low, found.high) == pytest.approx((mean - reach, mean + reach), rel=1e-12)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kind": "loo"}, "leave-one-out"),
        ({"kind": "folds", "test_rows": [1] * 10}, "leave-one-out"),
        ({"kind": "time"}, "time-ordered"),
        ({"kind": "bootstrap"}, "bootstrap"),
        ({"kind": "pairs"}, "do not partition the rows"),
        ({"kind": "folds", "is_partition": False}, "do not partition the rows"),
    ],
)
def test_other_schemes_have_none_and_the_reason_is_told(changes, words):
    found, reason = cv_interval(LOSSES, **{**TEN, **changes})
    assert found is None
    assert words in reason


def test_given_pairs_that_are_a_partition_have_one():
    assert cv_interval(LOSSES, kind="pairs", is_partition=True, **TEN)[0] is not None


def test_one_test_set_has_no_spread_over_folds():
    found, reason = cv_interval([0.2], repeats=1, folds=1, kind="holdout", test_rows=20, train_rows=80, level=0.95)
    assert (found, reason) == (None, "one test set has no spread over folds")


def test_a_repeated_test_set_is_a_run_of_random_splits():
    sizes = {"test_rows": 10, "train_rows": 90, "level": 0.95}
    found, _ = cv_interval(LOSSES, repeats=10, folds=1, kind="holdout", **sizes)
    assert (found.low, found.high) == pytest.approx((0.1926962567, 0.2593037433), rel=1e-8)


@pytest.mark.parametrize("odd", [math.nan, math.inf])
def test_a_missing_loss_leaves_no_interval(odd):
    found, reason = cv_interval([odd, *LOSSES[1:]], kind="folds", **TEN)
    assert (found, reason) == (None, "1 of 10 splits have no finite loss")


def test_equal_losses_do_not_claim_to_be_exact():
    found, reason = cv_interval([0.0] * 10, kind="folds", **TEN)
    assert found is None
    assert "all splits have the same loss" in reason


@given(arrays(np.float64, (3, 5), elements=st.floats(0, 1)))
@settings(max_examples=50, deadline=None)
def test_repeats_do_not_narrow_the_interval(runs):
    if np.ptp(runs) == 0:
        return
    sizes = {"folds": 5, "kind": "folds", "test_rows": 20, "train_rows": 80, "level": 0.95}
    found, _ = cv_interval(runs.ravel(), repeats=3, **sizes)
    widths = [corrected_t_interval(run, test_train_ratio=0.25) for run in runs]
    assert found.high - found.low >= np.mean([one.high - one.low for one in widths]) - 1e-12
    assert (found.high + found.low) / 2 == pytest.approx(runs.mean(), abs=1e-12)


def test_losses_that_do_not_fill_the_scheme_are_refused():
    with pytest.raises(BadInterval, match="3 split losses cannot be 1 repeats of 10 folds"):
        cv_interval([0.1, 0.2, 0.3], kind="folds", **TEN)
