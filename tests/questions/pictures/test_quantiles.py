"""Quantiles of residuals are those of NumPy, and of repeated rows where there are weights."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from foldwise.questions.pictures.quantiles import residual_quantiles


def test_quantiles_of_residuals_and_errors_are_those_of_numpy():
    left = np.random.default_rng(0).standard_t(3, size=300)
    got = residual_quantiles(left)

    for point in got["points"]:
        assert point["residual"] == pytest.approx(np.quantile(left, point["share"]))
        assert point["normal"] == pytest.approx(stats.norm.ppf(point["share"]))
    assert got["errors"]["0.9"] == pytest.approx(np.quantile(np.abs(left), 0.9))
    assert (got["mean"], got["deviation"]) == pytest.approx((left.mean(), left.std(ddof=1)))


def test_a_share_that_the_rows_do_not_hold_has_no_point():
    shares = [point["share"] for point in residual_quantiles(np.arange(50.0))["points"]]

    assert (min(shares), max(shares)) == (0.01, 0.99)
    assert residual_quantiles(np.arange(5.0)) is None


def test_a_row_of_weight_three_counts_as_three_rows():
    rng = np.random.default_rng(1)
    left, weights = rng.normal(size=60), rng.integers(0, 4, 60).astype(float)
    got = residual_quantiles(left, weights)
    rows = np.repeat(left, weights.astype(int))

    for point in got["points"]:
        assert point["residual"] == np.quantile(rows, point["share"], method="inverted_cdf")
    assert got["mean"] == pytest.approx(rows.mean())
