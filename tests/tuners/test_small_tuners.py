"""The simplest tuners: tuners/grid.py, tuners/random.py and tuners/untuned.py."""

from __future__ import annotations

import numpy as np
import pytest

from foldwise.errors import BadSpace
from foldwise.spaces.space import make_space
from foldwise.testing.tuners import GivenTuning, play
from foldwise.tuners.grid import Grid
from foldwise.tuners.random import BUDGET, Random
from foldwise.tuners.untuned import Untuned

SPACE = make_space({"k": range(1, 101)})


def test_a_grid_is_evaluated_in_one_step_and_must_be_within_the_budget():
    seen = GivenTuning([[np.ones(2)] * 3] * 4)
    assert [(len(one.candidates), len(one.splits)) for step in play(Grid(), seen) for one in step] == [(4, 3)]
    assert Grid().most_fits([GivenTuning([[np.ones(2)] * 3] * 4)]) == 12
    assert Grid().candidates(SPACE, None, 0) == SPACE.grid()
    with pytest.raises(BadSpace, match="budget is 9"):
        Grid().candidates(SPACE, 9, 0)


def test_random_draws_the_same_candidates_for_the_same_seed():
    assert len(Random().candidates(SPACE, None, 0)) == BUDGET
    assert Random().candidates(SPACE, 7, 1) == Random().candidates(SPACE, 7, 1) != Random().candidates(SPACE, 7, 2)


def test_untuned_asks_for_nothing():
    assert list(play(Untuned(), GivenTuning([[np.ones(2)]]))) == []
