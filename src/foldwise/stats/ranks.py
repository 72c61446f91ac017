"""Several methods on several data sets, compared by their ranks."""

from __future__ import annotations

import math
from functools import cache, lru_cache
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.stats.array_checks import checked_level, checked_table

MOST_STATES = 200_000  # sets of rank sums that are counted out
DRAWS = 19_999  # permutations where there are more
MOST_DRAWN = 1_000  # data sets x methods up to which permutations are drawn; beyond, F errs in 4.6 to 5.4 of 100


class Friedman(NamedTuple):
    """Do the methods differ? Friedman's chi squared, and the sharper F of Iman and Davenport; rank 1 is smallest.

    Both are approximations that fail for few data sets: among equal methods F is below 0.05 in half of all pairs of
    data sets. `exact_p` is the p to go by, and `exact_by` says how it was found: by "counting" all permutations of the
    ranks, by drawing "permutations", or from "F".
    """

    chi2: float
    df: int
    p: float
    f: float
    f_df: tuple[int, int]
    f_p: float
    ranks: FloatArray
    exact_p: float
    exact_by: str


class Nemenyi(NamedTuple):
    """Mean ranks that differ by more than `critical_difference` are told apart; p[method, method] for each pair."""

    critical_difference: float
    level: float
    ranks: FloatArray
    p: FloatArray


def friedman(scores: Any) -> Friedman:
    """Do methods differ over data sets? By ranks of scores[data set, method], ties shared (Demsar, 2006).

    Rank 1 is the smallest. Rows are data sets: folds of one data set are not. Go by `exact_p`: `p` (chi squared) and
    `f_p` (Iman and Davenport) fail for few data sets.

    `scores`: losses or risks; lower is better.

    >>> found = friedman([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.3, 0.4, 0.5]])
    >>> found.ranks.tolist(), round(found.chi2, 3), round(found.exact_p, 3)
    ([1.0, 2.25, 2.75], 6.5, 0.042)
    """
    from scipy import special

    ranks = _ranks(scores)
    sets, methods = ranks.shape
    mean = ranks.mean(axis=0)
    # the spread of the ranks themselves, smaller where there are ties
    spread = float(((ranks - (methods + 1) / 2) ** 2).sum())
    between = sets * float(((mean - (methods + 1) / 2) ** 2).sum())
    df, f_df = methods - 1, (methods - 1, (methods - 1) * (sets - 1))
    if spread == 0:
        return Friedman(0.0, df, 1.0, 0.0, f_df, 1.0, mean, 1.0, "counting")
    chi2 = sets * (methods - 1) * between / spread
    rest = sets * (methods - 1) - chi2
    f = (sets - 1) * chi2 / rest if rest > 1e-12 * chi2 else math.inf
    chi2_p, f_p = float(special.chdtrc(df, chi2)), float(special.fdtrc(*f_df, f))
    null = _null_sums(ranks)
    if null is None:
        return Friedman(chi2, df, chi2_p, f, f_df, f_p, mean, f_p, "F")
    exact = null.share_as_large(_spreads(null.sums), _spreads(_doubled(ranks).sum(axis=0, keepdims=True))[0])
    return Friedman(chi2, df, chi2_p, f, f_df, f_p, mean, exact, "permutations" if null.is_drawn else "counting")


def nemenyi(scores: Any, level: float = 0.95) -> Nemenyi:
    """How far mean ranks must lie apart to be told apart, all pairs at once, and each pair's p (Nemenyi, 1963).

    A pair's answer depends on the other methods present: a picture rather than a verdict. For few data sets the
    permutations of the ranks make the critical difference larger where the formula falls short.

    `scores`: [data set, method], losses or risks; lower is better.
    `level`: the coverage that the interval is made for.

    >>> round(nemenyi([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.3, 0.4, 0.5]]).critical_difference, 3)
    1.657
    """
    from scipy import optimize

    level, ranks = checked_level(level), _ranks(scores)
    sets, methods = ranks.shape
    unit = math.sqrt(methods * (methods + 1) / (12 * sets))
    quantile = float(optimize.brentq(lambda q: range_cdf(q, methods) - level, 0.0, 100.0, xtol=1e-13))
    mean = ranks.mean(axis=0)
    gaps = np.abs(np.subtract.outer(mean, mean))
    p = np.array([[1 - range_cdf(gap / unit, methods) for gap in row] for row in gaps])
    reach = quantile * unit
    if (null := _null_sums(ranks)) is not None:
        ranges = np.ptp(null.sums, axis=1)
        exact = [[null.share_as_large(ranges, round(2 * sets * gap)) for gap in row] for row in gaps]
        possible = np.unique([*ranges.tolist(), 2 * sets * (methods - 1)]).tolist()
        least = next(range_ for range_ in possible if null.share_as_large(ranges, range_ + 1) <= 1 - level)
        p, reach = np.maximum(p, exact), max(reach, least / (2 * sets))
    return Nemenyi(reach, level, mean, np.clip(p, 0, 1))


def range_cdf(q: float, count: int) -> float:
    """The distribution of the range of `count` standard normal variables, by quadrature.

    >>> round(range_cdf(2.7718, 2), 4)
    0.95
    """
    from scipy import special

    nodes, weights = _quadrature()
    z, weight = 9 * nodes, 9 * weights  # beyond 9 the density is below 1e-18
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    inside = special.ndtr(z + q) - special.ndtr(z)
    return float(min(1.0, count * (weight * density * inside ** (count - 1)).sum()))


@cache
def _quadrature() -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(200)
    return nodes, weights


def _ranks(scores: Any) -> FloatArray:
    from scipy import stats

    table = checked_table(scores, method="a rank test", axes=("data set", "method"), at_least=(2, 2))
    return np.asarray(stats.rankdata(table, axis=1), np.float64)


class _Null(NamedTuple):
    """Doubled rank sums[state, method] if the methods do not differ, with the chance of each state."""

    sums: IntArray
    chances: FloatArray
    is_drawn: bool

    def share_as_large(self, values: IntArray, seen: int) -> float:
        """The chance of a value as large as the one seen; of drawn permutations the one seen is one more."""
        share = float(self.chances[values >= seen].sum())
        return min(1.0, (share * DRAWS + 1) / (DRAWS + 1) if self.is_drawn else share)


def _null_sums(ranks: FloatArray) -> _Null | None:
    """What the rank sums may be if all orders of the ranks within a data set are alike; None where F will do."""
    rows = tuple(sorted(tuple(row) for row in np.sort(_doubled(ranks), axis=1).tolist()))
    return _count_sums(rows) or (_draw_sums(rows) if ranks.size <= MOST_DRAWN else None)


@lru_cache(maxsize=16)
def _count_sums(rows: tuple[tuple[int, ...], ...]) -> _Null | None:
    """All rank sums, data set by data set; None where there are too many.

    Methods are alike, so only the sorted sums are kept.
    """
    methods = len(rows[0])
    counted, sums, chances = 0, np.zeros((1, methods), np.int64), np.asarray([1.0], np.float64)
    base = 1 + 2 * methods * len(rows)  # above every sum, so that a state is one whole number
    if base**methods >= 2**63:
        return None
    digits = base ** np.arange(methods)
    for row in rows:
        counted += math.factorial(methods) * len(sums)
        if counted > MOST_STATES:
            return None
        orders = np.array(list(permutations(row)))
        states, place = np.unique(np.sort((sums[:, None] + orders), axis=2) @ digits, return_inverse=True)
        weights = np.repeat(chances, len(orders)) / len(orders)
        chances = np.asarray(np.bincount(place.ravel(), weights), np.float64)
        sums = states[:, None] // digits % base
    return _Null(sums, chances, is_drawn=False)


@lru_cache(maxsize=16)
def _draw_sums(rows: tuple[tuple[int, ...], ...]) -> _Null:
    rng = np.random.default_rng(0)
    sums = np.zeros((DRAWS, len(rows[0])), np.int64)
    for row in rows:
        sums += rng.permuted(np.tile(row, (DRAWS, 1)), axis=1)
    return _Null(sums, np.full(DRAWS, 1 / DRAWS), is_drawn=True)


def _doubled(ranks: FloatArray) -> IntArray:
    """Ranks in halves, which are whole numbers also where ties share."""
    return np.rint(2 * ranks).astype(np.int64)


def _spreads(sums: IntArray) -> IntArray:
    """Squared distances of rank sums to their mean, times the number of methods, in whole numbers."""
    return np.asarray(((sums.shape[1] * sums - sums.sum(axis=1, keepdims=True)) ** 2).sum(axis=1), np.int64)
