"""The interval of Bates, Hastie and Tibshirani: the error of cross-validation, estimated from pairs of folds."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.errors import BadInterval
from foldwise.stats.array_checks import as_numbers, checked_level, fold_codes, normal_quantile
from foldwise.stats.interval_method import Ends


class Terms(NamedTuple):
    """a[repetition, fold] = (inner mean - outer mean)^2, and b, the variance of the outer mean."""

    a: FloatArray
    b: FloatArray
    err_cv: float
    err_ncv: float
    sd_inner: float


def bates(
    outer_losses: Any, pair_losses: Any, folds: Any, level: float = 0.95, *, bias: bool = False, bias_power: float = 1.0
) -> Ends:
    """The Bates interval: its standard error estimates how far cross-validation errs, from pairs of folds.

    With n rows in K folds: `outer_losses[row]` is the loss of a row under the model trained without its fold,
    `pair_losses[row, j]` under the model trained without its fold and without the j-th smallest label of `folds`;
    the entry of its own fold is not looked at, and may be NaN. Repetitions over other partitions come first:
    [repetition, row], [repetition, row, j] and folds[repetition, row]. For an untuned learner this takes K (K + 1) / 2
    fits per repetition.

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
    z, rows = normal_quantile(checked_level(level)), outer.shape[1]
    terms = bates_terms(outer, pairs, codes, count)
    mse = float((terms.a - terms.b).mean())
    unclipped, floor = math.sqrt(max(0.0, mse * (count - 1) / count)), terms.sd_inner / math.sqrt(rows)
    cap = math.sqrt(count) * floor
    se = min(max(unclipped, floor), cap)
    is_stable = abs(terms.err_ncv - terms.err_cv) <= floor
    correction, value = None, terms.err_cv
    if bias:
        correction = (1 + ((count - 2) / count) ** bias_power) * (terms.err_ncv - terms.err_cv)
        value = terms.err_ncv - correction
        if not is_stable or not outer.min() <= value <= outer.max():
            raise BadInterval(
                "the bias correction is unstable here: leaving out one fold more moves the risk from "
                f"{terms.err_cv:.4g} to {terms.err_ncv:.4g}",
                "Leave the correction off and state the training rows, or use more folds",
            )
    details = {
        "se": se,
        "inflation": se / floor if floor > 0 else 1.0,
        "err_cv": terms.err_cv,
        "err_ncv": terms.err_ncv,
        "mse": mse,
        "se_unclipped": unclipped,
        "se_floor": floor,
        "se_cap": cap,
        "bias": correction,
        "is_stable": is_stable,
        "rows": rows,
        "folds": count,
        "repeats": len(outer),
        "train_rows": float(rows if bias else rows * (1 - 1 / count)),
    }
    unstable = "leaving out one fold more changes the risk by more than its standard error: the interval may be short"
    return Ends(value - z * se, value + z * se, value, details, [] if is_stable else [("unstable", unstable)])


def bates_terms(outer: FloatArray, pairs: FloatArray, codes: IntArray, count: int) -> Terms:
    """From outer[repetition, row], pairs[repetition, row, fold] and codes[repetition, row] of the folds."""
    # from the first loss, so that equal losses have no spread whatever rounding makes of their mean
    first = float(outer[0, 0])
    outer, pairs = outer - first, pairs - first
    is_own = codes[:, :, None] == np.arange(count)
    rows = is_own.sum(axis=1)
    inner_mean = np.where(is_own, 0.0, pairs).sum(axis=1) / (outer.shape[1] - rows)
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
    )


def _checked(outer_losses: Any, pair_losses: Any, folds: Any) -> tuple[FloatArray, FloatArray, IntArray, int]:
    outer = np.atleast_2d(as_numbers(outer_losses, what="outer losses"))
    labels: AnyArray = np.atleast_2d(np.asarray(folds))
    if labels.shape != outer.shape:
        raise BadInterval(f"folds must name one fold per outer loss: their shapes are {labels.shape} and {outer.shape}")
    coded = [fold_codes(run, rows=outer.shape[1]) for run in labels]
    codes, counts = np.stack([run for run, _ in coded]), {count for _, count in coded}
    if len(counts) > 1:
        raise BadInterval(f"repetitions must have the same number of folds, and some have {min(counts)}")
    count = counts.pop()
    if count < 3:
        raise BadInterval(f"the Bates interval needs at least 3 folds, not {count}", "Use 5 or more")
    if min(int(np.bincount(run).min()) for run in codes) < 2:
        raise BadInterval("the Bates interval needs at least 2 rows in every fold, and one has 1", "Use fewer folds")
    pairs = as_numbers(pair_losses, what="pair losses")
    pairs = pairs[None] if pairs.ndim == 2 else pairs
    if pairs.shape != (*outer.shape, count):
        raise BadInterval(
            f"pair losses must have the shape (repetitions, rows, folds) = {(*outer.shape, count)}, not {pairs.shape}",
            "Give one column per fold: the loss of each row under the model trained without its fold and that one",
        )
    is_own = codes[:, :, None] == np.arange(count)
    for name, is_bad in (("outer", ~np.isfinite(outer)), ("pair", (~np.isfinite(pairs) & ~is_own).any(axis=-1))):
        if is_bad.any():
            repetition, row = (int(places[0]) for places in np.nonzero(is_bad))
            raise BadInterval(f"the Bates interval needs all {name} losses, and row {row} lacks one in {repetition=}")
    return outer, pairs, codes, count
