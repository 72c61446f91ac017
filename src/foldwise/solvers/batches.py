"""Jobs put together by what they share: the training rows, and the rows they answer for."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np

from foldwise.arrays import IntArray
from foldwise.solvers.solver import Job, Solver


@dataclass(eq=False)
class Group:
    """Jobs with the same training rows and the same rows to answer for, by their places in the call."""

    train: IntArray
    rows: IntArray
    jobs: list[int] = field(default_factory=list)


def by_rows(jobs: Sequence[Job], places: Iterable[int]) -> list[Group]:
    """The jobs at these places by training rows and rows asked, in the order they first occur."""
    names: dict[int, bytes] = {}
    groups: dict[tuple[Hashable, Hashable], Group] = {}
    known: dict[tuple[int, int], list[int]] = {}  # most jobs hold the very arrays of another
    for at in places:
        job = jobs[at]
        same = (id(job.train), id(job.rows))
        if same not in known:
            key = (_name(job.train, names), _name(job.rows, names))
            known[same] = groups.setdefault(key, Group(job.train, job.rows)).jobs
        known[same].append(at)
    return list(groups.values())


def by_settings(solver: Solver, jobs: Sequence[Job]) -> list[tuple[Any, list[int]]]:
    """Places of the jobs one pass answers, each with an estimator that stands for them."""
    known: dict[int, Hashable] = {}
    passes: dict[Hashable, tuple[Any, list[int]]] = {}
    for at, job in enumerate(jobs):
        name = id(job.estimator)
        if name not in known:
            known[name] = solver.shares(job.estimator)
        passes.setdefault(known[name], (job.estimator, []))[1].append(at)
    return list(passes.values())


def has_repeats(train: IntArray) -> bool:
    """Does a sorted training part hold a row more than once, as a bootstrap does?

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
    """Equal for equal rows; an array that many jobs hold is read once."""
    if id(rows) not in names:
        names[id(rows)] = blake2b(np.ascontiguousarray(rows).data, digest_size=16).digest()
    return names[id(rows)]
