"""The interval of Bates, Hastie and Tibshirani: the error of cross-validation, estimated from pairs of folds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.errors import BadInterval
from foldwise.stats.array_checks import Number, as_numbers, checked_level, fold_codes, normal_quantile, plain
from foldwise.stats.interval_method import Ends, ends_around


class Terms(NamedTuple):
    """a[..., repetition, fold] = (inner mean - outer mean)^2, and b, the variance of the outer mean."""

    a: FloatArray
    b: FloatArray
    err_cv: Number
    err_ncv: Number
    sd_inner: Number
    rows: int


def bates(
    outer_losses: Any, pair_losses: Any, folds: Any, level: float = 0.95, *, bias: bool = False, bias_power: float = 1.0
) -> Ends:
    """The Bates interval: its standard error estimates how far cross-validation errs, from pairs of folds.

    With n rows in K folds: `outer_losses[row]` is the loss of a row under the model trained without its fold,
    `pair_losses[row, j]` under the model trained without its fold and without the j-th smallest label of `folds`;
    the entry of its own fold is not looked at, and may be NaN (the transpose [j, row] is taken too). Repetitions over
    other partitions come first: [repetition, row], [repetition, row, j] and folds[repetition, row]. For an untuned
    learner this takes K (K + 1) / 2 fits per repetition. Losses may have leading axes before these.

    With a = (inner mean - outer mean)^2 of each fold and b the variance of the outer mean, the mean of a - b is
    rescaled by (K - 1) / K, and its root clipped to 1 .. sqrt(K) times the standard error of independent losses
    (Bates, Hastie and Tibshirani, 2024): `details["inflation"]` is this multiple. Assumed are independent rows. The
    value is the CV risk at n (1 - 1/K) training rows, or with `bias` corrected to n, which is refused where that is
    unstable.

    `outer_losses`: [row] or [repetition, row].
    `pair_losses`: [row, fold] or [repetition, row, fold].
    `folds`: the fold of each row.
    `level`: the coverage that the interval is made for.
    `bias`: correct the risk to all rows.
    `bias_power`: in the correction; 1 as in the paper, or 1.5 as in its authors' program.

    >>> outer, folds = [0.2, 0.4, 0.1, 0.3, 0.5, 0.2], [0, 0, 1, 1, 2, 2]
    >>> pair = [[0.3, 0.2, 0.25], [0.4, 0.5, 0.3], [0.1, 0.2, 0.2], [0.3, 0.3, 0.4], [0.5, 0.4, 0.6], [0.2, 0.3, 0.2]]
    >>> found = bates(outer, pair, folds)
    >>> round(found.value, 3), round(found.details["inflation"], 2)
    (0.283, 1.0)
    """
    outer, pairs, codes, count = _checked(outer_losses, pair_losses, folds)
    z = normal_quantile(checked_level(level))
    terms = bates_terms(outer, pairs, codes, count)
    mse = _mean(terms.a - terms.b, axes=2)
    unclipped = np.sqrt(np.maximum(0.0, mse * (count - 1) / count))
    floor = terms.sd_inner / np.sqrt(terms.rows)
    se = np.clip(unclipped, floor, np.sqrt(count) * floor)
    is_stable = plain(np.abs(terms.err_ncv - terms.err_cv) <= floor)
    correction, value = None, terms.err_cv
    if bias:
        correction = (1 + ((count - 2) / count) ** bias_power) * (terms.err_ncv - terms.err_cv)
        value = _corrected(terms, correction, outer, is_stable)
    details = {
        "se": plain(se),
        "inflation": plain(np.divide(se, floor, out=np.ones_like(se), where=floor > 0)),
        "err_cv": terms.err_cv,
        "err_ncv": terms.err_ncv,
        "mse": plain(mse),
        "se_unclipped": plain(unclipped),
        "se_floor": plain(floor),
        "se_cap": plain(np.sqrt(count) * floor),
        "bias": correction,
        "is_stable": is_stable,
        "rows": terms.rows,
        "folds": count,
        "repeats": outer.shape[-2],
        "train_rows": float(terms.rows if bias else terms.rows * (1 - 1 / count)),
    }
    unstable = "leaving out one fold more changes the risk by more than its standard error: the interval may be short"
    notes = [] if np.all(is_stable) else [("unstable", unstable)]
    return ends_around(value, z * se)._replace(details=details, notes=notes)


def bates_terms(outer: FloatArray, pairs: FloatArray, codes: IntArray, count: int) -> Terms:
    """From outer[..., repetition, row], pairs[..., repetition, row, fold] and codes[repetition, row] of the folds."""
    # from the first loss, so that equal losses have no spread whatever rounding makes of their mean
    first = outer[..., 0, 0]
    outer, pairs = outer - first[..., None, None], pairs - first[..., None, None, None]
    is_own = codes[:, :, None] == np.arange(count)
    rows = is_own.sum(axis=1)
    inner = np.where(is_own, 0.0, pairs)
    inner_mean = inner.sum(axis=-2) / (codes.shape[1] - rows)
    outer_mean = np.einsum("...rn,rnk->...rk", outer, is_own) / rows
    deviations = outer - outer_mean[..., np.arange(len(codes))[:, None], codes]
    variance = np.einsum("...rn,rnk->...rk", deviations**2, is_own) / (rows - 1)
    pooled = pairs[..., ~is_own]
    return Terms(
        a=(inner_mean - outer_mean) ** 2,
        b=variance / rows,
        err_cv=plain(first + _mean(outer, axes=2)),
        err_ncv=plain(first + pooled.mean(-1)),
        sd_inner=plain(pooled.std(-1, ddof=1)),
        rows=codes.shape[1],
    )


def _mean(numbers: FloatArray, *, axes: int) -> FloatArray:
    """The mean over the last axes, summed as one."""
    return np.asarray(numbers.reshape(*numbers.shape[:-axes], -1).mean(-1))


def _corrected(terms: Terms, bias: Number, outer: FloatArray, is_stable: Any) -> Number:
    value = terms.err_ncv - bias
    is_within = (outer.min((-2, -1)) <= value) & (value <= outer.max((-2, -1)))
    is_wrong = np.atleast_1d(~(is_stable & is_within))
    if is_wrong.any():
        first = int(np.flatnonzero(is_wrong)[0])
        before, after = (np.ravel(risk)[first] for risk in (terms.err_cv, terms.err_ncv))
        raise BadInterval(
            "the bias correction is unstable here: leaving out one fold more moves the risk from "
            f"{before:.4g} to {after:.4g}",
            "Leave the correction off and state the training rows, or use more folds",
        )
    return value


def _checked(outer_losses: Any, pair_losses: Any, folds: Any) -> tuple[FloatArray, FloatArray, IntArray, int]:
    outer = np.atleast_2d(as_numbers(outer_losses, what="outer losses"))
    labels: AnyArray = np.atleast_2d(np.asarray(folds))
    if labels.shape != outer.shape[-2:]:
        raise BadInterval(f"folds must name one fold per outer loss: their shapes are {labels.shape} and {outer.shape}")
    coded = [fold_codes(row, rows=outer.shape[-1]) for row in labels]
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


def _arranged(pairs: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    pairs = pairs[None] if pairs.ndim == 2 else pairs
    if pairs.shape == (*shape[:-2], shape[-1], shape[-2]) and shape[-1] != shape[-2]:
        pairs = pairs.swapaxes(-1, -2)
    if pairs.shape != shape:
        raise BadInterval(
            f"pair losses must have the shape (repetitions, rows, folds) = {shape}, not {pairs.shape}",
            "Give one column per fold: the loss of each row under the model trained without its fold and that one",
        )
    return pairs


def _check_finite(outer: FloatArray, pairs: FloatArray, codes: IntArray) -> None:
    is_own = codes[:, :, None] == np.arange(pairs.shape[-1])
    for name, is_bad in (("outer", ~np.isfinite(outer)), ("pair", (~np.isfinite(pairs) & ~is_own).any(axis=-1))):
        if is_bad.any():
            repetition, row = (int(place[0]) for place in np.nonzero(is_bad)[-2:])
            raise BadInterval(f"the Bates interval needs all {name} losses, and row {row} lacks one in {repetition=}")
