"""Points that are spread evenly over a multivariate normal or t law, the same on every machine."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from foldwise.arrays import FloatArray

POINTS = 16384  # of a law


@lru_cache(maxsize=8)
def even_points(dimensions: int, df: float) -> tuple[FloatArray, FloatArray]:
    """Standard normals[point, dimension], and the scale of each point that makes a t of `df` degrees of freedom.

    Multiples, modulo 1, of the inverse powers of the root of x^(d + 1) = x + 1 above 1 (Roberts, 2018: the golden
    ratio's kin in d dimensions), folded so that their ends meet.

    >>> normals, scales = even_points(2, 9.0)
    >>> normals.shape, [round(float(abs(value)), 2) for value in normals.std(0)], round(float((scales**2).mean()), 2)
    ((16384, 2), [1.0, 1.0], 1.29)
    """
    from scipy import special

    root = 2.0
    for _ in range(60):
        root = (1 + root) ** (1 / (dimensions + 2))
    steps = root ** -np.arange(1.0, dimensions + 2)
    even = np.mod(0.5 + np.arange(1, POINTS + 1)[:, None] * steps, 1.0)
    even = np.clip(np.abs(2 * even - 1), 1e-12, 1 - 1e-12)
    scales = np.ones(POINTS) if np.isinf(df) else np.sqrt(df / (2 * special.gammaincinv(df / 2, even[:, 0])))
    return np.asarray(special.ndtri(even[:, 1:])), np.asarray(scales)
