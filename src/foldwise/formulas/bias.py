"""What picking the best does to its score, and how to take that back without another fit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.errors import BadInterval
from foldwise.formulas.checks import checked_count, checked_level, checked_table, fold_codes

BLOCK_BYTES = 64_000_000  # of bootstrap counts in memory at once


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


def bbc(losses: Any, *, repeats: int = 1000, seed: int = 0, level: float = 0.95, groups: Any = None) -> Bbc:
    """Bootstrap bias-corrected CV of losses[row, candidate] (Tsamardinos, Greasidou and Borboudakis, 2018).

    Each time rows are drawn with replacement, the candidate that is best on them is picked (the first on ties) and
    judged on the rows not drawn. With `groups` whole groups are drawn.

    >>> found = bbc([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    >>> found.selection_score < found.value
    True
    """
    return bbc_of_many([losses], repeats=repeats, seed=seed, level=level, groups=groups)[0]


def bbc_of_many(
    tables: Sequence[Any], *, repeats: int = 1000, seed: int = 0, level: float = 0.95, groups: Any = None
) -> list[Bbc]:
    """The BBC of several methods on the same rows; they share the draws, which cost as much as a method does."""
    checked = [checked_table(table, method="BBC", axes=("row", "candidate")) for table in tables]
    rows = len(checked[0])
    if any(len(table) != rows for table in checked):
        raise BadInterval("methods must have losses on the same rows", "Give one loss table per method, row by row")
    level, repeats = checked_level(level), checked_count("repeats", repeats)
    sums, sizes = _by_unit(checked, groups)
    kept = [_contenders(table, repeats) for table in checked]
    contest = np.concatenate([table[:, keep] for table, keep in zip(sums, kept, strict=True)], axis=1)
    ends = np.cumsum([keep.size for keep in kept])
    draws: list[list[FloatArray]] = [[] for _ in checked]
    for counts in _bootstrap_counts(len(sizes), repeats, seed):
        drawn = counts @ contest
        is_out = (counts == 0).astype(np.float64)
        for at, (keep, table) in enumerate(zip(kept, sums, strict=True)):
            picked = keep[np.argmin(drawn[:, ends[at] - keep.size : ends[at]], axis=1)]
            draws[at].append(_left_out_mean(is_out, table, picked, sizes))
    return [_summary(table, np.concatenate(found), level) for table, found in zip(checked, draws, strict=True)]


def bbc_draws(losses: Any, drawn_rows: Any) -> tuple[IntArray, FloatArray]:
    """The candidate picked and its loss on the rows left out, for given bootstrap rows drawn_rows[repeat, draw]."""
    table = checked_table(losses, method="BBC", axes=("row", "candidate"))
    counts = np.stack([np.bincount(rows, minlength=len(table)) for rows in np.asarray(drawn_rows)]).astype(np.float64)
    picked = np.argmin(counts @ table, axis=1)
    is_out = (counts == 0).astype(np.float64)
    return picked, _left_out_mean(is_out, table, picked, np.ones(len(table)))


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


def _contenders(table: FloatArray, repeats: int) -> IntArray:
    """The candidates that a draw of rows may pick; the others would need a chance of less than 1e-12 (Bernstein).

    Only they enter the large product, which is what BBC spends its time on.
    """
    rows, candidates = table.shape
    if rows * candidates < 100_000:
        return np.arange(candidates)
    means = table.mean(axis=0)
    best = table[:, [int(means.argmin())]]
    kept = []
    for start in range(0, candidates, 64):
        gaps = table[:, start : start + 64] - best
        gap = gaps.mean(axis=0)
        variance, most = gaps.var(axis=0), gap - gaps.min(axis=0)
        chance = -rows * gap**2 / (2 * variance + 2 / 3 * most * gap + 1e-300)
        kept.append(start + np.flatnonzero((gap <= 0) | (chance > math.log(1e-12 / (repeats * candidates)))))
    return np.concatenate(kept)


def _by_unit(tables: list[FloatArray], groups: Any) -> tuple[list[FloatArray], FloatArray]:
    """Loss sums[unit, candidate] and rows of each unit: the rows themselves, or groups of them."""
    if groups is None:
        return tables, np.ones(len(tables[0]))
    codes, count = fold_codes(groups, rows=len(tables[0]))
    if count < 2:
        raise BadInterval("BBC needs at least 2 groups, not 1", "Draw rows, or gather more groups")
    sums = [np.zeros((count, table.shape[1])) for table in tables]
    for into, table in zip(sums, tables, strict=True):
        np.add.at(into, codes, table)
    return sums, np.bincount(codes).astype(np.float64)


def _bootstrap_counts(units: int, repeats: int, seed: int) -> Iterator[FloatArray]:
    """How often each unit is drawn, counts[repeat, unit], in blocks; draws that leave none out are skipped."""
    rng = np.random.default_rng(seed)
    block = max(1, BLOCK_BYTES // (8 * units))
    for start in range(0, repeats, block):
        size = min(block, repeats - start)
        drawn = rng.integers(0, units, size=(size, units), dtype=np.int64)
        drawn += units * np.arange(size)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=size * units).reshape(size, units)
        counts = counts[(counts == 0).any(axis=1)]
        if len(counts):
            yield counts.astype(np.float64)


def _left_out_mean(is_out: FloatArray, sums: FloatArray, picked: IntArray, sizes: FloatArray) -> FloatArray:
    """The mean loss of each repeat's picked candidate on the rows it did not draw."""
    candidates, at = np.unique(picked, return_inverse=True)
    totals = is_out @ sums[:, candidates]
    return np.asarray(totals[np.arange(len(picked)), at] / (is_out @ sizes), np.float64)


def _summary(table: FloatArray, draws: FloatArray, level: float) -> Bbc:
    means = table.mean(axis=0)
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    selected = int(means.argmin())
    return Bbc(float(draws.mean()), float(low), float(high), selected, float(means[selected]), draws)
