"""The Bates interval; its numbers and more refusals are tested in test_intervals.py and test_oracles.py."""

from __future__ import annotations

import numpy as np
import pytest

from foldwise.errors import BadInterval
from foldwise.stats.bates import bates

RNG = np.random.default_rng(4)
FOLDS = np.stack([RNG.permutation(np.arange(20) % 4) for _ in range(3)])
OUTER = RNG.beta(1, 4, (3, 20))
PAIRS = RNG.beta(1, 4, (3, 20, 4))
PAIRS[FOLDS[:, :, None] == np.arange(4)] = np.nan


def test_the_inflation_is_the_standard_error_over_that_of_independent_losses():
    details = bates(OUTER, PAIRS, FOLDS).details
    assert details["inflation"] * details["se_floor"] == pytest.approx(details["se"])
    assert details["se_floor"] <= details["se"] <= details["se_cap"]


def test_equal_losses_have_no_width():
    details = bates(np.full((3, 20), 0.1), np.full((3, 20, 4), 0.1), FOLDS).details
    assert (details["se"], details["inflation"]) == (0, 1)


def test_an_unstable_bias_correction_is_refused():
    with pytest.raises(BadInterval, match="the bias correction is unstable here"):
        bates(OUTER, PAIRS + 1, FOLDS, bias=True)


def test_folds_are_named_for_every_repetition():
    with pytest.raises(BadInterval, match="one fold per outer loss"):
        bates(OUTER, PAIRS, FOLDS[:2])
    pairs = PAIRS.copy()
    pairs[2, 5, (FOLDS[2, 5] + 1) % 4] = np.nan
    with pytest.raises(BadInterval, match="row 5 lacks one in repetition=2"):
        bates(OUTER, pairs, FOLDS)
