"""The level of the interval of whichever method was picked, from the losses of all that it was picked from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.stats.array_checks import checked_level, t_quantile
from foldwise.stats.choices import even_points, root_of
from foldwise.stats.comparison import Comparison
from foldwise.stats.evidence import Evidence
from foldwise.stats.multiple import shared_level

SPENT = 0.1  # of the error, on which estimates may have been the smallest
FURTHER = (0.0, 0.5, 1.0, 2.0)  # by how many standard errors the others may be further away than the data say
SCHEMES = ("folds", "random splits")  # on one test set intervals are exact, and shared evenly they stay so


def level_of_winner(
    evidence: Sequence[Evidence], details: Sequence[Mapping[str, Any]], pairs: Sequence[Comparison], *, level: float
) -> float | None:
    """The level of the picked method's interval; None where the law of the estimates is not known.

    `details` are those of the methods' intervals, `pairs` the difference of each method to the picked one, whose own
    place has a difference of 0.
    """
    if evidence[0].scheme not in SCHEMES or any(not numbers.get("se") for numbers in details):
        return None
    is_known = [pair.se is not None and math.isfinite(pair.value) for pair in pairs]
    gaps = [max(pair.value, 0.0) if known else 0.0 for pair, known in zip(pairs, is_known, strict=True)]
    df_gaps = min((pair.df for pair in pairs if pair.df is not None), default=math.inf)
    return winner_level(
        np.array(gaps),
        np.array([pair.se or 0.0 for pair in pairs]),
        np.array([numbers["se"] for numbers in details]),
        correlation_of(evidence),
        df=details[0].get("df") or math.inf,
        df_gaps=df_gaps,
        level=level,
    )


def correlation_of(evidence: Sequence[Evidence]) -> FloatArray:
    """How the estimated risks move together: as the losses of rows (or groups) do.

    Without losses of rows they are taken to be independent, which errs on the wide side: methods are judged on the same
    rows.
    """
    terms = [method.unit_deviations for method in evidence]
    if any(term is None for term in terms):
        return np.eye(len(terms))
    table = np.array(terms)
    sizes = np.sqrt(np.vecdot(table, table))
    if not (sizes > 0).all():
        return np.eye(len(terms))
    return np.asarray(np.clip((table @ table.T) / np.outer(sizes, sizes), -1.0, 1.0))


def winner_level(
    gaps: FloatArray,
    se_gaps: FloatArray,
    se: FloatArray,
    correlation: FloatArray,
    *,
    df: float,
    df_gaps: float,
    level: float = 0.95,
) -> float:
    """The level at which the plain interval of the smallest of J estimates misses its mean as seldom as `level` says.

    `gaps[j]` is an estimate less the smallest, `se_gaps[j]` its standard error, `se[j]` and `correlation[i, j]` those
    of the estimates, which follow a multivariate t. A part of the error is spent on how near each of the others may
    truly be to the picked one (all pairs at once, by Bonferroni); for the nearest such means, and for further ones, the
    law says how far off the *picked* estimate is. Only means that the data allow count, the idea of locally
    simultaneous inference (Zrnic and Fithian, 2024), and only the one that is picked. Never above Bonferroni's level.

    >>> alone = winner_level(np.array([0, 30]), np.array([0, 1]), np.ones(2), np.eye(2), df=12, df_gaps=12)
    >>> ties = winner_level(np.zeros(8), np.arange(8).clip(0, 1), np.ones(8), np.eye(8), df=12, df_gaps=12)
    >>> round(alone, 3), round(ties, 3), round(shared_level(0.95, 8), 3)
    (0.956, 0.988, 0.994)
    """
    methods, error = len(gaps), 1 - checked_level(level)
    if methods == 1:
        return level
    near = np.maximum(gaps - _reach(methods, SPENT * error, df_gaps) * se_gaps, 0.0)
    allowed = 1 - (1 - SPENT) * error
    normals, scales = even_points(methods, float(df))
    noise = (normals @ root_of(correlation)) * scales[:, None]
    is_other = (gaps > 0) | (np.arange(methods) != int(gaps.argmin()))
    reaches = [_reach_of_picked(noise, se, near + more * se_gaps * is_other, allowed) for more in FURTHER]
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
