"""How many rows it would take to tell two methods apart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from by_hand import Counted
from sklearn.linear_model import LinearRegression, Ridge

import foldwise as fw
from foldwise.answers.power import rows_needed
from foldwise.comparisons.comparison import Comparison


def gap(value, low, high):
    return Comparison(value, low, high, names=("a", "b"))


def test_the_half_width_falls_with_the_square_root_of_the_rows():
    found = rows_needed(gap(0.125, -0.25, 0.5), 50)
    assert found.rows == 450
    assert str(found) == "To tell a and b apart you would need about 450 rows; more repeats would not do it."


def test_two_that_are_told_apart_need_no_more():
    found = rows_needed(gap(-0.5, -0.8, -0.2), 50)
    assert found.rows == 50
    assert str(found) == "a and b, looked at alone, are told apart by these 50 rows."


@pytest.mark.parametrize("value", [0.0, 1e-9])
def test_no_number_of_rows_tells_equal_methods_apart(value):
    found = rows_needed(gap(value, value - 0.3, value + 0.3), 50)
    assert found.rows is None
    assert "cannot be told apart by any number of rows" in str(found)


def test_without_an_interval_nothing_is_said():
    found = rows_needed(gap(0.1, None, None), 50)
    assert found.rows is None
    assert "there is no valid interval here" in str(found)


def test_a_study_reads_it_from_its_own_difference(numbers):
    result = fw.compare({"ols": LinearRegression(), "ridge": Ridge(3.0)}, *numbers, outer=6, jobs=1)
    apart = result.difference("ols", "ridge")
    reach = (apart.high - apart.low) / 2
    expected = math.ceil(42 * (reach / abs(apart.value)) ** 2)
    assert result.rows_needed("ols", "ridge").rows == expected
    assert result.rows_needed("ridge", "ols").rows == expected
    assert result.rows_needed("ols", "ols").rows is None


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


def test_an_interval_that_is_not_symmetric_is_read_at_the_end_nearest_to_zero():
    found = rows_needed(gap(0.094, -0.007, 0.124), 160)
    assert found.rows == math.ceil(160 * (0.101 / 0.094) ** 2)
    assert "would need about" in str(found)
