"""Halving: who is looked at on which rung, and how their options are written."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import foldwise as fw
from foldwise.errors import BadStudy
from foldwise.testing.tuners import GivenTuning, play
from foldwise.tuners.halving import halve, levels_for, steps_down
from foldwise.tuners.racing import most_left
from foldwise.tuners.registry import make_tuner

DROPPING = ("racing", "halving")


def made(candidates, height, *, folds=4, looks=2, seed=0):
    rng = np.random.default_rng(seed)
    rows = [[rng.exponential(size=3) for _ in range(folds)] for _ in range(candidates)]
    return GivenTuning(rows, [rng.exponential(size=(candidates, folds)) for _ in range(height)], level_splits=looks)


def climbed(climb, seen):
    """The rounds of a climb, and who is left."""
    found = []
    while True:
        try:
            step = next(climb)
            found.append(sorted((c, one.level, split) for one in step for c in one.candidates for split in one.splits))
            seen.see(step)
        except StopIteration as end:
            return found, end.value


def sizes(tuner, seen):
    """Evaluations of each step."""
    return [sum(len(one.candidates) * len(one.splits) for one in step) for step in play(tuner, seen)]


def naive_halving(field, entrants, height):
    """Sort by the mean of each rung, keep as many as its size says."""
    alive, found = list(entrants), []
    sizes = [math.ceil(len(alive) / 6 / step) for step in range(1, height + 1)]
    for rung, size in zip(range(height, 0, -1), sizes, strict=True):
        found.append(sorted((c, rung, fold) for c in alive for fold in range(field.level_splits)))
        alive = sorted(alive, key=lambda c: (np.mean(field.low[rung - 1][c, : field.level_splits]), c))[:size]
    return found, sorted(alive)


@given(st.integers(2, 40), st.integers(0, 3), st.integers(0, 5))
def test_rounds_are_those_of_a_naive_halving(candidates, height, seed):
    field = made(candidates, height, seed=seed)
    found = climbed(halve(field, range(candidates), height), field)
    assert found == naive_halving(field, range(candidates), height)


@given(st.integers(1, 200), st.integers(1, 5))
def test_every_fold_leaves_fewer_and_the_last_one_somebody(candidates, cut):
    sizes = [most_left(candidates, folds, cut=cut) for folds in range(1, 12)]
    assert sizes == sorted(sizes, reverse=True)
    assert 1 <= sizes[-1] == math.ceil(candidates / (cut * 11))
    assert most_left(candidates, 5, cut=0) == candidates


def test_the_race_after_a_rung_goes_on_as_if_that_had_been_two_folds():
    rows = [[np.ones(3)] * 10] * 36  # all the same: nobody is dropped before they must be
    found = {name: sizes(make_tuner(name), GivenTuning(rows, [np.ones((36, 10))])) for name in DROPPING}
    assert found["halving"] == [36, 6, 4, 3, 3, 2, 2, 2, 2, 2, 2]
    assert found["racing"] == [36, 12, 6, 4, 3, 3, 2, 2, 2, 2]


def test_candidates_without_a_score_are_not_kept():
    field = made(9, 1, looks=1)
    field.low[0][:, 0] = [np.nan, 3, 2, np.nan, 5, 4, 9, 8, 7]
    assert climbed(halve(field, range(9), 1), field)[1] == [1, 2]


def test_what_is_left_out_or_written_in_text_means_the_same():
    assert make_tuner(str(fw.halving(resource="max_iter", factor=2))) == fw.halving(resource="max_iter", factor=2)
    assert make_tuner("racing") == fw.racing()
    assert (make_tuner("racing(level=0.2)").name, make_tuner(None).name) == ("racing", "grid")
    assert str(fw.racing(level=0.05)) == "racing(level=0.05)"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("halving(speed=3)", r"the tuner 'halving' has no option 'speed=3'"),
        ("halving(factor=1)", r"the factor of halving must be a number above 1, not 1"),
        ("halving(least=0)", r"least must"),
        ("racing(level=5)", r"the level of racing must lie between 0 and 1, not 5"),
        ("racing(first=0)", r"first must"),
    ],
)
def test_options_that_make_no_sense_are_refused(text, words):
    with pytest.raises(BadStudy, match=words):
        make_tuner(text)


def test_steps_end_where_a_fit_would_get_too_little():
    assert [steps_down(rows, 40, 3) for rows in (100, 130, 500, 5000)] == [0, 1, 2, 3]
    assert [steps_down(rows, 60, 1.5) for rows in (88, 90, 132, 360)] == [0, 1, 1, 3]
    assert steps_down(400, 1, 3) == 3  # there is no end to dividing
    assert [levels_for(candidates) for candidates in (2, 4, 30, 1000, 9999)] == [0, 1, 1, 2, 3]


def test_each_tuner_has_its_rounds():
    first = {name: sizes(make_tuner(name), made(40, 2))[0] for name in DROPPING}
    assert first == {"racing": 40, "halving": 2 * 40}
