"""The t statistic of scores from splits that share training rows."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval
from foldwise.formulas.checks import as_numbers, checked_level

ROUNDING = 1e-12  # spread below this share of the numbers' size is what arithmetic leaves of none


class CorrectedT(NamedTuple):
    """A mean with its interval, and the test of a mean of 0 (two-sided)."""

    value: float
    low: float
    high: float
    se: float
    t: float
    df: int
    p: float


def corrected_t(scores: Any, *, test_train_ratio: float, level: float = 0.95) -> CorrectedT:
    """Mean and interval of the scores of J splits, with se^2 = (1/J + test rows / training rows) s^2.

    Shared training rows make the scores move together, so that the plain t interval is too short (Nadeau and
    Bengio, 2003). The correction is a guess at that correlation, not a theorem.

    >>> found = corrected_t([0.20, 0.30, 0.25, 0.35], test_train_ratio=1 / 3)
    >>> round(found.low, 3), round(found.high, 3)
    (0.118, 0.432)
    """
    scores, ratio = _checked(scores, test_train_ratio, level)
    df = scores.size - 1
    if has_no_spread(scores):
        return _from_se(mean_within(scores), 0.0, df, level)
    variance = float(scores.var(ddof=1)) * (1 / scores.size + ratio)
    return _from_se(float(scores.mean()), math.sqrt(variance), df, level)


def corrected_t_of_runs(runs: Any, *, test_train_ratio: float, level: float = 0.95) -> CorrectedT:
    """The corrected t of repeated runs, scores[run, split], never narrower than that of any single run.

    More repeats lower the noise of the splits, but bring no new rows: where the statistic over all scores is the
    narrower one, the largest standard error of a run takes its place, and p is the larger of the two.
    """
    runs = np.atleast_2d(as_numbers(runs, what="scores"))
    if runs.ndim != 2:
        raise BadInterval(f"scores must be an array of runs x splits, not one of shape {runs.shape}")
    together = corrected_t(runs.ravel(), test_train_ratio=test_train_ratio, level=level)
    if len(runs) == 1:
        return together
    singles = [corrected_t(run, test_train_ratio=test_train_ratio, level=level) for run in runs]
    single = _from_se(together.value, max(run.se for run in singles), singles[0].df, level)
    wider = max(together, single, key=lambda found: found.high - found.low)
    return wider._replace(p=max(together.p, single.p))


def has_no_spread(numbers: FloatArray, *, size: float = 0.0) -> bool:
    """Whether the numbers are equal but for rounding; `size` is that of what they are differences or means of.

    >>> has_no_spread(np.array([0.1, 0.2, 0.3]) - np.array([0.2, 0.3, 0.4]))
    True
    """
    return bool(np.ptp(numbers) <= ROUNDING * max(size, float(np.abs(numbers).max())))


def mean_within(numbers: FloatArray) -> float:
    """The mean, which rounding does not move past the numbers: that of equal ones is theirs."""
    return float(np.clip(numbers.mean(), numbers.min(), numbers.max()))


def t_probability_within(value: float, se: float, df: int, *, reach: float) -> float:
    """The probability that a t variable around `value` with scale `se` lies within `reach` of 0."""
    from scipy import stats

    if se == 0:
        return float(abs(value) <= reach)
    return float(stats.t.cdf((reach - value) / se, df) - stats.t.cdf((-reach - value) / se, df))


def _from_se(value: float, se: float, df: int, level: float) -> CorrectedT:
    from scipy import stats

    if se == 0:
        t = 0.0 if value == 0 else math.copysign(math.inf, value)
        return CorrectedT(value, value, value, 0.0, t, df, 1.0 if value == 0 else 0.0)
    t = value / se
    reach = float(stats.t.ppf(0.5 + level / 2, df)) * se
    return CorrectedT(value, value - reach, value + reach, se, t, df, float(2 * stats.t.sf(abs(t), df)))


def _checked(given: Any, test_train_ratio: Any, level: float) -> tuple[FloatArray, float]:
    scores = as_numbers(given, what="scores")
    if scores.ndim != 1 or scores.size < 2:
        raise BadInterval(f"the corrected t needs the scores of at least 2 splits, not {scores.size}", "Use more folds")
    if not np.isfinite(scores).all():
        place = int(np.flatnonzero(~np.isfinite(scores))[0])
        raise BadInterval(f"the corrected t needs finite scores, and split {place} has {scores[place]}")
    checked_level(level)
    try:
        ratio = float(test_train_ratio)
    except (TypeError, ValueError):
        ratio = math.nan
    if not 0 <= ratio < math.inf:
        raise BadInterval(f"test rows / training rows must be a number of at least 0, not {test_train_ratio!r}")
    return scores, ratio
