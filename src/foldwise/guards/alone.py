"""How well one column alone gives the target, each row judged by the other rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

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


@dataclass(frozen=True, eq=False)
class Alone:
    """How well single columns give the target in these rows; what is known of the target is worked out once."""

    subject: Subject
    rows: IntArray

    def share(self, feature: Feature) -> float:
        """The share that it takes away of the target's variance, or of the errors of always saying the commonest class.

        1 is everything and 0 nothing. Each row is judged by the mean or vote of rows with the same or the next values;
        of a number, a straight line and ranks are tried too. A number that most rows have is also judged by those
        alone, and text such as "12 EUR" by its numbers too.
        """
        found, missing = self._share(feature), feature.missing[self.rows]
        if feature.is_number and 0 < missing.sum() <= len(missing) / 2:
            found = max(found, Alone(self.subject, self.rows[~missing])._share(feature))
        if feature.in_numbers is not None:
            found = max(found, self.share(feature.in_numbers))
        return found

    def _share(self, feature: Feature) -> float:
        target, values = self._target, feature.values[self.rows]
        if target is None:
            return 0.0
        if feature.is_number and np.isnan(values).any():
            values = np.where(np.isnan(values), np.nanmin(values) - 1 if not np.isnan(values).all() else 0.0, values)
        guesses, order = [], _in_order(values) if feature.is_number and feature.distinct > 1 else None
        if order is not None and feature.distinct > FEW:
            guesses.append(_by_order(order, self._outcomes))
            guesses += [] if self.subject.is_regression else [_by_nearest(values, order, self._outcomes)]
        if not feature.is_number or feature.distinct <= max(FEW, len(self.rows) / LEAST_SHARING):
            guesses.append(_by_value(values, self._outcomes))
        if not self.subject.is_regression:
            most, every = self._outcomes.sum(axis=0).max(), np.arange(len(target))
            right = max(self._outcomes[every, one.argmax(axis=1)].sum() for one in guesses)
            return float((right - most) / (len(target) - most)) if most < len(target) else 0.0
        found = 1 - min(float(((target - one[:, 0]) ** 2).mean()) for one in guesses)
        if order is None:
            return found
        on_line, by_ranks = _alike(in_deviations(values), target), _alike(_ranks(values, order), self._target_ranks)
        return max(found, on_line, by_ranks)

    @cached_property
    def _target(self) -> FloatArray | None:
        """The targets of the rows: numbers in standard deviations, None where they are all the same, or codes."""
        target = self.subject.target[self.rows]
        return in_deviations(target) if self.subject.is_regression else target

    @cached_property
    def _outcomes(self) -> FloatArray:
        """Targets in one column, or 0 and 1 in one for each class."""
        target = np.zeros(len(self.rows)) if self._target is None else self._target
        return target[:, None] if self.subject.is_regression else _indicators(target)

    @cached_property
    def _target_ranks(self) -> FloatArray | None:
        target = self.subject.target[self.rows]
        return _ranks(target, _in_order(target))


def _alike(one: FloatArray | None, other: FloatArray | None) -> float:
    """The squared correlation of two columns in standard deviations."""
    return 0.0 if one is None or other is None else float(one @ other / len(one)) ** 2


def _indicators(target: FloatArray) -> FloatArray:
    codes = np.unique(target, return_inverse=True)[1]
    return np.eye(int(codes.max()) + 1)[codes]


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
    low, high = _around(len(order))
    found = np.empty_like(outcomes)
    found[order] = (sums[high] - sums[low] - ordered) / (high - low - 1)[:, None]
    return found


@lru_cache(maxsize=8)
def _around(rows: int) -> tuple[IntArray, IntArray]:
    """The first place of those around each place, and the first after them."""
    at = np.arange(rows)
    return np.maximum(at - AROUND, 0), np.minimum(at + AROUND + 1, rows)


def _by_nearest(values: FloatArray, order: IntArray, outcomes: FloatArray) -> FloatArray:
    """The outcome of the row with the nearest value, so that classes with gaps between them are told to the edge."""
    gaps = np.r_[np.inf, np.diff(values[order]), np.inf]
    beside = np.where(gaps[1:] < gaps[:-1], 1, -1)
    found = np.empty_like(outcomes)
    found[order] = outcomes[order[np.arange(len(order)) + beside]]
    return found


def _in_order(values: FloatArray) -> IntArray:
    """Rows with one value may stand in any order: mixed, so that the file's own order says nothing."""
    order = np.argsort(values)
    if _are_apart(values[order]):
        return order
    mixed = _mixed(len(values))
    return np.asarray(mixed[np.argsort(values[mixed], kind="stable")])


@lru_cache(maxsize=8)
def _mixed(rows: int) -> IntArray:
    return np.random.default_rng(0).permutation(rows)


def _are_apart(ordered: FloatArray) -> bool:
    return not (ordered[1:] == ordered[:-1]).any()


def _ranks(values: FloatArray, order: IntArray) -> FloatArray | None:
    """Ranks in standard deviations, rows of one value with their mean rank; None where all have one value."""
    places, ordered = np.arange(float(len(order))), values[order]
    if not _are_apart(ordered):
        starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        ends = np.r_[starts[1:], len(order)]
        places = np.repeat((starts + ends - 1) / 2, ends - starts)
    scaled = in_deviations(places)
    if scaled is None:
        return None
    found = np.empty_like(scaled)
    found[order] = scaled
    return found
