"""Two methods on several data sets: the signed-rank and sign tests, and their Bayesian reading."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval
from foldwise.formulas.checks import as_numbers, checked_count, checked_finite
from foldwise.formulas.pairs import checked_rope

MOST_EXACT = 300  # data sets up to which the distribution of the rank sum is counted out
PRIOR_WEIGHT = 0.5  # of the one data set that is imagined, with a difference of 0
DRAWS = 50_000


class SignedRank(NamedTuple):
    """The smaller rank sum, the two-sided p, the smallest p so many data sets can give, and the side they lean to."""

    statistic: float
    p: float
    smallest_p: float
    side: int  # -1 below 0, 1 above, 0 neither


class Places(NamedTuple):
    """Probabilities that the first method is practically better, that both are equal, that the second is better."""

    p_left: float
    p_rope: float
    p_right: float


def signed_rank(differences: Any) -> SignedRank:
    """Wilcoxon's test that differences lie evenly around 0, one per data set (Wilcoxon, 1945; Pratt, 1959, for zeros).

    The p is exact, ties included, up to 300 data sets; beyond, by the normal approximation.

    >>> signed_rank([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    SignedRank(statistic=0.0, p=0.03125, smallest_p=0.03125, side=1)
    """
    from scipy import stats

    values = _checked(differences)
    ranks = np.asarray(stats.rankdata(np.abs(values)), np.float64)[values != 0]
    signs = values[values != 0]
    if not signs.size:
        return SignedRank(0.0, 1.0, 1.0, 0)
    above, below = float(ranks[signs > 0].sum()), float(ranks[signs < 0].sum())
    smaller = min(above, below)
    smallest = 2.0 ** (1 - signs.size)
    p = _exact_p(ranks, smaller) if signs.size <= MOST_EXACT else _normal_p(ranks, smaller)
    return SignedRank(smaller, min(1.0, p), smallest, _side(above, below))


def sign_test(differences: Any) -> SignedRank:
    """The test that looks only at which method is better on each data set; equal ones are left out.

    >>> sign_test([1, 2, 5, -1]).p
    0.625
    """
    from scipy import special

    values = _checked(differences)
    above, below = int((values > 0).sum()), int((values < 0).sum())
    if above + below == 0:
        return SignedRank(0.0, 1.0, 1.0, 0)
    p = 1.0 if above == below else 2 * float(special.bdtr(min(above, below), above + below, 0.5))
    return SignedRank(float(min(above, below)), min(1.0, p), 2.0 ** (1 - above - below), _side(above, below))


def signed_rank_bayes(differences: Any, *, rope: float, draws: int = DRAWS, seed: int = 0) -> Places:
    """The Bayesian signed-rank test with a region of practical equivalence (Benavoli, Corani, Demsar, Zaffalon, 2017).

    The data sets are a sample from a distribution under a Dirichlet process prior of weight 0.5 at 0. Each draw
    weights them anew and asks in which of three places the mean of two differences mostly lies: below -rope, within,
    above rope. The probabilities are the shares of the draws, so their own error is about 0.2 points of a hundred.
    """
    reach = checked_rope(rope)
    values = np.concatenate([[0.0], _checked(differences)])
    sums = values[:, None] + values[None, :]
    is_left, is_right = (np.asarray(place, np.float64) for place in (sums < -2 * reach, sums > 2 * reach))
    counts = np.zeros(3)
    rng, left_over = np.random.default_rng(seed), checked_count("draws", draws)
    while left_over > 0:
        size = min(left_over, max(1, 4_000_000 // len(values)))
        weights = _dirichlet(rng, size, len(values))
        left, right = (((weights @ place) * weights).sum(axis=1) for place in (is_left, is_right))
        counts += _shares(np.stack([left, 1 - left - right, right]))
        left_over -= size
    return Places(*(counts / draws).tolist())


def _dirichlet(rng: np.random.Generator, size: int, count: int) -> FloatArray:
    """Weights of the imagined data set and of the real ones, summing to 1."""
    weights = np.empty((size, count))
    weights[:, 0] = rng.standard_gamma(PRIOR_WEIGHT, size)
    weights[:, 1:] = rng.standard_exponential((size, count - 1))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float64)


def _shares(places: FloatArray) -> FloatArray:
    """How often each place is the largest; equal ones share."""
    is_most = places >= places.max(axis=0) - 1e-12
    return np.asarray((is_most / is_most.sum(axis=0)).sum(axis=1), np.float64)


def _side(above: float, below: float) -> int:
    return int(above > below) - int(above < below)


def _exact_p(ranks: FloatArray, statistic: float) -> float:
    """Every sign is as likely as its opposite: ways to reach each rank sum, counted in halves because of ties."""
    steps = np.rint(2 * ranks).astype(np.int64)
    chance = np.zeros(int(steps.sum()) + 1)
    chance[0] = 1.0
    for step in steps.tolist():
        moved = np.zeros_like(chance)
        moved[step:] = chance[: chance.size - step]
        chance = (chance + moved) / 2
    return 2 * float(chance[: round(2 * statistic) + 1].sum())


def _normal_p(ranks: FloatArray, statistic: float) -> float:
    spread = math.sqrt(float((ranks**2).sum()) / 4)
    return math.erfc((float(ranks.sum()) / 2 - statistic) / spread / math.sqrt(2))


def _checked(differences: Any) -> FloatArray:
    values = as_numbers(differences, what="differences")
    if values.ndim != 1 or not values.size:
        raise BadInterval(f"there must be one difference per data set, not an array of shape {values.shape}")
    return checked_finite(values, unit="data set")
