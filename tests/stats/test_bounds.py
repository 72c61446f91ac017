"""The dev-set guarantee: its formula, its inverses, what holds where losses were seen, and the ladder."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldwise.errors import BadInterval
from foldwise.stats.bounds import (
    MOST_CANDIDATES,
    candidates_allowed,
    dev_rows_needed,
    excess_bound,
    observed_excess_bound,
    paired_excess_bound,
    release,
    uniform_bound,
)


# shared oracle devset_hoeffding_union, computed apart from this code
@pytest.mark.parametrize(
    ("n", "m", "delta", "width", "expected"),
    [
        (1000, 50, 0.05, 1.0, 0.1232955998),
        (200, 1, 0.05, 1.0, 0.1920645583),
        (500, 1000, 0.01, 1.0, 0.2209621927),
        (300, 24, 0.1, 2.5, 0.5071894002),
    ],
)
def test_the_bound_agrees_with_the_oracle(n, m, delta, width, expected):
    assert excess_bound(n, m, delta, bounds=(0, width)) == pytest.approx(expected, rel=1e-8)
    assert excess_bound(n, m, delta, bounds=(-3, width - 3)) == pytest.approx(expected, rel=1e-8)


def test_the_bound_is_the_formula_of_the_theory():
    assert excess_bound(500, 30, 0.05) == math.sqrt(2 / 500 * math.log(2 * 30 / 0.05))
    assert excess_bound(np.int64(500), 30) == excess_bound(500, 30, 0.05)


shares = st.floats(1e-6, 0.5)


@given(st.floats(0.005, 3), st.integers(1, 10**6), shares, st.floats(0.1, 10))
def test_dev_rows_needed_is_the_smallest_number_of_rows_that_will_do(excess, m, delta, width):
    n = dev_rows_needed(excess, m, delta, bounds=(0, width))
    assert excess_bound(n, m, delta, bounds=(0, width)) <= excess
    assert n == 1 or excess_bound(n - 1, m, delta, bounds=(0, width)) > excess


@given(st.integers(1, 10**4), st.floats(0.01, 2), shares)
def test_candidates_allowed_is_the_largest_number_that_will_do(n, excess, delta):
    m = candidates_allowed(n, excess, delta)
    assert m == 0 or excess_bound(n, m, delta) <= excess
    assert m == MOST_CANDIDATES or excess_bound(n, m + 1, delta) > excess


@given(st.integers(1, 10**5), st.integers(1, 10**5), shares)
def test_the_inverses_bring_back_what_went_in(n, m, delta):
    excess = excess_bound(n, m, delta)
    assert dev_rows_needed(excess, m, delta) == n
    assert candidates_allowed(n, excess, delta) == m


def test_extreme_requests_have_an_answer():
    assert candidates_allowed(10, 0.01) == 0
    assert candidates_allowed(10**9, 0.9) == MOST_CANDIDATES
    assert dev_rows_needed(1e-12, 1) > 10**24


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: excess_bound(0, 5), "dev_rows must be at least 1, not 0"),
        (lambda: excess_bound(10.5, 5), "dev_rows must be a whole number, not 10.5"),
        (lambda: excess_bound(10, 0), "candidates must be at least 1"),
        (lambda: excess_bound(10, 5, 1.0), "delta must be a number between 0 and 1, not 1.0"),
        (lambda: excess_bound(10, 5, "x"), "delta must be a number between 0 and 1, not 'x'"),
        (lambda: excess_bound(10, 5, bounds=None), r"needs a loss with a stated range.*Give bounds=\(low, high\)"),
        (lambda: excess_bound(10, 5, bounds=(1, 0)), "a finite low below a finite high"),
        (lambda: excess_bound(10, 5, bounds=(0, math.inf)), "a finite low below a finite high"),
        (lambda: excess_bound(10, 5, bounds=3), r"bounds must be two numbers \(low, high\), not 3"),
        (lambda: dev_rows_needed(0, 5), "excess must .* 0"),
        (lambda: candidates_allowed(10, float("nan")), "excess must .*nan"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(call, words):
    with pytest.raises(BadInterval, match=words):
        call()


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


def test_a_ladder_never_climbs_up():
    released = [math.inf]
    for loss in np.random.default_rng(0).random(50):
        released.append(release(loss, released[-1], step=0.05))
    assert released == sorted(released, reverse=True)


def test_a_step_that_makes_no_sense_is_refused():
    with pytest.raises(BadInterval, match="the step of a ladder must be a number above 0, not 0"):
        release(0.1, 1.0, step=0)
