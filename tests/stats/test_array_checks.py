"""What formulas ask of their arrays, and the sums and quantiles they share."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from foldwise.errors import BadInterval
from foldwise.stats.array_checks import (
    checked_bounded,
    checked_losses,
    checked_table,
    normal_quantile,
    t_quantile,
)


@given(st.floats(0.01, 0.999), st.integers(1, 500))
def test_quantiles_are_those_of_the_distributions(level, df):
    assert normal_quantile(level) == pytest.approx(stats.norm.ppf(0.5 + level / 2), rel=1e-9)
    assert t_quantile(level, df) == pytest.approx(stats.t.ppf(0.5 + level / 2, df), rel=1e-9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: checked_losses(0.5, method="it"), "it needs one loss per row, not an array of shape"),
        (lambda: checked_losses(np.ones(1), method="it"), "it needs at least 2 rows, not 1"),
        (lambda: checked_losses([0.1, 0.3, math.inf], method="it"), "row 2 has inf"),
        (lambda: checked_losses(["x"], method="it"), "losses must be numbers, not list"),
        (lambda: checked_bounded([0.1, 3.0], (0, 1), method="it"), "row 1 has a loss of 3, outside"),
        (lambda: checked_table([0.1], method="it", axes=("fold", "candidate")), "fold x candidate, not one of shape"),
        (lambda: checked_table(np.ones((1, 2, 2)), method="it", axes=("fold", "candidate")), r"shape \(1, 2, 2\)"),
        (
            lambda: checked_table([[0.1], [math.nan]], method="it", axes=("fold", "candidate")),
            "fold 1, candidate 0 has",
        ),
    ],
)
def test_arrays_that_cannot_be_used_are_refused(call, words):
    with pytest.raises(BadInterval, match=words):
        call()
