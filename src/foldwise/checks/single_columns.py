"""How well one column alone gives the target, each row judged by the other rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.checks.subject import Subject
from foldwise.data.equal_rows import in_deviations
from foldwise.data.features import Feature

MOST_ROWS = 10_000  # drawn of a larger table
FEW = 30  # values of a column that are taken one by one
LEAST_SHARING = 4  # rows that share a value, on average, where many values are taken one by one too
AROUND = 3  # rows on each side in the order of a number


def some_of(rows: IntArray) -> IntArray:
    """All of a few rows, and some of many, in their order."""
    if len(rows) <= MOST_ROWS:
        return rows
    return np.asarray(rows[np.sort(np.random.default_rng(0).choice(len(rows), MOST_ROWS, replace=False))])


@dataclass(frozen=True, eq=False)
class Alone:
    """How well single columns give the target in these rows; what is known of the target is worked out once."""

    subject: Subject
    rows: IntArray

    def share(self, column: Feature) -> float:
        """The share that it takes away of the target's variance, or of the errors of always saying the commonest class.

        1 is everything and 0 nothing. Each row is judged by the mean or vote of rows with the same or the next values;
        of a number, a straight line and ranks are tried too. A number that most rows have is also judged by those
        alone, and text such as "12 EUR" by its numbers too.
        """
        share, missing = self._share(column), column.missing[self.rows]
        if column.is_number and 0 < missing.sum() <= len(missing) / 2:
            share = max(share, Alone(self.subject, self.rows[~missing])._share(column))
        if column.in_numbers is not None:
            share = max(share, self.share(column.in_numbers))
        return share

    def _share(self, column: Feature) -> float:
        target, values = self._target, column.values[self.rows]
        if target is None:
            return 0.0
        if column.is_number and np.isnan(values).any():
            values = np.where(np.isnan(values), np.nanmin(values) - 1 if not np.isnan(values).all() else 0.0, values)
        guesses, order = [], _in_order(values) if column.is_number and column.distinct > 1 else None
        if order is not None and column.distinct > FEW:
            guesses.append(_by_order(order, self._outcomes))
            guesses += [] if self.subject.is_regression else [_by_nearest(values, order, self._outcomes)]
        if not column.is_number or column.distinct <= max(FEW, len(self.rows) / LEAST_SHARING):
            guesses.append(_by_value(values, self._outcomes))
        if not self.subject.is_regression:
            most, every = self._outcomes.sum(axis=0).max(), np.arange(len(target))
            right = max(self._outcomes[every, guess.argmax(axis=1)].sum() for guess in guesses)
            return float((right - most) / (len(target) - most)) if most < len(target) else 0.0
        share = 1 - min(float(((target - guess[:, 0]) ** 2).mean()) for guess in guesses)
        if order is None:
            return share
        on_line = _squared_correlation(in_deviations(values), target)
        return max(share, on_line, _squared_correlation(_ranks(values, order), self._target_ranks))

    @cached_property
    def _target(self) -> FloatArray | None:
        """The targets of the rows: numbers in standard deviations, None where they are all the same, or codes."""
        target = self.subject.target[self.rows]
        return in_deviations(target) if self.subject.is_regression else target

    @cached_property
    def _outcomes(self) -> FloatArray:
        """Targets in one column, or 0 and 1 in one for each class."""
        target = np.zeros(len(self.rows)) if self._target is None else self._target
        if self.subject.is_regression:
            return target[:, None]
        codes = np.unique(target, return_inverse=True)[1]
        return np.eye(int(codes.max()) + 1)[codes]

    @cached_property
    def _target_ranks(self) -> FloatArray | None:
        target = self.subject.target[self.rows]
        return _ranks(target, _in_order(target))


def _squared_correlation(one: FloatArray | None, other: FloatArray | None) -> float:
    """Of two columns in standard deviations."""
    return 0.0 if one is None or other is None else float(one @ other / len(one)) ** 2


def _by_value(values: FloatArray, outcomes: FloatArray) -> FloatArray:
    """The mean outcome of other rows with the same value; of all rows where there is no other."""
    codes = np.unique(values, return_inverse=True)[1]
    sums = np.stack([np.bincount(codes, column) for column in outcomes.T], axis=1)
    others = np.bincount(codes)[codes, None] - 1
    return np.where(others > 0, (sums[codes] - outcomes) / np.maximum(others, 1), outcomes.mean(axis=0))


def _by_order(order: IntArray, outcomes: FloatArray) -> FloatArray:
    """The mean outcome of the rows next in order."""
    ordered = outcomes[order]
    sums = np.concatenate((np.zeros((1, outcomes.shape[1])), np.cumsum(ordered, axis=0)))
    places = np.arange(len(order))
    low, high = np.maximum(places - AROUND, 0), np.minimum(places + AROUND + 1, len(order))
    means = np.empty_like(outcomes)
    means[order] = (sums[high] - sums[low] - ordered) / (high - low - 1)[:, None]
    return means


def _by_nearest(values: FloatArray, order: IntArray, outcomes: FloatArray) -> FloatArray:
    """The outcome of the row with the nearest value, so that classes with gaps between them are told to the edge."""
    gaps = np.r_[np.inf, np.diff(values[order]), np.inf]
    step = np.where(gaps[1:] < gaps[:-1], 1, -1)
    nearest = np.empty_like(outcomes)
    nearest[order] = outcomes[order[np.arange(len(order)) + step]]
    return nearest


def _in_order(values: FloatArray) -> IntArray:
    """Rows with one value may stand in any order: mixed, so that the file's own order says nothing."""
    order = np.argsort(values)
    if not (np.diff(values[order]) == 0).any():
        return order
    mixed = _mixed(len(values))
    return np.asarray(mixed[np.argsort(values[mixed], kind="stable")])


@lru_cache(maxsize=8)
def _mixed(rows: int) -> IntArray:
    return np.random.default_rng(0).permutation(rows)


def _ranks(values: FloatArray, order: IntArray) -> FloatArray | None:
    """Ranks in standard deviations, rows of one value with their mean rank; None where all have one value."""
    ordered = values[order]
    places = (np.searchsorted(ordered, ordered) + np.searchsorted(ordered, ordered, "right") - 1) / 2
    scaled = in_deviations(places)
    if scaled is None:
        return None
    ranks = np.empty_like(scaled)
    ranks[order] = scaled
    return ranks
