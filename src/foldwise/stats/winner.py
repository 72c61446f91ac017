"""The interval of whichever of several estimates is the smallest."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval
from foldwise.stats.array_checks import as_numbers, checked_level, t_quantile
from foldwise.stats.decision import root_of
from foldwise.stats.multiple import shared_level
from foldwise.stats.points import even_points

SPENT = 0.1  # of the error, on which estimates may have been the smallest
FURTHER = (0.0, 0.5, 1.0, 2.0)  # by how many standard errors the others may be further away than the data say


def winner_level(
    gaps: Any, se_gaps: Any, se: Any, correlation: Any, *, df: float, df_gaps: float, level: float = 0.95
) -> float:
    """The level at which the plain interval of the smallest of J estimates misses its mean as seldom as `level` says.

    `gaps[j]` is an estimate less the smallest, `se_gaps[j]` its standard error, `se[j]` and `correlation[i, j]` those
    of the estimates, which follow a multivariate t. A part of the error is spent on how near each of the others may
    truly be to the picked one (all pairs at once, by Bonferroni); for the nearest such means, and for further ones, the
    law says how far off the *picked* estimate is. Only means that the data allow count, the idea of locally
    simultaneous inference (Zrnic and Fithian, 2024), and only the one that is picked. Never above Bonferroni's level.

    >>> alone = winner_level([0, 30], [0, 1], [1, 1], [[1, 0], [0, 1]], df=12, df_gaps=12)
    >>> ties = winner_level([0] * 8, [0, 1, 1, 1, 1, 1, 1, 1], [1] * 8, np.eye(8), df=12, df_gaps=12)
    >>> round(alone, 3), round(ties, 3), round(shared_level(0.95, 8), 3)
    (0.956, 0.988, 0.994)
    """
    level = checked_level(level)
    apart, se_apart, spread, together = _checked(gaps, se_gaps, se, correlation)
    methods, error = len(apart), 1 - level
    if methods == 1:
        return level
    near = np.maximum(apart - _reach(methods, SPENT * error, df_gaps) * se_apart, 0.0)
    allowed = 1 - (1 - SPENT) * error
    normals, scales = even_points(methods, float(df))
    noise = (normals @ root_of(together)) * scales[:, None]
    is_other = (apart > 0) | (np.arange(methods) != int(apart.argmin()))
    reaches = [_reach_of_picked(noise, spread, near + more * se_apart * is_other, allowed) for more in FURTHER]
    reach = max(*reaches, t_quantile(allowed, df))
    return min(_level_of(reach, df), shared_level(level, methods))


def _reach_of_picked(noise: FloatArray, se: FloatArray, means: FloatArray, level: float) -> float:
    """How many standard errors the smallest estimate is off, at most, with the probability of the level."""
    picked = (means + noise * se).argmin(-1)
    return float(np.quantile(np.abs(np.take_along_axis(noise, picked[:, None], axis=-1)), level))


def _reach(methods: int, error: float, df: float) -> float:
    return t_quantile(shared_level(1 - error, methods * (methods - 1) // 2), df)


def _level_of(reach: float, df: float) -> float:
    from scipy import special

    return float(1 - 2 * (special.ndtr(-reach) if np.isinf(df) else special.stdtr(df, -reach)))


def _checked(*given: Any) -> tuple[FloatArray, ...]:
    gaps, se_gaps, se, correlation = (as_numbers(one, what="estimates") for one in given)
    is_whole = gaps.ndim == 1 and gaps.shape == se_gaps.shape == se.shape and correlation.shape == (gaps.size,) * 2
    if not gaps.size or not is_whole or not all(np.isfinite(one).all() for one in (gaps, se_gaps, se, correlation)):
        raise BadInterval("the interval of the smallest of J estimates needs J gaps, standard errors and correlations")
    return gaps, se_gaps, se, correlation
