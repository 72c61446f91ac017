"""The simulation of forecasts in benchmarks/time_order.py, in reduced size."""

from __future__ import annotations

import math

import numpy as np
import pytest
import time_order as bench


@pytest.mark.parametrize(("together", "steps"), [(0.8, 1), (0.8, 3), (0.5, 2), (0.9, 5)])
def test_the_series_correlate_as_they_are_said_to(together, steps):
    series = bench.differentials(np.random.default_rng(0), "normal", 200, 500, steps, together)
    neighbours = (series[:, 1:] * series[:, :-1]).mean() / (series**2).mean()
    assert neighbours == pytest.approx(together, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("times", [50, 100])
@pytest.mark.parametrize("kind", ["normal", "changing variance", "squared errors"])
def test_forecasts_of_equal_worth_are_seldom_told_apart_and_the_plain_test_often_errs(times, kind):
    """At most 7% at the 5% level, with 3 Monte-Carlo errors, where neighbours correlate by 0.8."""
    count, rng = 400, np.random.default_rng(times)
    counts = bench.judge(bench.differentials(rng, kind, count, times, 1, 0.8), 0.0, steps=1)
    assert counts.rate <= 0.07 + 3 * math.sqrt(0.07 * 0.93 / count)
    assert counts.hln_missed / counts.answered > 0.3


@pytest.mark.slow
def test_the_mean_loss_is_covered():
    rng = np.random.default_rng(1)
    errors = bench.autoregressive(bench.normal(rng, 400, 100 + bench.BURN), 0.5)
    counts = bench.judge(errors**2, 1 / (1 - 0.25), steps=1, formula=bench.hac)
    assert 1 - counts.rate_answered >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / 400)
