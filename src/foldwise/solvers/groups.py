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
    for at in places:
        job = jobs[at]
        key = (_name(job.train, names), _name(job.rows, names))
        if key not in groups:
            groups[key] = Group(job.train, job.rows)
        groups[key].jobs.append(at)
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


def _name(rows: IntArray, names: dict[int, bytes]) -> bytes:
    """Equal for equal rows; an array that many jobs hold is read once."""
    if id(rows) not in names:
        names[id(rows)] = blake2b(np.ascontiguousarray(rows).data, digest_size=16).digest()
    return names[id(rows)]
