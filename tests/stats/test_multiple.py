from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foldwise.errors import BadInterval
from foldwise.stats.array_checks import normal_quantile, t_quantile
from foldwise.stats.multiple import holm, shared_level, simultaneous


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7))
@example([0.03, 0.04])
def test_holm_rejects_step_by_step(p_values):
    """The smallest p is held to alpha / m, the next to alpha / (m - 1), until one fails."""
    alpha, claims = 0.05, set()
    for place, index in enumerate(np.argsort(p_values, kind="stable").tolist()):
        if p_values[index] * (len(p_values) - place) > alpha:
            break
        claims.add(index)
    assert set(np.flatnonzero(holm(p_values) <= alpha).tolist()) == claims


def test_sidak_is_a_little_shorter_than_bonferroni():
    assert shared_level(0.95, 7, method="sidak") < shared_level(0.95, 7)
    assert shared_level(0.95, 1, method="sidak") == 0.95


def test_a_simultaneous_interval_is_that_of_its_shared_level():
    normal, t = simultaneous(0.2, 0.02, 7), simultaneous(0.2, 0.02, 7, df=9)
    assert normal.high - 0.2 == pytest.approx(0.02 * normal_quantile(1 - 0.05 / 7))
    assert t.high - 0.2 == pytest.approx(0.02 * t_quantile(1 - 0.05 / 7, 9))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: holm([0.1, 1.2]), "numbers between 0 and 1"),
        (lambda: shared_level(0.95, 3, method="sidack"), "no simultaneous method 'sidack'. Did you mean 'sidak'"),
        (lambda: simultaneous(math.nan, 0.1, 3), "needs a finite value and se >= 0"),
    ],
)
def test_what_cannot_hold_together_is_refused(call, words):
    with pytest.raises(BadInterval, match=words):
        call()
