"""Fits put together by what they share: the training rows, and the rows they answer for."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np

from foldwise.arrays import IntArray
from foldwise.solvers.solver import FitRequest, Solver


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
        names[id(rows)] = blake2b(np.ascontiguousarray(rows).data, digest_size=16).digest()
    return names[id(rows)]
