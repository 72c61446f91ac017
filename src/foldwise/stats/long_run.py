"""The mean of a series whose values hang together in time: losses of forecasts, and differences of them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval
from foldwise.stats.checks import checked_count, checked_level, checked_losses, t_quantile
from foldwise.stats.corrected_t import has_no_spread, mean_within

# Chosen by simulation (docs/time-order.md), so that forecasts of equal worth are told apart in at most 7% of the series
# at the 5% level, up to an autocorrelation of 0.8: so many times for each cosine, and more where losses hang together
# more than that.
TIMES_PER_COSINE, MOST_USUAL = 26, 0.8
LEAST_COSINES, LEAST_TIMES = 2, 44


class LongRun(NamedTuple):
    """The mean of a series with its interval, and the test of a mean of 0 (two-sided).

    `hln_t` and `hln_p` are those of Diebold and Mariano's test as Harvey, Leybourne and Newbold corrected it, alone.
    """

    value: float
    low: float
    high: float
    se: float
    t: float
    df: float
    p: float
    hln_t: float
    hln_p: float
    autocorrelation: float


class Scale(NamedTuple):
    """A standard error of the mean with its degrees of freedom."""

    se: float
    df: float

    def reach(self, level: float) -> float:
        return t_quantile(level, self.df) * self.se

    def t(self, value: float) -> float:
        return value / self.se if self.se else math.copysign(math.inf, value) if value else 0.0

    def p(self, value: float) -> float:
        from scipy import special

        return float(2 * special.stdtr(self.df, -abs(self.t(value))))


def long_run(series: Any, *, steps: int = 1, level: float = 0.95) -> LongRun:
    """Mean and interval of a series in the order of time: the widest of three, and the largest of their p.

    One is Diebold and Mariano's (1995) with the correction of Harvey, Leybourne and Newbold (1997): the variance is
    that of autocorrelation up to lag `steps` - 1, as forecasts of so many steps ahead have. It is too short where
    losses hang together longer. Another takes the long-run variance from the lowest cosines of the series, with as many
    degrees of freedom (Lazarus, Lewis, Stock and Watson, 2018; for forecasts Coroneo and Iacone, 2020): a cosine for
    every 26 times, fewer where the autocorrelation is above 0.8 or the forecasts are of more than 13 steps. The third
    is the t interval of independent times.

    >>> found = long_run(np.sin(np.arange(100.0)) + 0.5, steps=2)
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3), found.df
    (0.504, 0.299, 0.709, 3)
    """
    series, steps, level = _checked(series), checked_count("steps", steps), checked_level(level)
    if reason := too_short(series, steps=steps):
        raise BadInterval(f"the mean of this series has no interval: {reason}")
    value = float(mean_within(series))
    deviations = _deviations(series)
    together = autocorrelation(deviations)
    hln = _hln(deviations, steps)
    cosines = max(LEAST_COSINES, int(series.size / _times_per_cosine(together, steps)))
    found = [low_frequencies(deviations, cosines), _hln(deviations, 1), hln]
    scales = [scale for scale in found if scale is not None]
    reach = max(scale.reach(level) for scale in scales)
    least = max(scales, key=lambda scale: scale.p(value))  # significant, that is
    return LongRun(
        value,
        value - reach,
        value + reach,
        least.se,
        least.t(value),
        least.df,
        least.p(value),
        math.nan if hln is None else hln.t(value),
        math.nan if hln is None else hln.p(value),
        together,
    )


def mean_loss(losses: Any, *, steps: int = 1, level: float = 0.95) -> LongRun:
    """The same for losses: where none is negative, the upper end lies further away, on the scale of logarithms.

    Such losses are mostly skewed, and their mean then more often lies below the truth than above it.

    >>> found = mean_loss(np.sin(np.arange(100.0)) + 1.5)
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3)
    (1.504, 1.363, 1.652)
    """
    found = long_run(losses, steps=steps, level=level)
    if found.value <= 0 or np.min(losses) < 0:
        return found
    return found._replace(high=found.value * math.exp((found.high - found.value) / found.value))


def too_short(series: FloatArray, *, steps: int = 1) -> str | None:
    """Why a series has no interval, with the number of times that would be needed; None where it has one."""
    times, least = len(series), times_needed(steps)
    if times < least:
        ahead = f", with forecasts of {steps} steps ahead," if steps > 1 else ""
        return f"{times} test times are too few for an interval: at least {least} are needed{ahead} in one period"
    together = autocorrelation(_deviations(series))
    needed = _times_per_cosine(together, steps)
    if times < needed:
        return (
            f"the losses of neighbouring times correlate by {together:.2f}, so that {times} test times say too little "
            f"of their mean: about {_rounded_up(needed)} would be needed"
        )
    return None


def times_needed(steps: int = 1) -> int:
    """The shortest series that has an interval.

    >>> times_needed(), times_needed(12)
    (44, 48)
    """
    return max(LEAST_TIMES, 2 * LEAST_COSINES * steps)


def autocorrelation(deviations: FloatArray) -> float:
    """The correlation of neighbouring values, corrected for the bias of short series (Kendall, 1954); below 1."""
    squares = float(deviations @ deviations)
    if squares == 0:
        return 0.0
    raw = float(deviations[1:] @ deviations[:-1]) / squares
    return min(raw + (1 + 3 * raw) / deviations.size, 0.999)


def low_frequencies(deviations: FloatArray, cosines: int) -> Scale:
    """The standard error from the lowest cosines: the mean square of their coefficients is the long-run variance."""
    times = deviations.size
    waves = np.cos(np.pi * np.outer(np.arange(1, cosines + 1), np.arange(times) + 0.5) / times)
    return Scale(math.sqrt(2 * float(np.square(waves @ deviations).mean())) / times, cosines)


def _hln(deviations: FloatArray, steps: int) -> Scale | None:
    """Harvey, Leybourne and Newbold's standard error; None where its estimated variance is not positive."""
    times = deviations.size
    covariances = [float(deviations[lag:] @ deviations[: times - lag]) / times for lag in range(steps)]
    variance = covariances[0] + 2 * sum(covariances[1:])
    factor = (times + 1 - 2 * steps + steps * (steps - 1) / times) / times
    if variance <= 0 < covariances[0]:
        return None
    return Scale(math.sqrt(variance / times / factor), times - 1)


def _times_per_cosine(together: float, steps: int) -> float:
    usual = max(TIMES_PER_COSINE, 2 * steps)
    return max(usual, TIMES_PER_COSINE * (1 - MOST_USUAL) / (1 - together))


def _deviations(series: FloatArray) -> FloatArray:
    return np.zeros(series.size) if has_no_spread(series) else series - series.mean()


def _rounded_up(times: float) -> int:
    """
    >>> _rounded_up(431.2), _rounded_up(87.1)
    (440, 90)
    """
    return 10 * math.ceil(times / 10)


def _checked(series: Any) -> FloatArray:
    found = checked_losses(series, method="a long-run interval")
    if found.ndim != 1:
        raise BadInterval(f"a long-run interval needs one loss per time, not an array of shape {found.shape}")
    return found
