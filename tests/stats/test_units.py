"""What independent units allow: the standard error of a mean, and the exact interval of a share."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from foldwise.stats.cross_validated import independent_se
from foldwise.stats.held_out import clopper_pearson, exact_share


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
    ends = np.array([exact_share(errors / 20, 20, level=0.95)[:2] for errors in np.linspace(0, 20, 41)])
    assert (np.diff(ends, axis=0) > -1e-12).all()


def test_one_unit_alone_says_nothing_and_does_not_fail():
    assert independent_se(np.zeros(1)) == 0
    assert exact_share(1.0, 1, level=0.95).high == 1


def test_replications_along_leading_axes_are_judged_one_by_one():
    terms = np.random.default_rng(1).normal(size=(2, 3, 7))
    assert independent_se(terms)[1, 2] == independent_se(terms[1, 2])
    found = exact_share(np.array([0.0, 0.5, 1.0]), 10, level=0.95)
    assert found.high == pytest.approx([*stats.beta.ppf(0.975, [1, 6], [10, 5]), 1.0])
    assert found.low == pytest.approx([0.0, *stats.beta.ppf(0.025, [5, 10], [6, 1])])
