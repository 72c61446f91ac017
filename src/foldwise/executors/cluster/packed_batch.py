"""Batches as they travel to another machine: row numbers as bits, each set of rows once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, IntArray
from foldwise.plans.fit import Batch, Fit, SharedBatch


@dataclass(frozen=True, eq=False)
class PackedBatch:
    """A batch whose fits point into `sets`; a set of distinct rows takes one bit per row of the data."""

    fits: tuple[tuple[Any, ...], ...]
    sets: tuple[AnyArray, ...]
    is_shared: bool

    def __len__(self) -> int:
        return len(self.fits)


def pack_batch(batch: Batch) -> PackedBatch:
    places: dict[int, int] = {}
    sets: list[AnyArray] = []

    def place(rows: IntArray) -> int:
        if id(rows) not in places:
            places[id(rows)] = len(sets)
            sets.append(_pack(rows))
        return places[id(rows)]

    fits = tuple((fit.key, fit.method, fit.candidate, place(fit.train), place(fit.rows), *_rest(fit)) for fit in batch)
    return PackedBatch(fits, tuple(sets), isinstance(batch, SharedBatch))


def unpack_batch(packed: PackedBatch) -> Batch:
    """The batch again; fits that shared their rows still do."""
    sets = [_unpack(rows) for rows in packed.sets]
    fits = [
        Fit(key, method, candidate, sets[train], sets[rows], *rest)
        for key, method, candidate, train, rows, *rest in packed.fits
    ]
    return SharedBatch(fits) if packed.is_shared else tuple(fits)


def _rest(fit: Fit) -> tuple[Any, ...]:
    return fit.responses, fit.seed, fit.point, fit.members


def _pack(rows: IntArray) -> AnyArray:
    """Bits where rows are distinct and sorted and that is shorter; a bootstrap repeats rows and stays numbers."""
    is_set = rows.size > 0 and rows[0] >= 0 and bool((np.diff(rows) > 0).all())
    if not is_set or rows[-1] // 8 > rows.nbytes:
        return rows
    marks = np.zeros(int(rows[-1]) + 1, dtype=bool)
    marks[rows] = True
    return np.packbits(marks)


def _unpack(rows: AnyArray) -> IntArray:
    if rows.dtype != np.uint8:
        return rows
    return np.flatnonzero(np.unpackbits(rows)).astype(np.int64)
