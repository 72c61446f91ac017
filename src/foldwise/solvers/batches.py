"""Fits put together by what they share: the training rows, and the rows they answer for."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

import numpy as np

from foldwise.arrays import IntArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.solver import Answer, BlockAnswer, FitRequest, RequestBlock, Requests, Solver


@dataclass(eq=False)
class SplitFits:
    """Fits with the same training rows and the same rows to answer for, by their places in the call."""

    train: IntArray
    rows: IntArray
    fits: list[int] = field(default_factory=list)
    name: bytes = b""  # of the training rows, equal for equal ones


def by_split(fits: Sequence[FitRequest], places: Iterable[int]) -> list[SplitFits]:
    """The fits at these places by training rows and rows asked, in the order they first occur."""
    names: dict[int, bytes] = {}
    splits: dict[tuple[bytes, bytes], SplitFits] = {}
    if isinstance(fits, Requests) and places == range(len(fits)):
        for block, end in zip(fits.blocks, fits.ends, strict=True):
            key = (_name(block.train, names), _name(block.rows, names))
            split = splits.setdefault(key, SplitFits(block.train, block.rows, name=key[0]))
            split.fits += range(end - len(block.estimators), end)
        return list(splits.values())
    known: dict[tuple[int, int], list[int]] = {}  # most fits hold the very arrays of another
    for at in places:
        fit = fits[at]
        same = (id(fit.train), id(fit.rows))
        if same not in known:
            key = (_name(fit.train, names), _name(fit.rows, names))
            known[same] = splits.setdefault(key, SplitFits(fit.train, fit.rows, name=key[0])).fits
        known[same].append(at)
    return list(splits.values())


def by_shared(solver: Solver, fits: Sequence[FitRequest]) -> list[tuple[Any, list[int]]]:
    """Places of the fits answered together, each with an estimator that stands for them."""
    known: dict[int, Hashable] = {}
    batches: dict[Hashable, tuple[Any, list[int]]] = {}
    for at, fit in enumerate(fits):
        name = id(fit.estimator)
        if name not in known:
            known[name] = solver.shares(fit.estimator)
        batches.setdefault(known[name], (fit.estimator, []))[1].append(at)
    return list(batches.values())


def in_blocks(fits: Sequence[FitRequest]) -> list[tuple[RequestBlock, list[int]]]:
    """Fits of one training set that are asked for the same, with their places in the call."""
    names: dict[int, bytes] = {}
    found: dict[Hashable, list[int]] = {}
    for at, fit in enumerate(fits):
        found.setdefault((_name(fit.train, names), _name(fit.rows, names), fit.responses), []).append(at)
    blocks = []
    for places in found.values():
        first = fits[places[0]]
        estimators = tuple([fits[at].estimator for at in places])
        blocks.append((RequestBlock(estimators, first.train, first.rows, first.responses), places))
    return blocks


def solve_in_blocks(
    solve_blocks: Callable[[Sequence[RequestBlock], Dataset], Iterator[BlockAnswer]],
    fits: Sequence[FitRequest],
    data: Dataset,
) -> list[Answer | None]:
    """The answers of a solver of blocks, fit by fit; None where the plain loop must do it."""
    answers: list[Answer | None] = [None] * len(fits)
    together = in_blocks(fits)
    for number, places, found in solve_blocks([block for block, _ in together], data):
        for at, place in enumerate(places):
            answers[together[number][1][place]] = {name: values[at] for name, values in found.items()}
    return answers


@dataclass(frozen=True, eq=False)
class BlockPart:
    """Fits of a block, or those of them that are answered together, with their places in it."""

    number: int  # of the block
    block: RequestBlock
    places: Sequence[int]


def by_estimator(solver: Solver, blocks: Sequence[RequestBlock]) -> list[list[BlockPart]]:
    """Fits that are answered together; a block whose estimators share nothing is divided."""
    divided: dict[int, list[tuple[Hashable, list[int], tuple[Any, ...]]]] = {}  # most blocks hold the same estimators
    found: dict[Hashable, list[BlockPart]] = {}
    for number, block in enumerate(blocks):
        if id(block.estimators) not in divided:
            places: dict[Hashable, list[int]] = {}
            for at, estimator in enumerate(block.estimators):
                places.setdefault(solver.shares(estimator), []).append(at)
            divided[id(block.estimators)] = [
                (share, own, tuple([block.estimators[at] for at in own])) for share, own in places.items()
            ]
        parts = divided[id(block.estimators)]
        for share, own, estimators in parts:
            part = block if len(parts) == 1 else replace(block, estimators=estimators)
            found.setdefault(share, []).append(BlockPart(number, part, own))
    return list(found.values())


def rows_digest(rows: IntArray) -> bytes:
    """Equal for equal rows."""
    return blake2b(np.ascontiguousarray(rows).data, digest_size=16).digest()


def has_repeats(train: IntArray) -> bool:
    """Does a sorted training set hold a row more than once, as a bootstrap does?

    >>> has_repeats(np.array([0, 1, 1]))
    True
    """
    return bool((train[1:] == train[:-1]).any())


def any_of(many: Sequence[IntArray]) -> IntArray:
    """Rows that are in any of these sorted arrays, in order.

    >>> any_of([np.array([0, 4]), np.array([1, 4])]).tolist()
    [0, 1, 4]
    """
    is_in = np.zeros(max((int(rows[-1]) for rows in many if rows.size), default=-1) + 1, dtype=bool)
    for rows in many:
        is_in[rows] = True
    return np.flatnonzero(is_in)


def _name(rows: IntArray, names: dict[int, bytes]) -> bytes:
    """Equal for equal rows; an array that many fits hold is read once."""
    if id(rows) not in names:
        names[id(rows)] = rows_digest(rows)
    return names[id(rows)]
