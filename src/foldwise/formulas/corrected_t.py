"""The t statistic of scores from splits that share training rows."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval
from foldwise.formulas.checks import as_numbers, checked_level


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
    scores = _checked(scores, test_train_ratio, level)
    df = scores.size - 1
    # equal scores have no spread, whatever rounding makes of their mean
    if np.ptp(scores) == 0:
        return _from_se(float(scores[0]), 0.0, df, level)
    variance = float(scores.var(ddof=1)) * (1 / scores.size + test_train_ratio)
    return _from_se(float(scores.mean()), math.sqrt(variance), df, level)


def corrected_t_of_runs(runs: Any, *, test_train_ratio: float, level: float = 0.95) -> CorrectedT:
    """The corrected t of repeated runs, scores[run, split], never narrower than a single run's on average.

    More repeats lower the noise of the splits, but bring no new rows: where the statistic over all scores is the
    narrower one, the mean standard error of the runs takes its place, and p is the larger of the two.
    """
    runs = np.atleast_2d(as_numbers(runs, what="scores"))
    if runs.ndim != 2:
        raise BadInterval(f"scores must be an array of runs x splits, not one of shape {runs.shape}")
    together = corrected_t(runs.ravel(), test_train_ratio=test_train_ratio, level=level)
    if len(runs) == 1:
        return together
    singles = [corrected_t(run, test_train_ratio=test_train_ratio, level=level) for run in runs]
    single = _from_se(together.value, float(np.mean([run.se for run in singles])), singles[0].df, level)
    wider = max(together, single, key=lambda found: found.high - found.low)
    return wider._replace(p=max(together.p, single.p))


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


def _checked(given: Any, test_train_ratio: float, level: float) -> FloatArray:
    scores = as_numbers(given, what="scores")
    if scores.ndim != 1 or scores.size < 2:
        raise BadInterval(f"the corrected t needs the scores of at least 2 splits, not {scores.size}", "Use more folds")
    if not np.isfinite(scores).all():
        place = int(np.flatnonzero(~np.isfinite(scores))[0])
        raise BadInterval(f"the corrected t needs finite scores, and split {place} has {scores[place]}")
    checked_level(level)
    if not 0 <= test_train_ratio < math.inf:
        raise BadInterval(f"test rows / training rows must be a number of at least 0, not {test_train_ratio!r}")
    return scores
