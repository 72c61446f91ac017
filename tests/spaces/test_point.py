"""Points of a space as numbers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from foldwise.spaces.parameter import float_range, int_range, log_range
from foldwise.spaces.point import Point, candidate_at, default_point, every_point, points_in, spread
from foldwise.spaces.space import make_space

FINITE = make_space([{"kernel": ["rbf"], "depth": [1, 2, None]}, {"kernel": ["linear"], "leaf": int_range(3, 6)}])
ENDLESS = make_space({"C": log_range(0.1, 10), "share": float_range(0, 1), "odd": [None, "a"], "n": stats.norm(0, 1)})


def test_a_finite_space_is_gone_through_once_and_whole():
    points = list(spread(FINITE, seed=3))
    assert len(points) == len(set(points)) == points_in(FINITE) == 7
    assert set(points) == set(every_point(FINITE))
    grid = [tuple(candidate.items()) for candidate in (candidate_at(FINITE, point) for point in every_point(FINITE))]
    assert grid == [tuple(candidate.items()) for candidate in FINITE.grid()]


@given(st.integers(0, 1000))
def test_an_endless_space_gives_distinct_points_inside_it_and_the_same_for_a_seed(seed):
    points = list(itertools.islice(spread(ENDLESS, seed), 40))
    assert points == list(itertools.islice(spread(ENDLESS, seed), 40))
    assert len(set(points)) == 40
    for candidate in (candidate_at(ENDLESS, point) for point in points):
        assert 0.1 <= candidate["C"] <= 10
        assert 0 <= candidate["share"] <= 1
        assert candidate["odd"] in (None, "a")
        assert np.isfinite(candidate["n"])


def test_the_points_are_spread_evenly():
    points = itertools.islice(spread(make_space({"x": float_range(0, 1)}), 5), 16)
    places = sorted(int(16 * point.at[0]) for point in points)
    assert places == list(range(16))


def test_blocks_take_turns():
    assert [point.block for point in itertools.islice(spread(FINITE, 0), 6)] == [0, 1, 0, 1, 0, 1]


def test_a_search_starts_from_the_learners_own_values_and_from_the_middle_where_they_lie_outside():
    space = make_space({"C": log_range(0.1, 1000), "depth": [2, 4, 6], "n": int_range(1, 9), "z": stats.norm(0, 1)})
    found = candidate_at(space, default_point(space, {"C": 1.0, "depth": None, "n": 99, "z": 0.5}))
    assert found == {"C": 1.0, "depth": 4, "n": 5, "z": pytest.approx(0.5)}


def test_of_several_blocks_the_one_that_holds_the_learners_values_is_taken():
    assert default_point(FINITE, {"kernel": "linear", "leaf": 4}) == Point(1, (0, 4))
    assert default_point(FINITE, {"kernel": "rbf", "depth": None}) == Point(0, (0, 2))
    assert default_point(FINITE, {}).block == 0
