from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldwise.errors import BadInterval
from foldwise.formulas.bounds import excess_bound, observed_excess_bound, paired_excess_bound, uniform_bound


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.floats(0.001, 0.5))
def test_the_paired_bound_is_never_above_the_plain_one(rows, candidates, delta):
    plain = excess_bound(rows, candidates, delta)
    assert paired_excess_bound(rows, candidates, delta) < plain
    assert uniform_bound(rows, candidates, delta) == plain / 2


def test_one_candidate_has_no_excess():
    assert paired_excess_bound(10, 1) == 0
    assert observed_excess_bound(np.ones((10, 1))) == 0


def test_the_observed_bound_is_the_worst_over_rivals():
    rng = np.random.default_rng(0)
    losses = (rng.random((2000, 5)) < [0.30, 0.31, 0.32, 0.4, 0.5]).astype(float)
    best = losses.mean(axis=0).argmin()
    log = math.log(4 * 4 / 0.05)
    worst = 0.0
    for rival in set(range(5)) - {best}:
        gap = losses[:, best] - losses[:, rival]
        bernstein = math.sqrt(2 * gap.var(ddof=1) * log / 2000) + 14 * log / (3 * 1999)
        worst = max(worst, gap.mean() + min(bernstein, math.sqrt(2 / 2000 * math.log(2 * 4 / 0.05))))
    assert observed_excess_bound(losses) == pytest.approx(worst, rel=1e-12)


def test_the_observed_bound_holds_for_tied_candidates():
    """Fifty candidates that agree on nearly all rows: a quarter of the bound that does not look."""
    rng = np.random.default_rng(1)
    base = (rng.random(5000) < 0.3).astype(float)
    losses = np.stack([np.where(rng.random(5000) < 0.01, 1 - base, base) for _ in range(50)], axis=1)
    assert observed_excess_bound(losses) < 0.7 * paired_excess_bound(5000, 50)


@pytest.mark.parametrize(
    ("losses", "bounds", "words"),
    [
        ([[0.1, 2.0], [0.1, 0.2]], (0, 1), "from 0.1 to 2 are outside the bounds"),
        ([[0.1, 0.2], [0.1, 0.2]], None, "a stated range"),
        ([0.1, 0.2], (0, 1), "row x candidate"),
    ],
)
def test_bounds_that_would_not_hold_are_refused(losses, bounds, words):
    with pytest.raises(BadInterval, match=words):
        observed_excess_bound(losses, bounds=bounds)
