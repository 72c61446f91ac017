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
from foldwise.formulas.checks import (
    Found,
    Number,
    checked_bounded,
    checked_count,
    checked_level,
    checked_losses,
    fold_codes,
    fold_sums,
    normal_quantile,
    plain,
    t_quantile,
)
from foldwise.formulas.corrected_t import has_no_spread, mean_within


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


def wilson(failures: Any, rows: Any, *, level: float = 0.95) -> Found:
    """The score interval of a share: short, approximate, and can cover a little less than its level."""
    k, n = _checked_share(failures, rows)
    z2 = normal_quantile(checked_level(level)) ** 2
    centre = (k + z2 / 2) / (n + z2)
    reach = math.sqrt(z2 * (k * (n - k) / n + z2 / 4)) / (n + z2)
    return Found(k / n, 0.0 if k == 0 else centre - reach, 1.0 if k == n else centre + reach)


def kl_upper(mean: float, rows: Any, *, level: float = 0.95) -> float:
    """The one-sided upper bound of the mean of losses in [0, 1]: the largest q with n kl(mean, q) <= ln(1 / alpha)."""
    from scipy import optimize, special

    n, reach = checked_count("rows", rows), -math.log(1 - checked_level(level))
    if not 0 <= mean <= 1:
        raise BadInterval(f"the mean of losses in [0, 1] cannot be {mean!r}")

    def excess(q: float) -> float:
        return n * float(special.rel_entr(mean, q) + special.rel_entr(1 - mean, 1 - q)) - reach

    top = math.nextafter(1, 0)
    return 1.0 if mean >= top or excess(top) <= 0 else float(optimize.brentq(excess, mean, top, xtol=1e-15))


def arcsine(error: Any, rows: Any, *, inflation: Any = 1.0, level: float = 0.95) -> Found:
    """The interval of a share on the arcsine scale, where its variance is 1 / 4n whatever the share."""
    n = checked_count("rows", rows)
    if not np.all((np.asarray(error) >= 0) & (np.asarray(error) <= 1)):
        raise BadInterval(f"a share of wrong answers lies between 0 and 1, not at {error!r}")
    middle = np.arcsin(np.sqrt(error))
    reach = normal_quantile(checked_level(level)) * inflation / math.sqrt(4 * n)
    low, high = (np.sin(np.clip(angle, 0.0, math.pi / 2)) ** 2 for angle in (middle - reach, middle + reach))
    return Found(error, plain(low), plain(high))


def empirical_bernstein(losses: Any, *, bounds: Any = (0.0, 1.0), level: float = 0.95) -> Found:
    """Hoeffding's idea with the observed variance: pays off from hundreds of rows on (Maurer and Pontil, 2009)."""
    losses, low, high = checked_bounded(losses, bounds, method="the empirical Bernstein interval", at_least=2)
    n, log = losses.shape[-1], math.log(4 / (1 - checked_level(level)))
    reach = np.sqrt(2 * losses.var(-1, ddof=1) * log / n) + (high - low) * 7 * log / (3 * (n - 1))
    return _around(losses.mean(-1), reach)


def predictable_bernstein(
    losses: Any, *, bounds: Any = (0.0, 1.0), level: float = 0.95, is_shrunk: bool = True
) -> Found:
    """The empirical Bernstein interval with predictable plug-in weights (Waudby-Smith and Ramdas, 2024).

    Tighter than Maurer and Pontil's; depends on the order of the rows. Deviations are from the running mean, shrunk
    towards the middle of the bounds as in the paper, or not as in its authors' program.
    """
    losses, low, high = checked_bounded(losses, bounds, method="the predictable Bernstein interval")
    alpha, x = 1 - checked_level(level), (losses - low) / (high - low)
    ends = _bernstein_low(x, alpha, is_shrunk), 1 - _bernstein_low(1 - x, alpha, is_shrunk)
    return Found(float(losses.mean()), *(low + (high - low) * end for end in ends))


def betting(
    losses: Any, *, bounds: Any = (0.0, 1.0), level: float = 0.95, cap: str = "one", is_running: bool = False
) -> Found:
    """The means that no gambler betting against them could have grown rich on (Waudby-Smith and Ramdas, 2024).

    The hedged capital max(K+, K-) / 2, K+- = prod(1 +- lambda_i (loss_i - m)), exceeds 1 / alpha for the true mean
    with probability at most alpha, whatever the distribution on the bounds and for every n. The bets lambda_i look
    only at earlier rows, so the order of the rows matters and must be fixed before the losses are seen. They are at
    most 1, or with `cap="paper"` at most 1 / 2m upwards and 1 / 2(1 - m) downwards. A running interval also leaves
    out what any of its prefixes rules out.

    >>> found = betting([0.1, 0.3, 0.2, 0.4] * 25)
    >>> round(found.low, 3), round(found.high, 3)
    (0.207, 0.294)
    """
    losses, low, high = checked_bounded(losses, bounds, method="the betting interval")
    if cap not in ("one", "paper"):
        raise BadInterval(f"bets are capped at 'one' or by the 'paper', not by {cap!r}")
    alpha, x = 1 - checked_level(level), (losses - low) / (high - low)
    ends = low + (high - low) * np.apply_along_axis(_betting_ends, -1, x, alpha, cap, is_running)
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


def _betting_ends(x: FloatArray, alpha: float, cap: str, is_running: bool) -> tuple[float, float]:
    _, bets = _plug_in(x, alpha)
    # a bet that losses are smaller is one that 1 - losses are larger
    low = _ruled_out_below(x, bets, alpha, cap, is_running)
    return low, 1 - _ruled_out_below(1 - x, bets, alpha, cap, is_running)


def _bernstein_low(x: FloatArray, alpha: float, is_shrunk: bool) -> float:
    mean_before, bets = _plug_in(x, alpha)
    if not is_shrunk:
        mean_before = np.append(0.0, np.cumsum(x)[:-1] / np.arange(1, x.size))
    bets = np.minimum(bets, 0.5)
    spread = ((x - mean_before) ** 2 * (-np.log1p(-bets) - bets)).sum()
    return max(0.0, float((bets @ x - math.log(2 / alpha) - spread) / bets.sum()))


def _ruled_out_below(x: FloatArray, bets: FloatArray, alpha: float, cap: str, is_running: bool) -> float:
    """The smallest mean that the bets on larger values do not rule out."""
    from scipy import optimize

    goal = math.log(2 / alpha)

    def wealth(m: float) -> float:
        # falls as m grows, because each bet does
        most = 1.0 if cap == "one" else 0.5 / m
        gains = np.log1p(np.minimum(bets, most) * (x - m))
        return float(np.cumsum(gains).max() if is_running else gains.sum()) - goal

    nothing = 1e-15
    if wealth(nothing) <= 0:
        return 0.0
    # against a mean of 1 no bet on larger values wins
    return float(optimize.brentq(wealth, nothing, 1 - nothing, xtol=1e-15, rtol=1e-14))


def _plug_in(x: FloatArray, alpha: float) -> tuple[FloatArray, FloatArray]:
    """The running mean before each row, and the bet sqrt(2 ln(2 / alpha) / (n variance before the row))."""
    so_far = np.arange(1, x.size + 1)
    mean = (0.5 + np.cumsum(x)) / (so_far + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2)) / (so_far + 1)
    mean_before, variance_before = np.append(0.5, mean[:-1]), np.append(0.25, variance[:-1])
    return mean_before, np.sqrt(2 * math.log(2 / alpha) / (x.size * variance_before))


def _checked_share(failures: Any, rows: Any) -> tuple[Any, int]:
    n, counts = checked_count("rows", rows), np.ravel(failures).tolist() if np.ndim(failures) else [failures]
    k = np.reshape([checked_count("failures", one, at_least=0) for one in counts], np.shape(failures))
    if (k > n).any():
        raise BadInterval(f"{k.max()} failures cannot be among {n} rows")
    return plain(k), n


def _around(value: Number, reach: Number) -> Found:
    return Found(*map(plain, (value, value - reach, value + reach)))
