"""Prediction intervals and sets from models that each left a fold out: CV+ and cross-conformal prediction.

Barber, Candes, Ramdas and Tibshirani (2021), "Predictive inference with the jackknife+"; for classes Vovk (2015) and
Romano, Sesia and Candes (2020); with groups, each of which counts once, Lee, Barber and Willett (2023). Assumed: the
rows (the groups) and the new one are exchangeable. Nothing is assumed of the models.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from foldwise.arrays import BoolArray, FloatArray
from foldwise.errors import BadInterval
from foldwise.stats.array_checks import checked_level

MOST_CELLS = 2**22  # of one block of new rows x rows held out
ROUNDING = 1e-9  # 0.95 * 20 is not quite 19


class HeldOut(NamedTuple):
    """How far off each fold's model was on the rows it had not seen, and how much each row counts.

    `scores[fold][row]` are residuals or other scores, the larger the stranger. `masses[fold][row]` sum to `units`: 1
    for each row or, where groups are the units, 1 / rows of its group.
    """

    scores: Sequence[FloatArray]
    masses: Sequence[FloatArray] | None
    units: int
    unit: str = "row"


def proved_coverage(level: float, unit_counts: Sequence[int]) -> float:
    """The coverage that is proved for folds of so many rows, or groups: 1 - 2 alpha, less a little where folds are few.

    The term that is taken off is that of Theorem 4 of Barber et al. (2021), for folds of equal size. It is 0 where each
    row is a fold (the jackknife+). One fold is one test set (split conformal prediction), where the level itself holds.

    >>> round(proved_coverage(0.9, [10] * 10), 3), round(proved_coverage(0.9, [1] * 100), 3), proved_coverage(0.9, [50])
    (0.718, 0.8, 0.9)
    """
    folds, units = len(unit_counts), sum(unit_counts)
    if folds == 1:
        return level
    by_size, by_folds = 2 * (1 - 1 / folds) / (min(unit_counts) + 1), (1 - folds / units) / (folds + 1)
    is_jackknife = folds == units
    return max(0.0, 1 - 2 * (1 - level) - (0.0 if is_jackknife else min(by_size, by_folds)))


def check_level(level: float, units: int, unit: str = "row") -> float:
    """The level, if it is one that so many rows or groups can have.

    >>> check_level(0.95, 10)
    Traceback (most recent call last):
    foldwise.errors.BadInterval: a level of 0.95 needs at least 19 rows, and there are 10. Use at most 0.909.
    """
    if isinstance(level, bool) or not isinstance(level, int | float | np.number):
        raise BadInterval(f"a level is a number between 0.5 and 1, not {level!r}", "0.9 is usual")
    level = checked_level(level)
    if level <= 0.5:
        raise BadInterval(f"at a level of {level:g} nothing is promised: it must lie above 0.5", "0.9 is usual")
    needed = math.ceil(level / (1 - level) - ROUNDING)
    if units < needed:
        most = math.floor(1000 * units / (units + 1)) / 1000
        problem = f"a level of {level:g} needs at least {needed} {unit}s, and there are {units}"
        raise BadInterval(problem, f"Use at most {most:g}" if most > 0.5 else "Take a larger table")
    return level


def cv_plus(predictions: FloatArray, held: HeldOut, level: float) -> tuple[FloatArray, FloatArray]:
    """The ends of the CV+ intervals of new rows from `predictions[row, fold]`.

    The upper end is the ceil((1 - alpha)(n + 1))-th smallest of prediction + residual, over all n rows held out, each
    with the prediction of the model that had not seen it; the lower end mirrors it.

    >>> held = HeldOut([np.array([1.0, 2.0]), np.array([3.0, 0.0])], None, 4)
    >>> [end.tolist() for end in cv_plus(np.array([[10.0, 12.0]]), held, 0.75)]
    [[8.0], [15.0]]
    """
    level = check_level(level, held.units, held.unit)
    low, high = np.empty(len(predictions)), np.empty(len(predictions))
    counts = [len(scores) for scores in held.scores]
    reach, step = np.concatenate(held.scores), max(1, MOST_CELLS // sum(counts))
    for start in range(0, len(predictions), step):
        block = slice(start, start + step)
        centres = np.repeat(predictions[block], counts, axis=1)
        high[block] = _upper(centres + reach, held, level)
        low[block] = -_upper(reach - centres, held, level)
    return low, high


def _upper(values: FloatArray, held: HeldOut, level: float) -> FloatArray:
    """The smallest value of each row at or below which `level` of the mass lies, one unit of it being at infinity."""
    if held.masses is None:
        rank = math.ceil(level * (held.units + 1) - ROUNDING)
        return np.asarray(np.partition(values, rank - 1, axis=1)[:, rank - 1])
    order = np.argsort(values, axis=1)
    sums = np.cumsum(np.concatenate(held.masses)[order], axis=1)
    place = np.argmax(sums >= level * (held.units + 1) - ROUNDING, axis=1)
    return np.asarray(np.take_along_axis(values, np.take_along_axis(order, place[:, None], axis=1), axis=1)[:, 0])


def cross_conformal(scores: FloatArray, held: HeldOut, level: float) -> BoolArray:
    """Which classes are in the sets of new rows, from `scores[row, fold, class]`: how strange each class would be.

    A class is left out where at least (1 - alpha)(n + 1) of the n rows held out were less strange to the model that
    had not seen them than this class is to the same model. Equal scores speak for the class.

    >>> held = HeldOut([np.array([0.1, 0.2]), np.array([0.3, 0.1])], None, 4)
    >>> cross_conformal(np.array([[[0.2, 0.8], [0.1, 0.9]]]), held, 0.75)
    array([[ True, False]])
    """
    level = check_level(level, held.units, held.unit)
    below = np.zeros((scores.shape[0], scores.shape[2]))
    for fold, fold_scores in enumerate(held.scores):
        order = np.argsort(fold_scores)
        masses = np.ones(len(fold_scores)) if held.masses is None else held.masses[fold][order]
        sums = np.concatenate([[0.0], np.cumsum(masses)])
        below += sums[np.searchsorted(fold_scores[order], scores[:, fold, :], side="left")]
    return np.asarray(below < level * (held.units + 1) - ROUNDING)
