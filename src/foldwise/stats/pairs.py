"""Tests and intervals for the difference of two predictors or learners."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from foldwise.errors import BadInterval
from foldwise.stats.array_checks import checked_count, checked_level, normal_quantile
from foldwise.stats.cross_validated import CorrectedT, corrected_t_of_runs, t_probability_within
from foldwise.stats.held_out import clopper_pearson


class McNemar(NamedTuple):
    """Rows that only one of two predictors gets wrong, and the tests of an even chance."""

    value: float
    low: float
    high: float
    p: float
    mid_p: float
    chi2: float
    chi2_p: float
    chi2_corrected: float
    chi2_corrected_p: float


class Belief(NamedTuple):
    """Where the difference lies: below -rope, within it, above rope; a t distribution with its central interval."""

    value: float
    low: float
    high: float
    se: float
    df: float
    p_left: float
    p_rope: float
    p_right: float


def mcnemar(
    only_first: Any, only_second: Any, *, rows: Any = None, level: float = 0.95, mid_p: bool = False
) -> McNemar:
    """The exact test of two predictors on one test set, from the rows only one of them gets wrong (McNemar, 1947).

    The difference of the two shares of wrong answers is given among `rows`, with Tango's score interval; without
    `rows` among those where exactly one errs, whose number is then fixed, with Clopper and Pearson's. The test decides
    about 0: the interval contains it just when the exact p, or the mid-p if that is asked for, is above 1 - level.

    >>> round(mcnemar(10, 3).p, 4)
    0.0923
    >>> [round(end, 3) for end in mcnemar(12, 2, rows=50)[1:3]]
    [0.061, 0.345]
    """
    from scipy import special

    level = checked_level(level)
    b, c = (checked_count("wrong answers", count, at_least=0) for count in (only_first, only_second))
    differ = b + c
    n = differ if rows is None else checked_count("rows", rows, at_least=max(differ, 1))
    if rows is None and differ == 0:
        return McNemar(0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0)
    ends = tango(b, c, n, level=level) if rows is not None else _difference_among(b, differ, level)
    if differ == 0:
        return McNemar(0.0, *ends, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0)
    few = min(b, c)
    exact = 1.0 if b == c else min(1.0, 2 * float(special.bdtr(few, differ, 0.5)))
    ways = math.lgamma(differ + 1) - math.lgamma(few + 1) - math.lgamma(differ - few + 1)
    chance = math.exp(ways - differ * math.log(2))
    mid = 1 - chance / 2 if b == c else exact - chance
    chi2 = (b - c) ** 2 / differ
    corrected = max(0, abs(b - c) - 1) ** 2 / differ
    chi2_p, corrected_p = (float(special.chdtrc(1, statistic)) for statistic in (chi2, corrected))
    low, high = _decided(*ends, is_zero_possible=(mid if mid_p else exact) > 1 - level, sign=b - c)
    return McNemar((b - c) / n, low, high, exact, mid, chi2, chi2_p, corrected, corrected_p)


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


def _difference_among(b: int, differ: int, level: float) -> tuple[float, float]:
    found = clopper_pearson(b, differ, level=level)
    return 2 * found.low - 1, 2 * found.high - 1


def correlated_bayes(differences: Any, *, test_train_ratio: float, rope: float, level: float = 0.95) -> Belief:
    """The Bayesian correlated t: its scale is that of the corrected t (Benavoli, Corani, Demsar and Zaffalon, 2017).

    Refuses a difference that is the same in all splits, unless it is 0.

    >>> found = correlated_bayes([0.02, 0.01, 0.03, 0.02], test_train_ratio=1 / 3, rope=0.01)
    >>> round(found.p_left + found.p_rope + found.p_right, 12)
    1.0
    """
    from scipy import special

    reach = checked_rope(rope)
    found = varied(corrected_t_of_runs(differences, test_train_ratio=test_train_ratio, level=level))
    within = t_probability_within(found.value, found.se, found.df, reach=reach)
    left = right = 0.0
    if found.se > 0:
        left = float(special.stdtr(found.df, (-reach - found.value) / found.se))
        right = float(special.stdtr(found.df, (found.value - reach) / found.se))
    return Belief(found.value, found.low, found.high, found.se, found.df, left, within, right)


def varied(found: CorrectedT) -> CorrectedT:
    """What was found, if the splits differ or all say 0."""
    if found.se == 0 and found.value != 0:
        raise BadInterval(
            f"all splits have the same difference of {found.value:g}, so their spread says nothing about it",
            "Use more splits, or compare on a test set",
        )
    return found


def checked_rope(rope: Any) -> float:
    """The largest difference that does not matter."""
    try:
        reach = float(rope)
    except (TypeError, ValueError):
        reach = math.nan
    if not 0 <= reach < math.inf:
        raise BadInterval(f"rope is the largest difference that does not matter, at least 0, not {rope!r}")
    return reach
