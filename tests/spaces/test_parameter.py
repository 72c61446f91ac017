"""One axis of a space."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.linear_model import Ridge

from foldwise.errors import BadSpace
from foldwise.spaces.parameter import (
    Choice,
    Distribution,
    Range,
    as_parameter,
    float_range,
    int_range,
    is_parameter,
    log_range,
)

positive = st.floats(1e-6, 1e6)


def ranges() -> st.SearchStrategy[Range]:
    points = st.none() | st.integers(1, 40)
    return st.one_of(
        st.tuples(positive, positive, points).map(lambda t: log_range(min(t[:2]), max(t[:2]), t[2])),
        st.tuples(positive, positive, points).map(lambda t: float_range(min(t[:2]), max(t[:2]), t[2])),
        st.tuples(st.integers(1, 500), st.integers(1, 500), points, st.booleans()).map(
            lambda t: int_range(min(t[:2]), max(t[:2]), t[2], log=t[3])
        ),
    )


@given(ranges())
def test_a_grid_starts_at_low_and_ends_at_high_and_repeats_nothing(made):
    grid = made.grid()

    assert grid[0] == made.low
    assert made.n == 1 or grid[-1] == made.high
    assert len(set(grid)) == len(grid) == made.size
    assert grid == sorted(grid)
    assert {type(value) for value in grid} == {int if made.is_whole else float}


@given(ranges(), st.floats(0, 1, exclude_max=True))
def test_a_drawn_value_lies_in_its_range(made, u):
    value = made.at(u)

    assert made.low <= value <= made.high
    assert type(value) is (int if made.is_whole else float)


def test_log_ranges_are_evenly_spaced_in_their_logarithm():
    assert_allclose(log_range(1e-4, 1e4, 50).grid(), np.logspace(-4, 4, 50), rtol=1e-12)
    assert_allclose(log_range(1e-4, 1e4).at(0.25), 1e-2, rtol=1e-12)


def test_float_ranges_are_evenly_spaced():
    assert_allclose(float_range(-1, 1, 5).grid(), [-1, -0.5, 0, 0.5, 1])
    assert float_range(0, 10).at(0.25) == 2.5


def test_ten_points_are_taken_when_none_is_given():
    assert len(log_range(1, 100).grid()) == 10
    assert len(int_range(0, 100).grid()) == 10


def test_a_short_range_of_whole_numbers_gives_every_one_of_them():
    assert int_range(3, 12).grid() == list(range(3, 13))
    assert int_range(1, 3, 50).grid() == [1, 2, 3]


def test_every_whole_number_is_drawn_equally_often():
    drawn = [int_range(1, 4).at(u) for u in (np.arange(400) + 0.5) / 400]
    assert [drawn.count(k) for k in (1, 2, 3, 4)] == [100, 100, 100, 100]


def test_ranges_print_as_they_are_written_and_are_equal_by_value():
    assert repr(log_range(1e-4, 1e4, 50)) == "log_range(0.0001, 10000.0, 50)"
    assert repr(float_range(0, 1)) == "float_range(0.0, 1.0)"
    assert repr(int_range(1, 9, log=True)) == "int_range(1, 9, log=True)"
    assert log_range(1, 2) == log_range(1.0, 2.0) != float_range(1, 2)
    assert hash(log_range(1, 2)) == hash(log_range(1.0, 2.0))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: log_range(10, 1), r"log_range\(10, 1\) is turned around.*Write log_range\(1, 10\)"),
        (lambda: log_range(0, 1), "starts at 0, but a logarithm needs numbers above zero"),
        (lambda: int_range(-1, 4, log=True), "starts at -1"),
        (lambda: float_range(0, 1, 0), "cannot have 0 points"),
        (lambda: float_range(0, 1, 2.5), "cannot have 2.5 points"),
        (lambda: log_range(1, 10, 10**9), "cannot have 1000000000 points. Give at most 100,000"),
        (lambda: float_range(0, math.inf), "inf is not finite"),
        (lambda: float_range(math.nan, 1), "nan is not finite"),
        (lambda: float_range("a", 1), "needs numbers, not 'a'"),
        (lambda: float_range(False, 1), "needs numbers, not False"),
        (lambda: int_range(1, 2.5), "needs whole numbers, not 2.5"),
    ],
)
def test_an_impossible_range_is_refused_in_the_words_it_was_written_in(make, words):
    with pytest.raises(BadSpace, match=words):
        make()


@pytest.mark.parametrize(
    "values", [[3, 1, 2], (3, 1, 2), np.array([3, 1, 2]), pd.Series([3, 1, 2]), Choice((3, 1, 2))], ids=type
)
def test_lists_and_arrays_become_choices_in_their_own_order(values):
    choice = as_parameter(values)
    assert choice == Choice((3, 1, 2))
    assert [type(value) for value in choice.grid()] == [int, int, int]


def test_repeated_values_are_dropped_but_one_true_and_one_point_zero_are_three():
    assert [repr(value) for value in as_parameter([1, True, 1.0, 1, None, None]).grid()] == ["1", "True", "1.0", "None"]
    assert Choice((1,)) != Choice((True,))


def test_a_choice_is_drawn_in_equal_parts():
    choice = as_parameter(["a", "b", "c"])
    assert [choice.at(u) for u in (0.0, 0.32, 0.34, 0.99)] == ["a", "a", "b", "c"]


def test_numpy_scalars_become_python_numbers():
    assert type(as_parameter([np.float32(0.5)]).grid()[0]) is float


def test_functions_and_estimators_can_be_chosen():
    assert as_parameter([len, sum, len]).grid() == [len, sum]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (3, r"3 is one value, not a list of values. Write \[3\]"),
        ("auto", r"'auto' is one value.*Write \['auto'\]"),
        (np.float64(2.0), "is one value"),
        ([], "the list of values is empty"),
        (range(0), "empty"),
        ({1, 2}, "a set has no order"),
        ((i for i in (1, 2)), r"a generator is no list of values. Write list\(...\) around it"),
        ({1: 2}.keys(), "a dict_keys is no list of values"),
        (np.ones((2, 2)), "the table of values has 2 dimensions"),
        (pd.DataFrame({"a": [1, 2]}), "the table of values has 2 dimensions"),
        (stats.norm, "a distribution without its numbers"),
        ([Ridge], r"Ridge is a class.*Write Ridge\(\)"),
        ([log_range(1, 2)], r"the range log_range\(1.0, 2.0\) stands inside a list"),
        (range(10**9), "1000000000 values are too many"),
        ({"log_rnge": [1, 2]}, "is not a parameter. Write a list, or one of choice, log_range"),
        ({"log_range": 3}, "log_range needs a list of its arguments"),
        ({"log_range": [1]}, "log_range takes low, high and a number of points, not 1"),
        ({"distribution": ["no_such", [], {"dict": []}]}, "scipy.stats has no distribution 'no_such'"),
    ],
)
def test_what_is_not_a_parameter_is_refused_with_a_way_out(value, words):
    with pytest.raises(BadSpace, match=words):
        as_parameter(value)


def test_distributions_are_cut_at_their_quantile_midpoints():
    frozen = stats.loguniform(1e-3, 1e3)
    parameter = as_parameter(frozen)

    assert isinstance(parameter, Distribution)
    assert_allclose(parameter.grid(), frozen.ppf((np.arange(10) + 0.5) / 10))
    assert parameter.size == math.inf
    assert parameter == as_parameter(stats.loguniform(1e-3, 1e3)) != as_parameter(stats.loguniform(1e-3, 1e2))


def test_a_drawn_quantile_never_reaches_the_infinite_end():
    assert math.isfinite(as_parameter(stats.norm()).at(0.0))


def test_discrete_distributions_give_whole_numbers():
    assert as_parameter(stats.randint(1, 4)).grid() == [1, 2, 3]


@pytest.mark.parametrize(
    "parameter",
    [
        log_range(0.1, 10, 4),
        int_range(1, 9),
        int_range(1, 900, log=True),
        float_range(0, 1),
        Choice((1, True, 1.0, None, "a", (2, 3), [4], math.inf)),
        as_parameter(stats.norm(0, scale=2)),
    ],
    ids=repr,
)
def test_every_parameter_can_be_written_down_and_read_back(parameter):
    assert as_parameter(parameter.to_json()) == parameter


def test_one_value_is_told_from_several():
    assert all(map(is_parameter, ([1], (1,), range(3), np.arange(3), log_range(1, 2), stats.norm())))
    assert not any(map(is_parameter, (1, None, "auto", np.float64(1), len, int, {"a": 1})))
