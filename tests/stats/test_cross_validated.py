"""The corrected t, the central limit interval, what independent units allow, and the intervals that are not offered."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from foldwise.errors import BadInterval
from foldwise.losses.loss import Loss
from foldwise.stats.chooser import INTERVALS, find
from foldwise.stats.cross_validated import (
    FOLD_T,
    NAIVE_Z,
    NOT_OFFERED,
    RUNS_OF_DIFFERENCE,
    RUNS_OF_RISK,
    corrected_t,
    corrected_t_of_runs,
    cv_clt,
    independent_se,
    t_probability_within,
)
from foldwise.stats.evidence import Evidence
from foldwise.stats.held_out import clopper_pearson, exact_share

# shared oracle corrected_resampled_t_10fold: paired scores of two methods on ten folds, 20 test and 180 training rows
A = np.array([0.812, 0.795, 0.833, 0.808, 0.79, 0.821, 0.799, 0.815, 0.826, 0.804])
B = np.array([0.801, 0.797, 0.815, 0.8, 0.795, 0.803, 0.801, 0.806, 0.811, 0.798])


def test_paired_scores_give_the_oracle():
    found = corrected_t(A - B, test_train_ratio=20 / 180, level=0.95)
    expected = (0.0076, -0.001098916606, 0.01629891661, 0.003845407715, 1.976383407, 9, 0.07952117455)
    assert tuple(found) == pytest.approx(expected, rel=1e-8)


def test_a_single_risk_gives_the_oracle():
    """Shared oracle corrected_t_single_risk_subsampling: ten random 90/10 splits of 100 rows."""
    losses = [0.21, 0.25, 0.19, 0.23, 0.28, 0.2, 0.24, 0.22, 0.26, 0.18]
    found = corrected_t(losses, test_train_ratio=10 / 90)
    expected = (0.226, 0.1926962567, 0.2593037433, 0.0147221174, 15.3510527, 9, 9.22614482e-08)
    assert tuple(found) == pytest.approx(expected, rel=1e-8)


scores = arrays(np.float64, 8, elements=st.floats(-100, 100).map(lambda x: round(x, 3)))


@given(scores, st.floats(0.5, 0.99))
def test_without_correction_it_is_the_plain_t_test(values, level):
    if np.ptp(values) < 0.1:
        return
    found = corrected_t(values, test_train_ratio=0.0, level=level)
    plain = stats.ttest_1samp(values, 0.0)
    low, high = plain.confidence_interval(level)
    assert (found.low, found.high, found.p) == pytest.approx((low, high, plain.pvalue), rel=1e-7, abs=1e-9)


@given(scores, st.floats(0.01, 1))
def test_the_interval_leaves_out_zero_exactly_when_p_is_small(values, ratio):
    found = corrected_t(values, test_train_ratio=ratio, level=0.9)
    assert (found.low > 0 or found.high < 0) == (found.p < 0.1)


def test_equal_scores_have_no_spread():
    assert corrected_t([0.1] * 10, test_train_ratio=0.1) == (0.1, 0.1, 0.1, 0.0, math.inf, 9, 0.0)
    assert corrected_t([0.0] * 3, test_train_ratio=0.5) == (0.0, 0.0, 0.0, 0.0, 0.0, 2, 1.0)


@given(arrays(np.float64, (4, 5), elements=st.floats(0, 1)), st.floats(0.05, 0.5))
def test_repeats_count_as_a_limited_number_of_runs(runs, ratio):
    found = corrected_t_of_runs(runs, test_train_ratio=ratio, most_runs=3.0)
    folds = 1 + 1 / ratio
    splits = 20 if folds >= 20 else 3 * (20 / folds) / (20 / folds + 2) * folds
    se = np.sqrt(runs.var(ddof=1) * (1 / splits + ratio)) if np.ptp(runs) > 1e-12 else 0.0
    assert found.value == pytest.approx(runs.mean())
    assert (found.df, found.se) == pytest.approx((splits - 1, se), abs=1e-12)
    assert found.high - found.low == pytest.approx(2 * stats.t.ppf(0.975, splits - 1) * se, rel=1e-6, abs=1e-9)


def test_the_standard_error_has_a_floor_beyond_rounding():
    assert corrected_t([0.1, 0.2, 0.3], test_train_ratio=0.5, least_se=7.0).se == 7
    assert corrected_t([0.1] * 3, test_train_ratio=0.5, least_se=0.01).se == 0.01
    assert corrected_t([0.1] * 3, test_train_ratio=0.5, least_se=1e-17).se == 0


def test_more_repeats_do_not_widen_the_interval_on_average():
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(400, 1, 1)) + rng.normal(size=(400, 10, 5))
    for most in (RUNS_OF_RISK, RUNS_OF_DIFFERENCE):
        # runs that share nothing but a level are the worst case: their mean variance grows surer, and so wider
        widths = [
            np.mean(
                [np.ptp(corrected_t_of_runs(one[:runs], test_train_ratio=1 / 4, most_runs=most)[1:3]) for one in scores]
            )
            for runs in (1, 2, 5, 10)
        ]
        assert all(after < before for before, after in pairwise(widths)), widths


@given(arrays(np.float64, (3, 4), elements=st.floats(-1, 1)))
def test_p_of_repeats_agrees_with_their_interval(runs):
    found = corrected_t_of_runs(runs, test_train_ratio=1 / 3, level=0.9)
    if abs(found.p - 0.1) > 1e-9:
        assert (found.low > 0 or found.high < 0) == (found.p < 0.1)


@given(arrays(np.float64, (3, 4), elements=st.floats(-1, 1)), st.permutations(range(3)))
def test_the_order_of_runs_does_not_matter(runs, order):
    one, other = (corrected_t_of_runs(given, test_train_ratio=0.2) for given in (runs, runs[order]))
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9, abs=1e-12)


def test_scores_equal_but_for_rounding_have_no_spread():
    rounded = np.array([0.1, 0.2, 0.3]) - np.array([0.2, 0.3, 0.4])
    assert np.ptp(rounded) > 0
    for found in (corrected_t(rounded, test_train_ratio=0.5), corrected_t_of_runs([rounded] * 2, test_train_ratio=0.5)):
        assert (found.se, found.high - found.low) == (0, 0)
        assert found.value == pytest.approx(-0.1, rel=1e-15)
    assert corrected_t([1.0, 1.0 + 1e-9], test_train_ratio=0.5).se > 0


def test_one_run_is_the_plain_corrected_t():
    assert corrected_t_of_runs([A], test_train_ratio=0.1) == corrected_t(A, test_train_ratio=0.1)


def test_the_probability_within_a_reach_is_that_of_the_oracle():
    """Bayesian correlated t of the paired oracle, rope 0.01."""
    assert t_probability_within(0.0076, 0.003845407715, 9, reach=0.01) == pytest.approx(0.7253132953, rel=1e-8)
    assert t_probability_within(0.02, 0.0, 9, reach=0.01) == 0
    assert t_probability_within(0.0, 0.0, 9, reach=0.01) == 1


@pytest.mark.parametrize(
    ("values", "options", "words"),
    [
        ([0.1], {}, "at least 2 splits, not 1. Use more folds"),
        ([0.1, math.nan], {}, "finite scores, and split 1 has nan"),
        (0.1, {}, "at least 2 splits, not 1"),
        ([0.1, 0.2], {"level": 95}, "a level"),
        ([0.1, 0.2], {"test_train_ratio": -1.0}, "at least 0, not -1.0"),
        ([0.1, 0.2], {"test_train_ratio": "x"}, "at least 0, not 'x'"),
        ([0.1, 0.2], {"test_train_ratio": None}, "at least 0, not None"),
    ],
)
def test_what_has_no_interval_is_refused(values, options, words):
    with pytest.raises(BadInterval, match=words):
        corrected_t(values, **{"test_train_ratio": 0.1, **options})


def test_the_within_fold_variance_is_the_mean_of_those_inside_folds():
    rng = np.random.default_rng(5)
    losses, folds = rng.beta(1, 4, 22), rng.permutation(np.arange(22) % 5)
    expected = sum(losses[k == folds].var(ddof=1) * (k == folds).mean() for k in range(5))
    assert cv_clt(losses, folds, variance="within-fold").details["variance"] == pytest.approx(expected)


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=30))
def test_rows_of_equal_weight_have_the_standard_error_of_their_mean(losses):
    losses = np.array(losses)
    found = independent_se((losses - losses.mean()) / losses.size)
    assert found == pytest.approx(losses.std(ddof=1) / np.sqrt(losses.size), abs=1e-12)


@given(st.integers(1, 60), st.data())
def test_whole_numbers_have_the_interval_of_clopper_and_pearson(rows, data):
    errors = data.draw(st.integers(0, rows))
    expected = clopper_pearson(errors, rows, level=0.9)
    found = exact_share(errors / rows, rows, level=0.9)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_other_numbers_lie_between():
    found = exact_share(0.25, 10, level=0.95)
    assert (found.low, found.high) == pytest.approx((stats.beta.ppf(0.025, 2.5, 8.5), stats.beta.ppf(0.975, 3.5, 7.5)))
    ends = np.array([exact_share(errors / 20, 20, level=0.95)[:2] for errors in np.linspace(0, 20, 41)])
    assert (np.diff(ends, axis=0) > -1e-12).all()


def test_one_unit_alone_says_nothing_and_does_not_fail():
    assert independent_se(np.zeros(1)) == 0
    assert exact_share(1.0, 1, level=0.95).high == 1


LOSSES = np.random.default_rng(0).random((4, 10))
EVIDENCE = Evidence(
    fold_losses=LOSSES.mean(axis=1),
    row_losses=tuple(LOSSES),
    test_rows=tuple(np.arange(40).reshape(4, 10)),
    train_counts=(30,) * 4,
    kind="folds",
    is_partition=True,
    repeats=1,
    folds=4,
    loss=Loss("squared", np.subtract),
    rows=40,
)


def test_they_are_the_textbook_intervals():
    assert NAIVE_Z.ends(EVIDENCE, 0.9)[:2] == pytest.approx(
        stats.norm.interval(0.9, LOSSES.mean(), stats.sem(LOSSES.ravel()))
    )
    folds = LOSSES.mean(axis=1)
    assert FOLD_T.ends(EVIDENCE, 0.9)[:2] == pytest.approx(stats.t.interval(0.9, 3, folds.mean(), stats.sem(folds)))


def test_they_refuse_what_they_cannot_do():
    assert NAIVE_Z.refuse(replace(EVIDENCE, row_losses=None)) == "squared has no loss per row"
    assert FOLD_T.refuse(replace(EVIDENCE, fold_losses=np.ones(1))) == "one split has no spread"
    assert NAIVE_Z.refuse(EVIDENCE) is FOLD_T.refuse(EVIDENCE) is None


@pytest.mark.parametrize("name", NOT_OFFERED)
def test_they_are_in_no_table(name):
    assert name not in INTERVALS
    with pytest.raises(Exception, match="there is no interval"):
        find(name)
