"""The central limit interval of cross-validation, and its relatives that take all rows as independent."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.errors import BadInterval, nearest
from foldwise.stats.checks import (
    Number,
    checked_level,
    checked_losses,
    fold_codes,
    fold_sums,
    normal_quantile,
    plain,
)

VARIANCES = ("all-pairs", "within-fold")


class CvClt(NamedTuple):
    """The mean out-of-fold loss with its interval, for the average risk of the K models fitted."""

    value: Number
    low: Number
    high: Number
    se: Number
    variance: Number
    folds: int


def cv_clt(losses: Any, folds: Any, *, variance: str = "all-pairs", level: float = 0.95) -> CvClt:
    """Mean of the out-of-fold losses[..., row] -+ z sqrt(variance / n) (Bayle, Bayle, Janson and Mackey, 2020).

    All-pairs is the variance of all losses with divisor n; within-fold the average over folds, weighted by their
    rows, of the unbiased variance inside each. It takes a stable learner, and covers the average risk of these K
    models, not the learner's.

    >>> found = cv_clt([0.0, 1.0, 0.0, 1.0], [0, 0, 1, 1])
    >>> found.value, found.se
    (0.5, 0.25)
    """
    losses = checked_losses(losses, method="the cross-validation interval")
    codes, count = fold_codes(folds, rows=losses.shape[-1])
    if count < 2:
        raise BadInterval("the cross-validation interval needs at least 2 folds, not 1", "Use holdout_t for one")
    if variance not in VARIANCES:
        raise BadInterval(f"there is no variance {variance!r}", nearest(variance, VARIANCES))
    level, value = checked_level(level), losses.mean(-1)
    spread = _within_fold(losses, codes, count) if variance == "within-fold" else (losses - losses[..., :1]).var(-1)
    se = np.sqrt(spread / losses.shape[-1])
    reach = normal_quantile(level) * se
    return CvClt._make((*map(plain, (value, value - reach, value + reach, se, spread)), count))


def _within_fold(losses: FloatArray, codes: IntArray, folds: int) -> FloatArray:
    rows = np.bincount(codes, minlength=folds)
    if rows.min() < 2:
        raise BadInterval(
            f"fold {int(rows.argmin())} has 1 row, which has no variance within it", "Use variance='all-pairs'"
        )
    # from the first loss of its fold, so that equal losses have no spread whatever rounding makes of their mean
    losses = losses - losses[..., np.unique(codes, return_index=True)[1][codes]]
    means = fold_sums(losses, codes, folds) / rows
    squares = fold_sums((losses - means[..., codes]) ** 2, codes, folds)
    return np.asarray((squares / (rows - 1)) @ rows / losses.shape[-1])
