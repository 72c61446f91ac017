"""How many rows it would take to tell two methods apart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from by_hand import Counted
from scipy import stats
from sklearn.linear_model import LinearRegression, Ridge

import foldwise as fw
from foldwise.questions.power import rows_needed
from foldwise.stats.comparison import Comparison

Z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)  # standard errors of a difference that is seen in 80% of studies


def gap(value, low, high):
    return Comparison(value, low, high, names=("a", "b"))


def test_the_range_is_that_of_the_differences_that_the_interval_allows():
    se = 0.375 / stats.norm.ppf(0.975)
    found = rows_needed(gap(0.125, -0.25, 0.5), 50)
    assert (found.low, found.high) == (math.ceil(50 * (Z * se / 0.5) ** 2), None)
    assert found.rows == math.ceil(50 * (Z * se / 0.125) ** 2)
    assert str(found) == (
        "For an 80% chance (at the 95% level) to tell a and b apart you would need about 58 rows if they differ by "
        "0.5, the most that the interval allows, about 920 if by 0.125 as found here; if they do not differ, no number "
        "is enough. More repeats would not do it."
    )


def test_two_that_are_told_apart_have_a_range_with_two_ends():
    found = rows_needed(gap(-0.5, -0.8, -0.2), 50)
    se = 0.3 / stats.norm.ppf(0.975)
    assert (found.low, found.high) == tuple(math.ceil(50 * (Z * se / size) ** 2) for size in (0.8, 0.2))
    assert str(found) == (
        "a and b are told apart by these 50 rows. A new study would need about 15 to 230 rows for an 80% chance (at "
        "the 95% level), as they differ by 0.8 to 0.2."
    )


@pytest.mark.parametrize("value", [0.0, 1e-9])
def test_the_difference_found_may_be_too_small_for_any_number_of_rows(value):
    found = rows_needed(gap(value, value - 0.3, value + 0.3), 50)
    assert (found.rows, found.high) == (None, None)
    assert found.low == pytest.approx(50 * (Z / stats.norm.ppf(0.975)) ** 2, abs=1)
    assert "as found here" not in str(found)


def test_no_number_of_rows_tells_the_same_method_from_itself():
    found = rows_needed(gap(0.0, 0.0, 0.0), 50)
    assert (found.low, found.rows, found.high) == (None, None, None)
    assert "cannot be told apart by any number of rows" in str(found)


def test_without_an_interval_nothing_is_said():
    found = rows_needed(gap(0.1, None, None), 50)
    assert (found.low, found.rows, found.high) == (None, None, None)
    assert "there is no valid interval here" in str(found)


def test_a_study_reads_it_at_the_level_of_its_verdict(numbers):
    """Three methods are three pairs, whose intervals hold together: each of them is wider."""
    learners = {"ols": LinearRegression(), "ridge": Ridge(3.0), "flat": Ridge(100.0)}
    result = fw.compare(learners, *numbers, outer=6, jobs=1)
    ols, ridge = (result._find(name) for name in ("ols", "ridge"))
    apart = ols.difference(ridge, level=1 - 0.05 / 3)
    law = stats.t(apart.df)
    stretch = 1 + law.ppf(0.8) / law.ppf(0.5 + apart.level / 2)
    expected = math.ceil(42 * ((apart.high - apart.low) / 2 * stretch / abs(apart.value)) ** 2)
    assert result.rows_needed("ols", "ridge").rows == expected
    assert result.rows_needed("ridge", "ols").rows == expected
    assert "98.3% level" in str(result.rows_needed("ols", "ridge"))
    assert result.rows_needed("ols", "ols").low is None


def test_the_range_has_the_rows_that_the_true_difference_takes():
    """Differences of rows around 0.3 with variance 1: 88 rows see that in 80% of studies."""
    rng = np.random.default_rng(1)
    truth, rows, studies = 0.3, 60, 2000
    needed, inside = (Z / truth) ** 2, 0
    for _ in range(studies):
        value, se = truth + rng.normal() / math.sqrt(rows), 1 / math.sqrt(rows)
        found = rows_needed(gap(value, value - 1.96 * se, value + 1.96 * se), rows)
        inside += found.low <= needed + 1 and (found.high is None or needed <= found.high)
    assert inside / studies > 0.94


def test_that_many_rows_do_see_the_difference_in_eight_of_ten_studies():
    rng = np.random.default_rng(2)
    rows = rows_needed(gap(0.3, 0.3 - 1.96 / math.sqrt(60), 0.3 + 1.96 / math.sqrt(60)), 60).rows
    means = 0.3 + rng.normal(size=20_000) / math.sqrt(rows)
    assert np.mean(means > 1.96 / math.sqrt(rows)) == pytest.approx(0.8, abs=0.01)


def test_twelve_times_the_rows_narrow_a_difference_by_about_the_square_root_of_twelve():
    """What the forecast rests on, measured."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(1200, 2))
    y = X[:, 0] + 0.35 * X[:, 1] + rng.normal(size=1200)
    widths = []
    for rows in (100, 1200):
        learners = {"line": LinearRegression(), "near": Counted(7)}
        apart = fw.compare(learners, X[:rows], y[:rows], outer=10, jobs=1).difference("line", "near")
        widths.append(apart.high - apart.low)
    assert 0.6 * np.sqrt(12) < widths[0] / widths[1] < 1.7 * np.sqrt(12)


def test_an_interval_that_is_not_symmetric_is_read_towards_zero():
    found = rows_needed(gap(0.094, -0.007, 0.124), 160)
    stretch = Z / stats.norm.ppf(0.975)
    assert found.rows == math.ceil(160 * (0.101 * stretch / 0.094) ** 2)
    assert found.low == math.ceil(160 * (0.101 * stretch / 0.124) ** 2)
