"""How well one column alone gives the target, each row judged by the other rows."""

from __future__ import annotations

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.equal_rows import in_deviations
from foldwise.data.features import Feature
from foldwise.guards.subject import Subject

MOST_ROWS = 10_000  # drawn of a larger table
FEW = 30  # values of a column that are taken one by one
LEAST_SHARING = 4  # rows that share a value, on average, where many values are taken one by one too
AROUND = 3  # rows on each side in the order of a number


def some_rows(rows: int) -> IntArray:
    """All rows of a small table, and some of a large one, in their order."""
    if rows <= MOST_ROWS:
        return np.arange(rows)
    return np.sort(np.random.default_rng(0).choice(rows, MOST_ROWS, replace=False))


def alone(subject: Subject, feature: Feature, rows: IntArray) -> float:
    """The share of the target's variance, or of the errors of always saying the commonest class, that it takes away.

    1 is everything and 0 nothing. Each row is judged by the mean or vote of rows with the same or the next values;
    of a number, a straight line and ranks are tried too. A number that most rows have is also judged by those alone,
    and text such as "12 EUR" by its numbers too.
    """
    found = _alone(subject, feature, rows)
    is_known = ~feature.missing[rows]
    if feature.is_number and len(rows) / 2 <= is_known.sum() < len(rows):
        found = max(found, _alone(subject, feature, rows[is_known]))
    if feature.in_numbers is not None:
        found = max(found, alone(subject, feature.in_numbers, rows))
    return found


def _alone(subject: Subject, feature: Feature, rows: IntArray) -> float:
    target, values = subject.target[rows], feature.values[rows]
    if subject.is_regression:
        scaled = in_deviations(target)
        if scaled is None:
            return 0.0
        target = scaled
    outcomes = target[:, None] if subject.is_regression else _indicators(target)
    if feature.is_number:
        values = np.where(np.isnan(values), np.nanmin(values) - 1 if not np.isnan(values).all() else 0.0, values)
    guesses = []
    if feature.is_number and feature.distinct > FEW:
        guesses.append(_by_order(values, outcomes))
        guesses += [] if subject.is_regression else [_by_nearest(values, outcomes)]
    if not feature.is_number or feature.distinct <= max(FEW, len(rows) / LEAST_SHARING):
        guesses.append(_by_value(values, outcomes))
    if not subject.is_regression:
        most = outcomes.sum(axis=0).max()
        right = max(outcomes[np.arange(len(rows)), one.argmax(axis=1)].sum() for one in guesses)
        return float((right - most) / (len(rows) - most)) if most < len(rows) else 0.0
    found = 1 - min(float(((target - one[:, 0]) ** 2).mean()) for one in guesses)
    return max(found, *_straight(values, target)) if feature.is_number and feature.distinct > 1 else found


def _indicators(target: FloatArray) -> FloatArray:
    codes = np.unique(target, return_inverse=True)[1]
    return np.eye(int(codes.max()) + 1)[codes]


def _by_value(values: FloatArray, outcomes: FloatArray) -> FloatArray:
    """The mean outcome of other rows with the same value; of all rows where there is no other."""
    codes = np.unique(values, return_inverse=True)[1]
    sums = np.stack([np.bincount(codes, column) for column in outcomes.T], axis=1)
    others = np.bincount(codes)[codes, None] - 1
    return np.where(others > 0, (sums[codes] - outcomes) / np.maximum(others, 1), outcomes.mean(axis=0))


def _by_order(values: FloatArray, outcomes: FloatArray) -> FloatArray:
    """The mean outcome of the rows next in order."""
    order = _in_order(values)
    sums = np.cumsum(np.vstack([np.zeros(outcomes.shape[1]), outcomes[order]]), axis=0)
    at = np.arange(len(values))
    low, high = np.maximum(at - AROUND, 0), np.minimum(at + AROUND + 1, len(values))
    found = np.empty_like(outcomes)
    found[order] = (sums[high] - sums[low] - outcomes[order]) / (high - low - 1)[:, None]
    return found


def _by_nearest(values: FloatArray, outcomes: FloatArray) -> FloatArray:
    """The outcome of the row with the nearest value, so that classes with gaps between them are told to the edge."""
    order = _in_order(values)
    gaps = np.r_[np.inf, np.diff(values[order]), np.inf]
    beside = np.where(gaps[1:] < gaps[:-1], 1, -1)
    found = np.empty_like(outcomes)
    found[order] = outcomes[order[np.arange(len(order)) + beside]]
    return found


def _in_order(values: FloatArray) -> IntArray:
    """Rows with one value may stand in any order: mixed, so that the file's own order says nothing."""
    shuffled = np.random.default_rng(0).permutation(len(values))
    return np.asarray(shuffled[np.argsort(values[shuffled], kind="stable")])


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
