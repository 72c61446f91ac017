"""The Bates interval along leading axes; its numbers and refusals are tested in tests/intervals and test_oracles.py."""

from __future__ import annotations

import numpy as np
import pytest

from foldwise.errors import BadInterval
from foldwise.stats.bates import bates

RNG = np.random.default_rng(4)
FOLDS = np.stack([RNG.permutation(np.arange(20) % 4) for _ in range(3)])
OUTER = RNG.beta(1, 4, (2, 3, 3, 20))
PAIRS = RNG.beta(1, 4, (2, 3, 3, 20, 4))
PAIRS[:, :, FOLDS[:, :, None] == np.arange(4)] = np.nan


@pytest.mark.parametrize("turn", [lambda pairs: pairs, lambda pairs: pairs.swapaxes(-1, -2)], ids=["rows", "turned"])
def test_data_sets_along_leading_axes_are_judged_one_by_one(turn, check_leading_axes):
    check_leading_axes(lambda outer, pairs: bates(outer, turn(pairs), FOLDS, level=0.9), OUTER, PAIRS)


def test_the_inflation_is_the_standard_error_over_that_of_independent_losses():
    found = bates(OUTER, PAIRS, FOLDS)
    np.testing.assert_allclose(found.details["inflation"] * found.details["se_floor"], found.details["se"])
    assert (found.details["inflation"] > 1).any()


def test_equal_losses_along_leading_axes_have_no_width():
    found = bates(np.full((2, 3, 20), 0.1), np.full((2, 3, 20, 4), 0.1), FOLDS)
    assert found.details["se"].tolist() == [0, 0]
    assert found.details["inflation"].tolist() == [1, 1]


def test_one_unstable_data_set_refuses_the_bias_correction_of_all():
    pairs = PAIRS.copy()
    pairs[1, 2] += 1
    with pytest.raises(BadInterval, match="the bias correction is unstable here"):
        bates(OUTER, pairs, FOLDS, bias=True)


def test_folds_are_named_for_every_repetition():
    with pytest.raises(BadInterval, match="one fold per outer loss"):
        bates(OUTER, PAIRS, FOLDS[:2])
    pairs = PAIRS.copy()
    pairs[1, 0, 2, 5, (FOLDS[2, 5] + 1) % 4] = np.nan
    with pytest.raises(BadInterval, match="row 5 lacks one in repetition=2"):
        bates(OUTER, pairs, FOLDS)
