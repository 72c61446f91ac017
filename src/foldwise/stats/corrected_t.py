"""The t statistic of scores from splits that share training rows."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval
from foldwise.stats.checks import Number, as_numbers, checked_level, plain, t_quantile

ROUNDING = 1e-12  # spread below this share of the numbers' size is what arithmetic leaves of none


# Repeats average the noise of the splits away and bring no new rows: as how many runs any number of them may count, by
# simulation (docs/methods.md). The noise of the splits is a larger part of a difference than of a risk.
RUNS_OF_RISK, RUNS_OF_DIFFERENCE = 2.0, 8.0


class CorrectedT(NamedTuple):
    """A mean with its interval, and the test of a mean of 0 (two-sided)."""

    value: Number
    low: Number
    high: Number
    se: Number
    t: Number
    df: float
    p: Number


def corrected_t(
    scores: Any,
    *,
    test_train_ratio: float,
    level: float = 0.95,
    most_runs: float = math.inf,
    least_se: Number = 0.0,
) -> CorrectedT:
    """Mean and interval of the scores[..., split] of J splits, with se^2 = (1/J + test rows / training rows) s^2.

    Shared training rows make the scores move together, so that the plain t interval is too short (Nadeau and
    Bengio, 2003). The correction is a guess at that correlation, not a theorem. R runs of folds count as M R / (R + M -
    1) runs, M = `most_runs`, and so do as many random splits; the standard error is at least `least_se`.

    >>> found = corrected_t([0.20, 0.30, 0.25, 0.35], test_train_ratio=1 / 3)
    >>> round(found.low, 3), round(found.high, 3)
    (0.118, 0.432)
    """
    scores, ratio = _checked(scores, test_train_ratio, level)
    splits = _counted(scores.shape[-1], ratio, most_runs)
    se = np.sqrt(scores.var(-1, ddof=1) * (1 / splits + ratio))
    least = np.where(np.asarray(least_se) > ROUNDING * np.abs(scores).max(-1), least_se, 0.0)
    se = np.maximum(np.where(has_no_spread(scores), 0.0, se), least)
    return _from_se(mean_within(scores), se, splits - 1, level)


def corrected_t_of_runs(
    runs: Any, *, test_train_ratio: float, level: float = 0.95, most_runs: float = RUNS_OF_DIFFERENCE
) -> CorrectedT:
    """The corrected t over all scores of repeated runs, scores[run, split]."""
    runs = np.atleast_2d(as_numbers(runs, what="scores"))
    if runs.ndim != 2:
        raise BadInterval(f"scores must be an array of runs x splits, not one of shape {runs.shape}")
    most = most_runs if len(runs) > 1 else math.inf
    return corrected_t(runs.ravel(), test_train_ratio=test_train_ratio, level=level, most_runs=most)


def _counted(splits: int, ratio: float, most_runs: float) -> float:
    """The number of splits as it enters the variance: a run has as many folds as test sets fit into the rows."""
    runs = splits * ratio / (1 + ratio)
    is_one_run = runs <= 1 + ROUNDING
    return splits if is_one_run or most_runs == math.inf else splits * most_runs / (runs + most_runs - 1)


def has_no_spread(numbers: FloatArray, *, size: Number = 0.0) -> Any:
    """Whether numbers[..., i] are equal but for rounding; `size` is that of what they are differences or means of.

    >>> has_no_spread(np.array([0.1, 0.2, 0.3]) - np.array([0.2, 0.3, 0.4]))
    True
    """
    return plain(np.ptp(numbers, axis=-1) <= ROUNDING * np.maximum(size, np.abs(numbers).max(-1)))


def mean_within(numbers: FloatArray) -> Number:
    """The mean along the last axis, which rounding does not move past the numbers: that of equal ones is theirs."""
    return plain(np.clip(numbers.mean(-1), numbers.min(-1), numbers.max(-1)))


def t_probability_within(value: float, se: float, df: float, *, reach: float) -> float:
    """The probability that a t variable around `value` with scale `se` lies within `reach` of 0."""
    from scipy import stats

    if se == 0:
        return float(abs(value) <= reach)
    return float(stats.t.cdf((reach - value) / se, df) - stats.t.cdf((-reach - value) / se, df))


def _from_se(value: Number, se: Number, df: float, level: float) -> CorrectedT:
    from scipy import special

    value, se = np.asarray(value), np.asarray(se)
    with np.errstate(divide="ignore"):  # without spread any value but 0 is infinitely far from 0
        t = np.divide(value, se, out=np.zeros_like(value), where=(value != 0) | (se != 0))
    reach, p = t_quantile(level, df) * se, 2 * special.stdtr(df, -np.abs(t))
    value, low, high, se, t, p = map(plain, (value, value - reach, value + reach, se, t, p))
    return CorrectedT(value, low, high, se, t, df, p)


def _checked(given: Any, test_train_ratio: Any, level: float) -> tuple[FloatArray, float]:
    scores = as_numbers(given, what="scores")
    splits = scores.shape[-1] if scores.ndim else 1
    if splits < 2:
        raise BadInterval(f"the corrected t needs the scores of at least 2 splits, not {splits}", "Use more folds")
    is_bad = ~np.isfinite(scores)
    if is_bad.any():
        place, value = int(np.nonzero(is_bad)[-1][0]), scores[is_bad][0]
        raise BadInterval(f"the corrected t needs finite scores, and split {place} has {value}")
    checked_level(level)
    try:
        ratio = float(test_train_ratio)
    except (TypeError, ValueError):
        ratio = math.nan
    if not 0 <= ratio < math.inf:
        raise BadInterval(f"test rows / training rows must be a number of at least 0, not {test_train_ratio!r}")
    return scores, ratio
