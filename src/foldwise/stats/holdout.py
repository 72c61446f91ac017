"""Intervals for the risk of one predictor from its losses on rows it has not seen.

They hold for independent rows and a predictor that was not refitted on them afterwards. Losses[..., row] may have
leading axes: the values and ends of the intervals then have them too.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval
from foldwise.stats.checks import (
    Found,
    Number,
    checked_bounded,
    checked_count,
    checked_level,
    checked_losses,
    fold_codes,
    fold_sums,
    plain,
    t_quantile,
)
from foldwise.stats.corrected_t import has_no_spread, mean_within


def hoeffding(losses: Any, *, bounds: Any = (0.0, 1.0), level: float = 0.95) -> Found:
    """Mean -+ (high - low) sqrt(ln(2 / alpha) / 2n): holds for every n, blind to the variance (Hoeffding, 1963)."""
    losses, low, high = checked_bounded(losses, bounds, method="Hoeffding's interval")
    alpha = 1 - checked_level(level)
    return _around(losses.mean(-1), (high - low) * math.sqrt(math.log(2 / alpha) / (2 * losses.shape[-1])))


def clopper_pearson(failures: Any, rows: Any, *, level: float = 0.95) -> Found:
    """The exact interval of a share: it never covers less than its level (Clopper and Pearson, 1934).

    `failures` may be an array.

    >>> round(clopper_pearson(0, 20).high, 4)
    0.1684
    """
    from scipy import special

    k, n = _checked_share(failures, rows)
    half = (1 - checked_level(level)) / 2
    low = np.where(k > 0, special.betaincinv(np.maximum(k, 1), n - k + 1, half), 0.0)
    high = np.where(k < n, special.betainccinv(k + 1, np.maximum(n - k, 1), half), 1.0)
    return Found(k / n, plain(low), plain(high))


def empirical_bernstein(losses: Any, *, bounds: Any = (0.0, 1.0), level: float = 0.95) -> Found:
    """Hoeffding's idea with the observed variance: pays off from hundreds of rows on (Maurer and Pontil, 2009)."""
    losses, low, high = checked_bounded(losses, bounds, method="the empirical Bernstein interval", at_least=2)
    n, log = losses.shape[-1], math.log(4 / (1 - checked_level(level)))
    reach = np.sqrt(2 * losses.var(-1, ddof=1) * log / n) + (high - low) * 7 * log / (3 * (n - 1))
    return _around(losses.mean(-1), reach)


def betting(losses: Any, *, bounds: Any = (0.0, 1.0), level: float = 0.95, cap: str = "one") -> Found:
    """The means that no gambler betting against them could have grown rich on (Waudby-Smith and Ramdas, 2024).

    The hedged capital max(K+, K-) / 2, K+- = prod(1 +- lambda_i (loss_i - m)), exceeds 1 / alpha for the true mean
    with probability at most alpha, whatever the distribution on the bounds and for every n. The bets lambda_i look
    only at earlier rows, so the order of the rows matters and must be fixed before the losses are seen. They are at
    most 1, or with `cap="paper"` at most 1 / 2m upwards and 1 / 2(1 - m) downwards.

    >>> found = betting([0.1, 0.3, 0.2, 0.4] * 25)
    >>> round(found.low, 3), round(found.high, 3)
    (0.207, 0.294)
    """
    losses, low, high = checked_bounded(losses, bounds, method="the betting interval")
    if cap not in ("one", "paper"):
        raise BadInterval(f"bets are capped at 'one' or by the 'paper', not by {cap!r}")
    alpha, x = 1 - checked_level(level), (losses - low) / (high - low)
    ends = low + (high - low) * np.apply_along_axis(_betting_ends, -1, x, alpha, cap)
    return Found(*map(plain, (losses.mean(-1), ends[..., 0], ends[..., 1])))


def holdout_t(losses: Any, *, level: float = 0.95, groups: Any = None) -> Found:
    """Student's t interval: for losses without bounds, approximate, and short for heavy tails.

    With `groups` the group is the unit: the residuals of a group are summed before they are squared, on groups - 1
    degrees of freedom.
    """
    losses = checked_losses(losses, method="the t interval")
    level, value = checked_level(level), mean_within(losses)
    rows = units = losses.shape[-1]
    residuals, means = losses - np.expand_dims(value, -1), losses
    if groups is not None:
        codes, units = fold_codes(groups, rows=rows)
        if units < 2:
            raise BadInterval("the t interval needs at least 2 groups, not 1", "Test on more groups")
        residuals = fold_sums(residuals, codes, units)
        means = residuals / np.bincount(codes)
    se = np.sqrt(np.vecdot(residuals, residuals) * units / (units - 1)) / rows
    se = np.where(has_no_spread(means, size=np.abs(losses).max(-1)), 0.0, se)
    return _around(value, t_quantile(level, units - 1) * se)._replace(se=plain(se))


def _betting_ends(x: FloatArray, alpha: float, cap: str) -> tuple[float, float]:
    bets = _bets(x, alpha)
    # a bet that losses are smaller is one that 1 - losses are larger
    low = _ruled_out_below(x, bets, alpha, cap)
    return low, 1 - _ruled_out_below(1 - x, bets, alpha, cap)


def _ruled_out_below(x: FloatArray, bets: FloatArray, alpha: float, cap: str) -> float:
    """The smallest mean that the bets on larger values do not rule out."""
    from scipy import optimize

    goal = math.log(2 / alpha)

    def wealth(m: float) -> float:
        # falls as m grows, because each bet does
        most = 1.0 if cap == "one" else 0.5 / m
        return float(np.log1p(np.minimum(bets, most) * (x - m)).sum()) - goal

    nothing = 1e-15
    if wealth(nothing) <= 0:
        return 0.0
    # against a mean of 1 no bet on larger values wins
    return float(optimize.brentq(wealth, nothing, 1 - nothing, xtol=1e-15, rtol=1e-14))


def _bets(x: FloatArray, alpha: float) -> FloatArray:
    """The bet of each row: sqrt(2 ln(2 / alpha) / (n variance of the rows before))."""
    so_far = np.arange(1, x.size + 1)
    mean = (0.5 + np.cumsum(x)) / (so_far + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2)) / (so_far + 1)
    variance_before = np.append(0.25, variance[:-1])
    return np.sqrt(2 * math.log(2 / alpha) / (x.size * variance_before))


def _checked_share(failures: Any, rows: Any) -> tuple[Any, int]:
    n, counts = checked_count("rows", rows), np.ravel(failures).tolist() if np.ndim(failures) else [failures]
    k = np.reshape([checked_count("failures", one, at_least=0) for one in counts], np.shape(failures))
    if (k > n).any():
        raise BadInterval(f"{k.max()} failures cannot be among {n} rows")
    return plain(k), n


def _around(value: Number, reach: Number) -> Found:
    return Found(*map(plain, (value, value - reach, value + reach)))
