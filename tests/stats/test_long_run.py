"""The mean of a series in time: against textbook formulas written out here, and where it is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import fft, stats

from foldwise.errors import BadInterval
from foldwise.stats.long_run import autocorrelation, hac, long_run, low_frequencies, times_needed, too_short


def autoregression(times: int, coefficient: float, seed: int = 0) -> np.ndarray:
    rng, found = np.random.default_rng(seed), np.zeros(times + 100)
    for at in range(1, times + 100):
        found[at] = coefficient * found[at - 1] + rng.standard_normal()
    return found[100:]


def harvey_leybourne_newbold(series: np.ndarray, steps: int) -> tuple[float, float]:
    """Statistic and p of the paper, sum by sum (its equations 5, 6 and 9)."""
    times, mean = len(series), series.mean()
    gamma = [sum((series[t] - mean) * (series[t - k] - mean) for t in range(k, times)) / times for k in range(steps)]
    plain = mean / math.sqrt((gamma[0] + 2 * sum(gamma[1:])) / times)
    corrected = math.sqrt((times + 1 - 2 * steps + steps * (steps - 1) / times) / times) * plain
    return corrected, 2 * stats.t.sf(abs(corrected), times - 1)


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_the_corrected_test_alone_is_that_of_the_paper(steps):
    series = autoregression(90, 0.4) + 0.2
    found = long_run(series, steps=steps)
    assert (found.hln_t, found.hln_p) == pytest.approx(harvey_leybourne_newbold(series, steps))


@pytest.mark.parametrize(("times", "cosines"), [(60, 2), (120, 4), (301, 11)])
def test_the_low_frequencies_are_those_of_a_cosine_transform(times, cosines):
    series = autoregression(times, 0.5)
    coefficients = fft.dct(series, type=2, norm="ortho")[1 : cosines + 1]
    se = low_frequencies(series - series.mean(), cosines)
    assert se == pytest.approx(math.sqrt(np.mean(coefficients**2) / times))


def test_the_interval_is_the_widest_of_the_three_and_its_p_agrees_with_it():
    for seed in range(30):
        series = autoregression(150, 0.3, seed) + 0.15
        for level in (0.8, 0.95):
            found = long_run(series, steps=3, level=level)
            _, p = harvey_leybourne_newbold(series, 3)
            _, independent = harvey_leybourne_newbold(series, 1)
            waves = fft.dct(series, type=2, norm="ortho")[1:6]
            low = 2 * stats.t.sf(abs(series.mean()) / math.sqrt(np.mean(waves**2) / 150), 5)
            assert found.p == pytest.approx(max(p, independent, low))
            assert (found.p < 1 - level) == (not found.low <= 0 <= found.high)
            assert found.t == pytest.approx(found.value / found.se)
            assert found.p == pytest.approx(2 * stats.t.sf(abs(found.t), found.df))


def test_independent_times_in_their_order_or_not_are_never_surer_than_student():
    series = np.tile([1.0, -1.0], 50) + np.linspace(0, 0.1, 100)
    plain = stats.t.interval(0.95, 99, series.mean(), stats.sem(series))
    found = long_run(series, steps=2)
    assert found.low <= plain[0] + 1e-12
    assert found.high >= plain[1] - 1e-12


def test_more_cosines_than_two_need_52_times_and_fewer_are_taken_where_losses_hang_together():
    noise = np.random.default_rng(1).standard_normal(400)
    assert _cosines(noise[:51]) == 2
    assert _cosines(noise) == 400 // 26
    drifting = autoregression(400, 0.97)
    assert autocorrelation(drifting - drifting.mean()) > 0.9
    assert _cosines(drifting) < 8
    assert _cosines(noise, steps=20) == 10


def _cosines(series: np.ndarray, steps: int = 1) -> int:
    """How many cosines the interval rests on, by the p of a mean far from 0."""
    return int(long_run(series + 100, steps=steps).df)


@pytest.mark.parametrize(
    ("series", "steps", "words"),
    [
        (np.random.default_rng(0).random(43), 1, "43 test times are too few for an interval: at least 44 are needed"),
        (np.random.default_rng(0).random(79), 20, "at least 80 are needed, with forecasts of 20 steps ahead"),
        (np.linspace(0, 1, 60), 1, "correlate by 1.00, so that 60 test times say too little"),
        (np.random.default_rng(0).random((50, 2)), 1, "needs one loss per row, not an array of shape"),
        ([0.1, np.nan] * 30, 1, "needs finite losses"),
    ],
)
def test_a_series_without_an_interval_is_refused_with_what_would_be_needed(series, steps, words):
    with pytest.raises(BadInterval, match=words):
        long_run(series, steps=steps)


def test_a_correlated_series_names_a_length_that_would_be_enough():
    reason = too_short(np.linspace(0, 1, 60) + 0.01 * np.random.default_rng(2).standard_normal(60))
    needed = int(reason.rsplit("about ", 1)[1].split()[0])
    assert 60 < needed < 10_000
    assert times_needed(20) == 80


def test_equal_values_have_no_spread():
    found = long_run(np.full(60, 0.3))
    assert (found.value, found.low, found.high, found.se) == (0.3, 0.3, 0.3, 0.0)
    assert found.p == 0
    assert long_run(np.zeros(60)).p == 1


def test_only_losses_that_cannot_be_negative_have_their_upper_end_on_a_log_scale():
    losses = autoregression(200, 0.5) ** 2
    plain, found = long_run(losses), hac(losses)
    assert found.low == plain.low
    assert math.log(found.high / found.value) == pytest.approx((plain.high - plain.value) / plain.value)
    assert hac(losses - 5).high == long_run(losses - 5).high


@given(st.integers(44, 120), st.floats(0.01, 100), st.integers(1, 5), st.integers(0, 50))
def test_losses_in_other_units_give_the_same_interval_in_those_units(times, unit, steps, seed):
    series = np.random.default_rng(seed).standard_normal(times)
    one, other = long_run(series, steps=steps), long_run(unit * series + 3, steps=steps)
    assert (other.low - 3, other.high - 3) == pytest.approx((unit * one.low, unit * one.high), rel=1e-6, abs=1e-8)
