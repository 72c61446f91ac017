"""Several claims at once: adjusted p values, and the level each interval needs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval, nearest
from foldwise.stats.array_checks import as_numbers, checked_count, checked_level, normal_quantile, t_quantile
from foldwise.stats.interval_method import Ends, ends_around

METHODS = ("bonferroni", "sidak")


def holm(p_values: Any) -> FloatArray:
    """Adjusted p values in the order given: all claims below alpha hold together at level 1 - alpha (Holm, 1979).

    `p_values`: those of all tests that were made.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = as_numbers(p_values, what="p values")
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise BadInterval("p values must be a list of numbers between 0 and 1")
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def shared_level(level: float, among: int, *, method: str = "bonferroni") -> float:
    """The level at which each of `among` intervals must hold for all to hold together at `level`.

    >>> round(shared_level(0.95, 5), 4)
    0.99
    """
    level, among = checked_level(level), checked_count("among", among)
    if method not in METHODS:
        raise BadInterval(f"there is no simultaneous method {method!r}", nearest(method, METHODS))
    # through logarithms, so that a level close to 1 keeps its digits; one alone keeps its level to the last
    if among == 1:
        return level
    return 1 - (1 - level) / among if method == "bonferroni" else math.exp(math.log(level) / among)


def simultaneous(
    value: float, se: float, among: int, level: float = 0.95, method: str = "bonferroni", *, df: float | None = None
) -> Ends:
    """The interval of one value that was picked among several: it holds whatever the rule of picking.

    Normal, or with `df` degrees of freedom that of Student's t (for a corrected standard error).

    `value`: of the one that was picked.
    `se`: its standard error.
    `among`: how many it was picked from.
    `level`: the coverage that the interval is made for.
    `method`: "bonferroni" or "sidak".
    `df`: degrees of freedom of the standard error, if it has any.

    >>> found = simultaneous(0.2, 0.02, among=7)
    >>> round(found.low, 3), round(found.high, 3)
    (0.146, 0.254)
    """
    value, se = (float(as_numbers(number, what="value and se")) for number in (value, se))
    if not math.isfinite(value) or not 0 <= se < math.inf:
        raise BadInterval(f"a simultaneous interval needs a finite value and se >= 0, not {value!r} and {se!r}")
    each = shared_level(level, among, method=method)
    reach = se * (normal_quantile(each) if df is None else t_quantile(each, df))
    return ends_around(value, reach, se=se, among=among, level_of_each=each, method=method)
