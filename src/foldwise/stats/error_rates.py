"""Two predictors on one test set under 0-1 loss: McNemar's exact test, and Tango's interval."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from foldwise.errors import BadInterval
from foldwise.stats.array_checks import checked_count, checked_level, normal_quantile
from foldwise.stats.comparison import Comparison
from foldwise.stats.held_out import clopper_pearson

PREDICTORS = "the risk of this first predictor minus that of this second one"


def mcnemar(a: Any, b: Any, level: float = 0.95, *, rows: int | None = None, mid_p: bool = False) -> Comparison:
    """The exact test of two predictors on one test set under 0-1 loss (McNemar, 1947).

    `a` and `b` are their 0-1 losses row by row, or two numbers: rows only the first gets wrong, and only the second.
    The p is that of the exact test, and decides whether 0 lies in the interval, which is Tango's (1998) for the
    difference of the two error rates; where `a` and `b` are numbers without `rows`, it is Clopper and Pearson's, about
    the rows where exactly one errs. Not for pooled cross-validation, whose models differ from fold to fold.

    `a`, `b`: two arrays, or two numbers.
    `level`: the coverage that the interval is made for.
    `rows`: how many rows there were, where `a` and `b` are numbers.
    `mid_p`: the less strict mid-p test.

    >>> round(mcnemar(10, 3).p, 4)
    0.0923
    >>> found = mcnemar(12, 2, rows=50)
    >>> round(found.low, 3), round(found.high, 3)
    (0.061, 0.345)
    """
    from scipy import special

    if np.ndim(a) or np.ndim(b):
        a, b, rows = _discordant(a, b)
    level = checked_level(level)
    first, second = (checked_count("wrong answers", count, at_least=0) for count in (a, b))
    differ, few = first + second, min(first, second)
    tests = {"mid_p": 1.0, "chi2": 0.0, "chi2_p": 1.0, "chi2_corrected": 0.0, "chi2_corrected_p": 1.0, "exact_p": 1.0}
    if differ > 0:
        exact = 1.0 if first == second else min(1.0, 2 * float(special.bdtr(few, differ, 0.5)))
        ways = math.lgamma(differ + 1) - math.lgamma(few + 1) - math.lgamma(differ - few + 1)
        chance = math.exp(ways - differ * math.log(2))
        chi2, corrected = (first - second) ** 2 / differ, max(0, abs(first - second) - 1) ** 2 / differ
        tests = {
            "mid_p": 1 - chance / 2 if first == second else exact - chance,
            "chi2": chi2,
            "chi2_p": float(special.chdtrc(1, chi2)),
            "chi2_corrected": corrected,
            "chi2_corrected_p": float(special.chdtrc(1, corrected)),
            "exact_p": exact,
        }
    p = tests["mid_p" if mid_p else "exact_p"]
    if rows is not None:
        count, name, among = checked_count("rows", rows, at_least=max(differ, 1)), "Tango", ""
        low, high = tango(first, second, count, level=level)
    else:
        count, name, among = max(differ, 1), "Clopper-Pearson", ", among the rows where exactly one errs"
        low, high = (2 * end - 1 for end in clopper_pearson(first, differ, level)[:2]) if differ else (0.0, 0.0)
    if differ:
        low, high = _decided(low, high, is_zero_possible=p > 1 - level, sign=first - second)
    details = {"only_first": first, "only_second": second, **tests}
    return Comparison((first - second) / count, low, high, level, name, PREDICTORS + among, p=p, details=details)


def score_p(only_first: float, only_second: float) -> float:
    """The two-sided p of McNemar's score test: below 1 - level where Tango's interval of that level excludes 0.

    >>> round(score_p(10, 3), 4)
    0.0522
    """
    differ = only_first + only_second
    return 1.0 if differ == 0 else math.erfc(abs(only_first - only_second) / math.sqrt(2 * differ))


def tango(only_first: float, only_second: float, rows: float, *, level: float = 0.95) -> tuple[float, float]:
    """The score interval of a difference of two shares on the same rows (Tango, 1998).

    All differences that the score test, with the likeliest shares that have this difference, does not reject. Counts
    averaged over repeats need not be whole numbers.

    >>> [round(end, 4) for end in tango(48, 41, 549, level=0.9)]
    [-0.0157, 0.0414]
    """
    from scipy import optimize

    reach, seen = normal_quantile(checked_level(level)), (only_first - only_second) / rows

    def beyond(difference: float) -> float:
        """How much further than allowed what was seen lies from this difference, in standard errors."""
        return abs(_score(only_first, only_second, rows, difference)) - reach

    def end(limit: float) -> float:
        return limit if beyond(limit) <= 0 else float(optimize.brentq(beyond, seen, limit, xtol=1e-14))

    return end(-1.0), end(1.0)


def _score(b: float, c: float, n: float, difference: float) -> float:
    """The score statistic at a difference of the two shares; infinite where no shares could have given b and c."""
    linear = (2 * n - b + c) * difference - b - c
    root = math.sqrt(max(0.0, linear**2 + 8 * n * c * difference * (1 - difference)))
    second = (root - linear) / (4 * n)  # the likeliest share that only the second gets wrong
    variance = n * (2 * second + difference * (1 - difference))
    gap = b - c - n * difference
    if variance <= 1e-12 * n:
        return 0.0 if abs(gap) <= 1e-9 * n else math.inf
    return gap / math.sqrt(variance)


def _decided(low: float, high: float, *, is_zero_possible: bool, sign: int) -> tuple[float, float]:
    """The interval reaches 0 where the exact test cannot exclude it, and stops short of it where that can."""
    if is_zero_possible:
        return min(low, 0.0), max(high, 0.0)
    tiny = math.ulp(0.0)
    return (max(low, tiny), high) if sign > 0 else (low, min(high, -tiny))


def _discordant(a: Any, b: Any) -> tuple[int, int, int]:
    """Rows that only the first, and only the second, gets wrong, and all rows."""
    first, second = np.asarray(a), np.asarray(b)
    if first.ndim != 1 or first.shape != second.shape:
        raise BadInterval(
            f"McNemar's test needs two lists of 0-1 losses on the same rows, not {first.size} and {second.size}"
        )
    for losses in (first, second):
        odd = np.flatnonzero((losses != 0) & (losses != 1))
        if odd.size:
            raise BadInterval(
                f"McNemar's test needs losses of 0 or 1, and row {int(odd[0])} has {losses[odd[0]]}",
                "For other losses use the paired differences with intervals.holdout_t",
            )
    return int(((first == 1) & (second == 0)).sum()), int(((first == 0) & (second == 1)).sum()), first.size
