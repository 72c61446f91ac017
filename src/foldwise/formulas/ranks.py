"""Several methods on several data sets, compared by their ranks."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.formulas.checks import checked_level, checked_table


class Friedman(NamedTuple):
    """Do the methods differ? Friedman's chi squared, and the sharper F of Iman and Davenport; rank 1 is smallest."""

    chi2: float
    df: int
    p: float
    f: float
    f_df: tuple[int, int]
    f_p: float
    ranks: FloatArray


class Nemenyi(NamedTuple):
    """Mean ranks that differ by more than `critical_difference` are told apart; p[method, method] for each pair."""

    critical_difference: float
    level: float
    ranks: FloatArray
    p: FloatArray


def friedman(scores: Any) -> Friedman:
    """Ranks of scores[data set, method] within each data set, with ties shared (Friedman, 1937; Demsar, 2006).

    Rows are data sets: folds of one data set are not.

    >>> found = friedman([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.3, 0.4, 0.5]])
    >>> found.ranks.tolist(), round(found.chi2, 3)
    ([1.0, 2.25, 2.75], 6.5)
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
        return Friedman(0.0, df, 1.0, 0.0, f_df, 1.0, mean)
    chi2 = sets * (methods - 1) * between / spread
    rest = sets * (methods - 1) - chi2
    f = (sets - 1) * chi2 / rest if rest > 1e-12 * chi2 else math.inf
    return Friedman(chi2, df, float(special.chdtrc(df, chi2)), f, f_df, float(special.fdtrc(*f_df, f)), mean)


def nemenyi(scores: Any, *, level: float = 0.95) -> Nemenyi:
    """Which pairs of methods differ in mean rank over data sets, all pairs at once (Nemenyi, 1963).

    A pair's answer depends on the other methods present: a picture rather than a verdict.
    """
    from scipy import optimize

    level, ranks = checked_level(level), _ranks(scores)
    sets, methods = ranks.shape
    unit = math.sqrt(methods * (methods + 1) / (12 * sets))
    quantile = float(optimize.brentq(lambda q: range_cdf(q, methods) - level, 0.0, 100.0, xtol=1e-13))
    mean = ranks.mean(axis=0)
    p = np.ones((methods, methods))
    for one, other in zip(*np.triu_indices(methods, 1), strict=True):
        p[one, other] = p[other, one] = 1 - range_cdf(abs(mean[one] - mean[other]) / unit, methods)
    return Nemenyi(quantile * unit, level, mean, np.clip(p, 0, 1))


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
