"""What picking the best does to its score, and how to take that back without another fit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.errors import BadInterval
from foldwise.stats.array_checks import (
    checked_count,
    checked_finite,
    checked_level,
    checked_table,
    fold_codes,
    has_no_spread,
    mean_within,
)
from foldwise.stats.interval_method import Ends

BLOCK_BYTES = 12_000_000  # of bootstrap counts in memory at once
MOST_UNITS = 20_000  # that are drawn from: of more rows or groups, bunches are drawn


class Bbc(NamedTuple):
    """The corrected loss of the picked candidate with its percentile interval, and the score it was picked by."""

    value: float
    low: float
    high: float
    selected: int
    selection_score: float
    draws: FloatArray


class Tibshirani(NamedTuple):
    """The corrected loss of the picked candidate, the bias that was added, and the score it was picked by."""

    value: float
    bias: float
    selected: int
    selection_score: float


def bbc(losses: Any, repeats: int = 1000, seed: int = 0, level: float = 0.95, *, groups: Any = None) -> Ends:
    """The loss of the best of several candidates without the luck of the pick, from losses[row, candidate].

    Each time rows (or whole `groups`) are drawn with replacement, the candidate that is best on them is picked (the
    first on ties) and judged on those left out (Tsamardinos, Greasidou and Borboudakis, 2018). `details` has the
    selection score it was picked by. More than 20,000 rows or groups are drawn in bunches put together at random, so
    that the cost of the draws stays that of 20,000; losses of bunches vary as much.

    `losses`: [row, candidate], out of fold.
    `repeats`: how many draws.
    `seed`: names the random draws; the same seed gives the same answer.
    `level`: the coverage that the interval is made for.
    `groups`: the group of each row, if rows hang together.

    >>> found = bbc([[0.0, 1.0], [1.0, 0.0]] * 10)
    >>> found.details["selection_score"] < found.value
    True
    """
    table = checked_table(losses, method="BBC", axes=("row", "candidate"))
    units = units_of(len(table), seed=seed, groups=groups)
    sums = UnitLosses(units.table(table), table.mean(axis=0))
    (corrected,) = bbc_of_units([sums], units, repeats=repeats, seed=seed, level=level)
    details = {
        "selected": corrected.selected,
        "selection_score": corrected.selection_score,
        "optimism": corrected.value - corrected.selection_score,
        "repeats": corrected.draws.size,
        "among": table.shape[1],
    }
    return Ends(corrected.low, corrected.high, corrected.value, details)


def bbc_of_units(
    losses: Sequence[UnitLosses], units: Units, *, repeats: int = 1000, seed: int = 0, level: float = 0.95
) -> list[Bbc]:
    """The BBC of several methods on the same rows; they share the draws, which cost as much as a method does.

    Their losses are those of what is drawn alone: tables of very many rows need not be made.
    """
    level, repeats = checked_level(level), checked_count("repeats", repeats)
    contests = [_contest(method.sums, repeats) for method in losses]
    draws: list[list[FloatArray]] = [[] for _ in losses]
    for counts in _bootstrap_counts(len(units.sizes), repeats, seed):
        picked = [contest.picks(counts) for contest in contests]
        means = _left_out_means(counts == 0, [contest.columns for contest in contests], picked, units.sizes)
        for of_method, block in zip(draws, means, strict=True):
            of_method.append(block)
    return [
        _summary(method.means, np.concatenate(of_method), level)
        for method, of_method in zip(losses, draws, strict=True)
    ]


def tibshirani(fold_losses: Any) -> Tibshirani:
    """The picked candidate's mean loss plus the mean over folds of its loss less the fold's smallest.

    From fold_losses[fold, candidate] (Tibshirani and Tibshirani, 2009). Free, but it corrects too much for small
    folds and unstable learners.

    >>> round(tibshirani([[0.30, 0.25], [0.20, 0.35]]).value, 3)
    0.275
    """
    table = checked_table(fold_losses, method="the Tibshirani correction", axes=("fold", "candidate"))
    means = table.mean(axis=0)
    selected = int(means.argmin())
    bias = float((table[:, selected] - table.min(axis=1)).mean())
    return Tibshirani(float(means[selected]) + bias, bias, selected, float(means[selected]))


class _Contest(NamedTuple):
    """One method's losses as columns[candidate, unit], and which candidates a draw may pick."""

    columns: FloatArray
    best: int
    contenders: IntArray
    rough: AnyArray  # their losses above the best's in float32: twice as fast, and all that most draws need
    tolerance: AnyArray  # of each: what rounding may do to its drawn loss

    def picks(self, counts: AnyArray) -> IntArray:
        """The candidate with the smallest drawn loss, the first on ties; close calls are settled in float64."""
        drawn = counts @ self.rough.T
        is_close = drawn - self.tolerance <= (drawn + self.tolerance).min(axis=1, keepdims=True)
        picked = is_close.argmax(axis=1)
        unsure = np.flatnonzero(is_close.sum(axis=1) > 1)
        if unsure.size:
            close = np.flatnonzero(is_close[unsure].any(axis=0))
            drawn_units, least = counts[unsure].astype(np.float64), self.columns[self.best]
            # one at a time: the gaps of all of them would be another table
            exact = np.stack(
                [drawn_units @ (self.columns[candidate] - least) for candidate in self.contenders[close]], axis=1
            )
            exact[~is_close[np.ix_(unsure, close)]] = np.inf
            picked[unsure] = close[exact.argmin(axis=1)]
        return np.asarray(self.contenders[picked], np.int64)


def _contest(table: FloatArray, repeats: int) -> _Contest:
    """Leaves out the candidates whose chance to be picked in any draw is below 1e-12, by Bernstein's inequality."""
    columns = np.ascontiguousarray(table.T)
    candidates, units = columns.shape
    best = int(columns.mean(axis=1).argmin())
    unlikely = math.log(1e-12 / (repeats * candidates))
    rough, sizes = np.empty(columns.shape, np.float32), list[float]()
    contenders: list[int] = []
    for candidate, losses in enumerate(columns):  # one at a time stays in the processor's cache
        gaps = losses - columns[best]
        gap = float(gaps.mean())
        variance = float(np.einsum("u,u->", gaps, gaps)) / units - gap**2
        if gap > 0 and -units * gap**2 < unlikely * (2 * variance + 2 / 3 * (gap - float(gaps.min())) * gap):
            continue
        rough[len(contenders)] = gaps
        contenders.append(candidate)
        sizes.append(float(np.abs(gaps).sum()))
    # float32 sums err by far less than this share of what is summed; penalties that hardly matter are summed of little
    tolerance = np.array(sizes, np.float32) * np.float32(1e-5)
    return _Contest(columns, best, np.array(contenders), rough[: len(contenders)], tolerance)


class UnitLosses(NamedTuple):
    """Loss sums[unit, candidate] of what is drawn, and the mean over rows of every candidate."""

    sums: FloatArray
    means: FloatArray


class Units(NamedTuple):
    """What is drawn: the rows themselves, groups of them, or bunches of either."""

    codes: IntArray | None  # the unit of each row; None where it is one itself
    sizes: FloatArray

    def losses(self, columns: Iterable[FloatArray], candidates: int) -> UnitLosses:
        """The losses of one candidate after the other, by row: only what is drawn is kept of them."""
        sums, means = np.empty((candidates, len(self.sizes))), np.empty(candidates)
        for candidate, column in enumerate(columns):
            column = checked_finite(column, unit="row")
            sums[candidate], means[candidate] = self._sums(column), column.mean()
        return UnitLosses(sums.T, means)

    def table(self, losses: FloatArray) -> FloatArray:
        """Loss sums[unit, candidate] of losses[row, candidate], a candidate at a time, as tables lie in memory."""
        return losses if self.codes is None else np.stack([self._sums(column) for column in losses.T], axis=1)

    def _sums(self, column: FloatArray) -> FloatArray:
        if self.codes is None:
            return column
        return np.bincount(self.codes, weights=column, minlength=len(self.sizes)).astype(np.float64)


def units_of(rows: int, *, seed: int, groups: Any = None) -> Units:
    """The units of so many rows: at most MOST_UNITS of them."""
    codes, count = (np.arange(rows), rows) if groups is None else fold_codes(groups, rows=rows)
    if count < 2:
        raise BadInterval("BBC needs at least 2 groups, not 1", "Draw rows, or gather more groups")
    if groups is None and count <= MOST_UNITS:
        return Units(None, np.ones(rows))
    if count > MOST_UNITS:
        bunches = _bunches(count, seed)
        codes = bunches[codes]
    return Units(codes, np.bincount(codes).astype(np.float64))


def _bunches(units: int, seed: int) -> IntArray:
    """The bunch of each unit: at most MOST_UNITS of them, of sizes that differ by one at most.

    At random, since neighbours may be alike (losses of bunches would vary too much) or sorted (too little).
    """
    size = -(-units // MOST_UNITS)
    return np.random.default_rng([seed, 0xBBC]).permutation(units) % -(-units // size)


def _bootstrap_counts(units: int, repeats: int, seed: int) -> Iterator[AnyArray]:
    """How often each unit is drawn, counts[repeat, unit], in blocks; draws that leave none out are skipped.

    They are float32 numbers, which hold such counts exactly, and are multiplied as they are.
    """
    rng = np.random.default_rng(seed)
    block = max(1, BLOCK_BYTES // (8 * units))
    for start in range(0, repeats, block):
        counts = np.empty((min(block, repeats - start), units), np.float32)
        for into in counts:  # one draw at a time stays in the processor's cache
            into[:] = np.bincount(rng.integers(0, units, units), minlength=units)
        is_usable = (counts == 0).any(axis=1)
        if is_usable.any():
            yield counts if is_usable.all() else counts[is_usable]


def _left_out_means(
    is_out: AnyArray, columns: list[FloatArray], picked: list[IntArray], sizes: FloatArray
) -> list[FloatArray]:
    """The mean loss of each method's picked candidates on the rows not drawn: means[method][repeat]."""
    means = [np.empty(len(is_out)) for _ in columns]
    for repeat, left_out in enumerate(is_out):
        weights = left_out.astype(np.float64)
        # BLAS would share each of these short products among threads, which takes longer than the product
        rows = np.einsum("u,u->", weights, sizes)
        for of_method, losses, candidates in zip(means, columns, picked, strict=True):
            of_method[repeat] = np.einsum("u,u->", weights, losses[candidates[repeat]]) / rows
    return means


def _summary(means: FloatArray, draws: FloatArray, level: float) -> Bbc:
    value = mean_within(draws)
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    if has_no_spread(draws):  # no width but that of rounding
        low = high = value
    selected = int(means.argmin())
    return Bbc(value, float(low), float(high), selected, float(means[selected]), draws)
