"""Fewer training rows: how a tuner evaluates many candidates cheaply."""

from __future__ import annotations

import hashlib

import numpy as np

from foldwise.arrays import AnyArray, IntArray


def fewer_rows(
    train: IntArray,
    count: int,
    *,
    seed: int,
    classes: AnyArray | None = None,
    groups: AnyArray | None = None,
    time: AnyArray | None = None,
) -> IntArray:
    """About `count` of these sorted training rows, ascending; smaller subsets lie inside larger ones.

    They depend on the seed and the rows alone. With `time` they are the latest rows, with `groups` whole groups,
    with `classes` every class has its share (each holds a value for every row of the data). Copies stay together.

    >>> fewer_rows(np.arange(12), 4, seed=0, classes=np.arange(12) % 2) % 2
    array([0, 1, 0, 1])
    """
    rows, copies = np.unique(train, return_counts=True)
    if time is not None:
        order = np.argsort(-np.asarray(time)[rows].astype(float), kind="stable")
    elif groups is not None:
        order = _by_group(np.asarray(groups)[rows], seed, train)
    elif classes is not None:
        order = _by_class(np.asarray(classes)[rows], seed, train)
    else:
        order = _random(seed, train).permutation(len(rows))
    enough = int(np.searchsorted(np.cumsum(copies[order]), count)) + 1
    if time is None and groups is not None:
        enough = _whole(np.asarray(groups)[rows[order]], enough)
    chosen = np.sort(order[:enough])
    return np.repeat(rows[chosen], copies[chosen])


def _by_group(groups: AnyArray, seed: int, train: IntArray) -> IntArray:
    """Group after group, the groups at random."""
    numbers = np.unique(groups, return_inverse=True)[1]
    places = _random(seed, train).permutation(int(numbers.max()) + 1)
    return np.argsort(places[numbers], kind="stable")


def _by_class(classes: AnyArray, seed: int, train: IntArray) -> IntArray:
    """An order in which every beginning has its share of each class, to within about a row."""
    mixed = _random(seed, train).permutation(len(classes))
    codes = np.unique(classes, return_inverse=True)[1][mixed]
    ranks, sizes = np.empty(len(codes)), np.bincount(codes)
    for code in range(len(sizes)):
        ranks[codes == code] = (np.arange(sizes[code]) + 0.5) / sizes[code]
    return mixed[np.argsort(ranks, kind="stable")]


def _whole(groups: AnyArray, count: int) -> int:
    """`count` or more, so that the last group is there as a whole."""
    changes = np.flatnonzero(groups[1:] != groups[:-1]) + 1
    later = changes[changes >= count]
    return int(later[0]) if later.size else len(groups)


def _random(seed: int, rows: IntArray) -> np.random.Generator:
    digest = hashlib.blake2b(f"subset {seed} ".encode() + rows.astype("<i8").tobytes(), digest_size=32).digest()
    return np.random.default_rng(np.random.SeedSequence(np.frombuffer(digest, dtype="<u4").tolist()))
