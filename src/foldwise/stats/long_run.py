"""The mean of a series whose values hang together in time: losses of forecasts, and differences of them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval
from foldwise.stats.array_checks import (
    checked_count,
    checked_level,
    checked_losses,
    has_no_spread,
    mean_within,
)
from foldwise.stats.cross_validated import StudentT, tail_notes
from foldwise.stats.evidence import IN_TIME, Evidence
from foldwise.stats.held_out import no_surer_than_units
from foldwise.stats.interval_method import Ends, IntervalMethod

# Chosen by simulation (docs/time-order.md), so that forecasts of equal worth are told apart in at most 7% of the series
# at the 5% level, up to an autocorrelation of 0.8: so many times for each cosine, and more where losses hang together
# more than that.
TIMES_PER_COSINE, MOST_USUAL = 26, 0.8
LEAST_COSINES, LEAST_TIMES = 2, 44
MORE = "; test more of the series: more folds, or a longer horizon"


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
    series = checked_losses(series, method="a long-run interval")
    steps, level = checked_count("steps", steps), checked_level(level)
    if reason := too_short(series, steps=steps):
        raise BadInterval(f"the mean of this series has no interval: {reason}")
    value = mean_within(series)
    deviations = _deviations(series)
    together = autocorrelation(deviations)
    cosines = max(LEAST_COSINES, int(series.size / _times_per_cosine(together, steps)))
    low = StudentT(value, low_frequencies(deviations, cosines), cosines)
    hln, independent = (StudentT(value, _hln(deviations, ahead), series.size - 1) for ahead in (steps, 1))
    means = [mean for mean in (low, independent, hln) if not math.isnan(mean.se)]
    reach = max(mean.reach(level) for mean in means)
    least = max(means, key=lambda mean: mean.p)  # significant, that is
    return LongRun(
        value,
        value - reach,
        value + reach,
        least.se,
        least.t,
        least.df,
        least.p,
        hln.t,
        hln.p,
        together,
    )


def hac(losses: Any, level: float = 0.95, *, steps: int = 1) -> Ends:
    """The interval of a mean loss of forecasts, from losses in the order of time, `steps` ahead.

    Wide enough for losses that hang together in time and vary in size, as the long-run variance comes from their low
    frequencies (Lazarus, Lewis, Stock and Watson, 2018); assumes a period without a trend or a break. Losses that are
    never negative get an upper end on the scale of logarithms: they are mostly skewed, and their mean then more often
    lies below the truth than above it. Too short a series is refused. For two forecasts see
    `comparisons.diebold_mariano`.

    `losses`: one per forecast, in the order of time.
    `level`: the coverage that the interval is made for.
    `steps`: how far ahead was forecast.

    >>> found = hac(np.sin(np.arange(100.0)) + 1.5)
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3)
    (1.504, 1.363, 1.652)
    """
    test = long_run(losses, steps=steps, level=level)
    is_positive = test.value > 0 and np.min(losses) >= 0
    high = test.value * math.exp((test.high - test.value) / test.value) if is_positive else test.high
    details = {"se": test.se, "df": test.df, "autocorrelation": test.autocorrelation, "steps": steps}
    return Ends(test.low, high, test.value, details)


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


def low_frequencies(deviations: FloatArray, cosines: int) -> float:
    """The standard error from the lowest cosines: the mean square of their coefficients is the long-run variance."""
    times = deviations.size
    waves = np.cos(np.pi * np.outer(np.arange(1, cosines + 1), np.arange(times) + 0.5) / times)
    return math.sqrt(2 * float(np.square(waves @ deviations).mean())) / times


def _hln(deviations: FloatArray, steps: int) -> float:
    """Harvey, Leybourne and Newbold's standard error; NaN where its estimated variance is not positive."""
    times = deviations.size
    covariances = [float(deviations[lag:] @ deviations[: times - lag]) / times for lag in range(steps)]
    variance = covariances[0] + 2 * sum(covariances[1:])
    factor = (times + 1 - 2 * steps + steps * (steps - 1) / times) / times
    return math.nan if variance <= 0 < covariances[0] else math.sqrt(variance / times / factor)


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


def _no_series(evidence: Evidence) -> str | None:
    if evidence.scheme not in IN_TIME:
        return f"it is for test rows in the order of time, not {evidence.scheme}"
    if evidence.row_losses is None or evidence.series is None:
        return f"{evidence.loss.name} is a measure of a whole fold and has no loss per time"
    reason = too_short(evidence.series, steps=evidence.steps)
    if reason is not None:
        return reason + MORE
    if not evidence.is_zero_one and np.ptp(evidence.series) == 0:
        return "all test times have the same loss, so their spread says nothing about the risk"
    return None


def _hac(evidence: Evidence, level: float) -> Ends:
    ends = hac(evidence.series, level, steps=evidence.steps)._replace(notes=tail_notes(evidence))
    return no_surer_than_units(ends, evidence, level)


HAC = IntervalMethod(
    "HAC",
    _hac,
    _no_series,
    covers="these forecasts",
    assumes="a period without a trend or a break in the mean loss, whose losses correlate less and less with the time "
    "between them; approximate, never surer than independent times, and not about the learner at other times",
    coverage="0.92 to 0.99 for the mean loss of normal and heavy-tailed errors that correlate by up to 0.8, with 50 to "
    "500 test times; 0.91 to 0.96 where their variance changes, and 0.79 to 0.92 where it comes in long bursts",
    reference="Lazarus E., Lewis D. J., Stock J. H., Watson M. W. (2018). HAR inference: recommendations for practice. "
    "Journal of Business and Economic Statistics 36, 541-559.",
    aliases=("Diebold-Mariano", "long-run variance", "heteroscedasticity and autocorrelation consistent"),
    default_for=IN_TIME,
    ignores_order=False,
    is_affine=False,  # losses that are never negative have a 0
)
ROWS = (HAC,)
