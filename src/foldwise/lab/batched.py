"""Intervals of many replications at once: losses[replication, ...] in, low[replication] and high[replication] out.

The formulas are those of `foldwise.intervals`, written along a replication axis; tests hold the two together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.arrays import FloatArray, IntArray

Ends = tuple[FloatArray, FloatArray]


def fold_means(losses: FloatArray, folds: IntArray) -> FloatArray:
    """mean[replication, fold] of losses[replication, row]."""
    counts = np.bincount(folds)
    member = (folds[:, None] == np.arange(len(counts))) / counts
    return np.asarray(losses @ member)


def corrected_t(scores: FloatArray, test_train_ratio: float, level: float) -> Ends:
    """Nadeau and Bengio's interval over scores[replication, split]; ratio 0 gives the plain t over splits."""
    splits = scores.shape[-1]
    se = scores.std(-1, ddof=1) * np.sqrt(1 / splits + test_train_ratio)
    return _around(scores.mean(-1), se * _t(level, splits - 1))


def mean_t(losses: FloatArray, level: float) -> Ends:
    """Student's t for the mean of test losses."""
    return corrected_t(losses, 0.0, level)


def mean_z(losses: FloatArray, level: float) -> Ends:
    """The naive interval: all out-of-fold losses as if they were independent."""
    return _around(losses.mean(-1), _z(level) * losses.std(-1, ddof=1) / np.sqrt(losses.shape[-1]))


def cv_clt(losses: FloatArray, folds: IntArray, level: float, *, within: bool = False) -> Ends:
    """The cross-validation central limit interval (Bayle and others, 2020) around the mean over rows."""
    rows = losses.shape[-1]
    variance = losses.var(-1)
    if within:
        counts = np.bincount(folds)
        away = losses - fold_means(losses, folds)[..., folds]
        inside = fold_means(away**2, folds) * counts / (counts - 1)
        variance = (inside * counts / rows).sum(-1)
    return _around(losses.mean(-1), _z(level) * np.sqrt(variance / rows))


def hoeffding(losses: FloatArray, level: float) -> Ends:
    """Hoeffding's interval for losses in [0, 1]."""
    reach = np.sqrt(np.log(2 / (1 - level)) / (2 * losses.shape[-1]))
    return tuple(np.clip(end, 0, 1) for end in _around(losses.mean(-1), reach))  # type: ignore[return-value]


def empirical_bernstein(losses: FloatArray, level: float) -> Ends:
    """Maurer and Pontil's interval for losses in [0, 1]."""
    rows, cost = losses.shape[-1], np.log(4 / (1 - level))
    reach = np.sqrt(2 * losses.var(-1, ddof=1) * cost / rows) + 7 * cost / (3 * (rows - 1))
    return tuple(np.clip(end, 0, 1) for end in _around(losses.mean(-1), reach))  # type: ignore[return-value]


def clopper_pearson(losses: FloatArray, level: float) -> Ends:
    """The exact binomial interval for 0-1 losses."""
    from scipy.special import betaincinv

    rows, tail = losses.shape[-1], (1 - level) / 2
    failures = losses.sum(-1)
    low = np.where(failures > 0, betaincinv(np.maximum(failures, 1), rows - failures + 1, tail), 0.0)
    high = np.where(failures < rows, betaincinv(failures + 1, np.maximum(rows - failures, 1), 1 - tail), 1.0)
    return low, high


def betting(losses: FloatArray, level: float) -> Ends:
    """The hedged betting interval for losses in [0, 1], one replication after the other."""
    from foldwise.intervals import betting as interval

    found = [interval(row, (0, 1), level) for row in losses]
    return np.array([one.low for one in found], np.float64), np.array([one.high for one in found], np.float64)


def bates(outer: FloatArray, inner: FloatArray, folds: IntArray, level: float, *, correct: bool = False) -> Any:
    """low, high and inflation by Bates, Hastie and Tibshirani's estimate of the error of cross-validation.

    outer[replication, run, row] are out-of-fold losses under folds[run, row]; inner[replication, run, k, row] those of
    the models trained without fold k and the row's own fold, NaN on fold k. With `correct` their bias correction.
    """
    width = int(folds.max()) + 1
    rows = outer.shape[-1]
    excess = [_excess(outer[:, run], inner[:, run], folds[run]) for run in range(len(folds))]
    error = np.concatenate(excess, axis=-1).mean(-1) * (width - 1) / width
    seen = ~np.isnan(inner)
    total = seen.sum((-3, -2, -1))
    value = np.nansum(inner, axis=(-3, -2, -1)) / total
    spread = np.sqrt(np.nansum((inner - value[:, None, None, None]) ** 2, axis=(-3, -2, -1)) / (total - 1))
    floor = spread / np.sqrt(rows)
    se = np.clip(np.sqrt(np.maximum(error, 0)), floor, np.sqrt(width) * floor)
    plain = outer.mean((-2, -1))
    centre = value - (2 - 2 / width) * (value - plain) if correct else plain
    low, high = _around(centre, _z(level) * se)
    return low, high, se / floor


def _excess(outer: FloatArray, inner: FloatArray, folds: IntArray) -> FloatArray:
    """a - b of each fold: the squared gap of inner and outer means, less what the fold's own rows explain."""
    counts = np.bincount(folds)
    means = fold_means(outer, folds)
    away = fold_means((outer - means[..., folds]) ** 2, folds) / (counts - 1)
    return np.asarray((np.nanmean(inner, axis=-1) - means) ** 2 - away)


def conservative_z(full: FloatArray, halves: FloatArray, level: float) -> Ends:
    """Nadeau and Bengio's conservative z: full[replication, split] and halves[replication, repeat, 2] of half means."""
    variance = ((halves[..., 0] - halves[..., 1]) ** 2).sum(-1) / (2 * halves.shape[-2])
    return _around(full.mean(-1), _z(level) * np.sqrt(variance))


def arcsine(value: FloatArray, inflation: FloatArray | float, rows: int, level: float) -> Ends:
    """The interval of an error rate on the arcsine scale, where its spread does not depend on it."""
    at, reach = np.arcsin(np.sqrt(np.clip(value, 0, 1))), _z(level) * inflation / np.sqrt(4 * rows)
    return np.sin(np.maximum(at - reach, 0)) ** 2, np.sin(np.minimum(at + reach, np.pi / 2)) ** 2


def _around(value: FloatArray, reach: Any) -> Ends:
    return value - reach, value + reach


def _t(level: float, df: int) -> float:
    from scipy import stats

    return float(stats.t.ppf(0.5 + level / 2, df))


def _z(level: float) -> float:
    from scipy import stats

    return float(stats.norm.ppf(0.5 + level / 2))
