"""Forecasts from the past of the target alone."""

from __future__ import annotations

from typing import Any

from foldwise.learners.zoo.entry import REGRESSION, Entry, Facts, nothing


def _make_seasonal_naive(facts: Facts) -> Any:
    from foldwise.learners.estimators.seasonal import SeasonalNaive

    return SeasonalNaive()


ENTRIES = (
    Entry(
        "seasonal-naive",
        "the target one period earlier in time; period 1, the last value, unless another is given",
        _make_seasonal_naive,
        nothing,
        {"period": "low"},
        tasks=REGRESSION,
        instead="baseline",
        is_prepared=False,
        takes_weights=False,
    ),
)
