"""The interval of Bates, Hastie and Tibshirani: the error of cross-validation, estimated from pairs of folds."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.errors import BadInterval
from foldwise.formulas.checks import as_numbers, checked_level, fold_codes, normal_quantile


class Bates(NamedTuple):
    """The interval and what it was made of: standard errors before and after clipping, and the bias if asked for.

    `inflation` is the standard error over that of independent losses: 1 where folds behave independently.
    """

    value: float
    low: float
    high: float
    se: float
    inflation: float
    err_cv: float
    err_ncv: float
    mse: float
    se_unclipped: float
    se_floor: float
    se_cap: float
    bias: float | None
    is_stable: bool
    rows: int
    folds: int
    repeats: int


class Terms(NamedTuple):
    """Per repetition and fold: a = (inner mean - outer mean)^2, b = variance of the outer mean."""

    a: FloatArray
    b: FloatArray
    err_cv: float
    err_ncv: float
    sd_inner: float
    rows: int


def bates(
    outer_losses: Any, pair_losses: Any, folds: Any, *, level: float = 0.95, bias_power: float | None = None
) -> Bates:
    """The CV risk -+ z se, where se^2 estimates the mean squared error of CV (Bates, Hastie and Tibshirani, 2024).

    With n rows in K folds: `outer_losses[row]` is the loss of a row under the model trained without its fold,
    `pair_losses[row, j]` under the model trained without its fold and without the j-th smallest label of `folds`;
    the entry of its own fold is not looked at (the transpose [j, row] is taken too). Repetitions over other
    partitions come first: [repetition, row], [repetition, row, j] and folds[repetition, row].

    The mean of a - b is rescaled by (K - 1) / K, and its root clipped to 1 .. sqrt(K) times the standard error of
    independent losses. The value is the CV risk at n (1 - 1/K) training rows; with `bias_power` (1 in the paper, 1.5
    in its authors' program) it is corrected to n training rows, which is refused where that is unstable.
    """
    outer, pairs, codes, count = _checked(outer_losses, pair_losses, folds)
    z = normal_quantile(checked_level(level))
    terms = bates_terms(outer, pairs, codes, count)
    mse = float((terms.a - terms.b).mean())
    unclipped = math.sqrt(max(0.0, mse * (count - 1) / count))
    floor = terms.sd_inner / math.sqrt(terms.rows)
    cap = math.sqrt(count) * floor
    se = min(max(unclipped, floor), cap)
    is_stable = abs(terms.err_ncv - terms.err_cv) <= floor
    bias, value = None, terms.err_cv
    if bias_power is not None:
        bias = (1 + ((count - 2) / count) ** bias_power) * (terms.err_ncv - terms.err_cv)
        value = _corrected(terms, bias, outer, is_stable)
    inflation = se / floor if floor > 0 else 1.0
    return Bates(
        value,
        value - z * se,
        value + z * se,
        se,
        inflation,
        terms.err_cv,
        terms.err_ncv,
        mse,
        unclipped,
        floor,
        cap,
        bias,
        is_stable,
        terms.rows,
        count,
        len(outer),
    )


def bates_terms(outer: FloatArray, pairs: FloatArray, codes: IntArray, count: int) -> Terms:
    """The a and b of every repetition and fold, from outer[repetition, row] and pairs[repetition, row, fold]."""
    # from the first loss, so that equal losses have no spread whatever rounding makes of their mean
    first = float(outer[0, 0])
    outer, pairs = outer - first, pairs - first
    is_own = codes[:, :, None] == np.arange(count)
    rows = is_own.sum(axis=1)
    inner = np.where(is_own, 0.0, pairs)
    inner_mean = inner.sum(axis=1) / (codes.shape[1] - rows)
    outer_mean = np.einsum("rn,rnk->rk", outer, is_own) / rows
    deviations = outer - np.take_along_axis(outer_mean, codes, axis=1)
    variance = np.einsum("rn,rnk->rk", deviations**2, is_own) / (rows - 1)
    pooled = pairs[~is_own]
    return Terms(
        a=(inner_mean - outer_mean) ** 2,
        b=variance / rows,
        err_cv=first + float(outer.mean()),
        err_ncv=first + float(pooled.mean()),
        sd_inner=float(pooled.std(ddof=1)),
        rows=codes.shape[1],
    )


def _corrected(terms: Terms, bias: float, outer: FloatArray, is_stable: bool) -> float:
    value = terms.err_ncv - bias
    if not is_stable or not outer.min() <= value <= outer.max():
        raise BadInterval(
            f"the bias correction is unstable here: leaving out one fold more moves the risk from "
            f"{terms.err_cv:.4g} to {terms.err_ncv:.4g}",
            "Leave the correction off and state the training rows, or use more folds",
        )
    return value


def _checked(outer_losses: Any, pair_losses: Any, folds: Any) -> tuple[FloatArray, FloatArray, IntArray, int]:
    outer = np.atleast_2d(as_numbers(outer_losses, what="outer losses"))
    labels: AnyArray = np.atleast_2d(np.asarray(folds))
    if labels.shape != outer.shape or outer.ndim != 2:
        raise BadInterval(f"folds must name one fold per outer loss: their shapes are {labels.shape} and {outer.shape}")
    coded = [fold_codes(row, rows=outer.shape[1]) for row in labels]
    counts = {count for _, count in coded}
    if len(counts) > 1:
        raise BadInterval(f"repetitions must have the same number of folds, and some have {min(counts)}")
    count = counts.pop()
    codes = np.stack([code for code, _ in coded])
    _check_folds(codes, count)
    pairs = _arranged(as_numbers(pair_losses, what="pair losses"), (*outer.shape, count))
    _check_finite(outer, pairs, codes)
    return outer, pairs, codes, count


def _check_folds(codes: IntArray, count: int) -> None:
    if count < 3:
        raise BadInterval(f"the Bates interval needs at least 3 folds, not {count}", "Use 5 or more")
    smallest = min(int(np.bincount(row).min()) for row in codes)
    if smallest < 2:
        raise BadInterval("the Bates interval needs at least 2 rows in every fold, and one has 1", "Use fewer folds")


def _arranged(pairs: FloatArray, shape: tuple[int, int, int]) -> FloatArray:
    pairs = pairs[None] if pairs.ndim == 2 else pairs
    if pairs.shape == (shape[0], shape[2], shape[1]) and shape[1] != shape[2]:
        pairs = pairs.swapaxes(1, 2)
    if pairs.shape != shape:
        raise BadInterval(
            f"pair losses must have the shape (repetitions, rows, folds) = {shape}, not {pairs.shape}",
            "Give one column per fold: the loss of each row under the model trained without its fold and that one",
        )
    return pairs


def _check_finite(outer: FloatArray, pairs: FloatArray, codes: IntArray) -> None:
    is_own = codes[:, :, None] == np.arange(pairs.shape[2])
    for name, is_bad in (("outer", ~np.isfinite(outer)), ("pair", (~np.isfinite(pairs) & ~is_own).any(axis=2))):
        if is_bad.any():
            repetition, row = (int(place[0]) for place in np.nonzero(is_bad))
            raise BadInterval(f"the Bates interval needs all {name} losses, and row {row} lacks one in {repetition=}")
