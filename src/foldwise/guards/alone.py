"""How well one column alone gives the target, each row judged by the other rows."""

from __future__ import annotations

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.equal_rows import in_deviations
from foldwise.data.features import Feature
from foldwise.guards.subject import Subject

MOST_ROWS = 10_000  # drawn of a larger table
FEW = 30  # values of a column that are taken one by one
AROUND = 3  # rows on each side in the order of a number


def some_rows(rows: int) -> IntArray:
    """All rows of a small table, and some of a large one, in their order."""
    if rows <= MOST_ROWS:
        return np.arange(rows)
    return np.sort(np.random.default_rng(0).choice(rows, MOST_ROWS, replace=False))


def alone(subject: Subject, feature: Feature, rows: IntArray) -> float:
    """The share of the target's variance, or of the errors of always saying the commonest class, that it takes away.

    1 is everything and 0 nothing. Each row is judged by the mean or vote of rows with the same or the next values;
    of a number, a straight line and ranks are tried too. A number that most rows have is also judged by those alone.
    """
    is_known = ~feature.missing[rows]
    if feature.is_number and len(rows) / 2 <= is_known.sum() < len(rows):
        return max(_alone(subject, feature, rows), _alone(subject, feature, rows[is_known]))
    return _alone(subject, feature, rows)


def _alone(subject: Subject, feature: Feature, rows: IntArray) -> float:
    target, values = subject.target[rows], feature.values[rows]
    if subject.is_regression:
        scaled = in_deviations(target)
        if scaled is None:
            return 0.0
        target = scaled
    if feature.is_number:
        values = np.where(np.isnan(values), np.nanmin(values) - 1 if not np.isnan(values).all() else 0.0, values)
    outcomes = target[:, None] if subject.is_regression else _indicators(target)
    guessed = _guesses(values, outcomes, is_order=feature.is_number)
    if not subject.is_regression:
        right = outcomes[np.arange(len(rows)), guessed.argmax(axis=1)].sum()
        most = outcomes.sum(axis=0).max()
        return float((right - most) / (len(rows) - most)) if most < len(rows) else 0.0
    found = 1 - float(((target - guessed[:, 0]) ** 2).mean())
    return max(found, *_straight(values, target)) if feature.is_number and feature.distinct > 1 else found


def _indicators(target: FloatArray) -> FloatArray:
    codes = np.unique(target, return_inverse=True)[1]
    return np.eye(int(codes.max()) + 1)[codes]


def _guesses(values: FloatArray, outcomes: FloatArray, *, is_order: bool) -> FloatArray:
    """The mean outcome of other rows: those with the same value or, of many numbers, the next in order."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    overall = outcomes.mean(axis=0)
    if not is_order or len(starts) <= FEW:
        codes = np.empty(len(values), dtype=np.int64)
        codes[order] = np.cumsum(np.r_[True, ordered[1:] != ordered[:-1]]) - 1
        sums = np.stack([np.bincount(codes, column) for column in outcomes.T], axis=1)
        counts = np.bincount(codes)
        others = counts[codes, None] - 1
        return np.where(others > 0, (sums[codes] - outcomes) / np.maximum(others, 1), overall)
    # rows with one value may stand in any order: mixed, so that the file's own order says nothing
    shuffled = np.random.default_rng(0).permutation(len(values))
    order = shuffled[np.argsort(values[shuffled], kind="stable")]
    sums = np.cumsum(np.vstack([np.zeros(outcomes.shape[1]), outcomes[order]]), axis=0)
    at = np.arange(len(values))
    low, high = np.maximum(at - AROUND, 0), np.minimum(at + AROUND + 1, len(values))
    found = np.empty_like(outcomes)
    found[order] = (sums[high] - sums[low] - outcomes[order]) / (high - low - 1)[:, None]
    return found


def _straight(values: FloatArray, target: FloatArray) -> tuple[float, float]:
    """The squared correlation, and that of the ranks."""
    from scipy import stats

    line, ranks = (
        0.0 if one is None or other is None else float(one @ other / len(target)) ** 2
        for one, other in (
            (in_deviations(values), target),
            (in_deviations(stats.rankdata(values)), in_deviations(stats.rankdata(target))),
        )
    )
    return line, ranks
