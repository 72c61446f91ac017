from __future__ import annotations

import math

import numpy as np
import pytest

from foldwise.errors import BadInterval
from foldwise.formulas.conservative_z import conservative_z

RNG = np.random.default_rng(6)
FULL, HALVES = RNG.random((2, 3, 6)), RNG.random((2, 3, 5, 2))


def test_data_sets_along_leading_axes_are_judged_one_by_one(check_leading_axes):
    check_leading_axes(conservative_z, FULL, HALVES)


def test_the_variance_is_half_the_mean_square_of_the_gaps_between_halves():
    found, gaps = conservative_z(FULL[0, 0], HALVES[0, 0], level=0.9), HALVES[0, 0, :, 0] - HALVES[0, 0, :, 1]
    assert found.se == pytest.approx(math.sqrt((gaps**2).mean() / 2))
    assert found.high - found.value == pytest.approx(1.6448536269514722 * found.se)


def test_there_are_two_halves():
    with pytest.raises(BadInterval, match="2 halves per repetition, not 3"):
        conservative_z([0.1], np.ones((4, 2, 3)))
