"""Quantiles of the residuals beside those of a normal distribution, and how large errors are."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.arrays import FloatArray

SHARES = (0.001, 0.005, 0.01, *(at / 50 for at in range(1, 50)), 0.99, 0.995, 0.999)
SIZES = (*(at / 50 for at in range(1, 50)), 0.99)
FEWEST = 20  # rows, below which quantiles say nothing


def residual_quantiles(left: FloatArray, weights: FloatArray | None = None) -> dict[str, Any] | None:
    """Quantiles of residuals (true minus predicted) at even shares of the rows, and of their absolute values.

    Shares beyond those that the rows hold are left out: of 100 rows there is no quantile of 0.001.

    >>> found = residual_quantiles(np.linspace(-1, 1, 201))
    >>> [point["residual"] for point in found["points"]][26], round(found["errors"]["0.9"], 6)
    (0.0, 0.9)
    """
    weights = weights if weights is not None and weights.any() else None
    if len(left) < FEWEST:
        return None
    from scipy.special import ndtri

    shares = [share for share in SHARES if min(share, 1 - share) * len(left) >= 0.5]
    found = weighted_quantiles(left, shares, weights)
    sizes = weighted_quantiles(np.abs(left), list(SIZES), weights)
    return {
        "points": [
            {"share": share, "normal": float(ndtri(share)), "residual": float(value)}
            for share, value in zip(shares, found, strict=True)
        ],
        "mean": float(np.average(left, weights=weights)),
        "deviation": float(np.sqrt(np.cov(left, aweights=weights))),
        "errors": {str(share): float(value) for share, value in zip(SIZES, sizes, strict=True)},
    }


def weighted_quantiles(values: FloatArray, shares: list[float], weights: FloatArray | None) -> FloatArray:
    """Quantiles of rows that may have weights: there the value at which their weights first reach the share."""
    if weights is None or not weights.any():
        return np.asarray(np.quantile(values, shares), np.float64)
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    places = np.searchsorted(below, np.array(shares) * below[-1])
    return np.asarray(values[order][np.minimum(places, len(order) - 1)], np.float64)
