"""A split is a value: the rows to train on and the rows to test on."""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from foldwise.arrays import IntArray
from foldwise.errors import BadSplits
from foldwise.shown import Shown

# Above this many training row numbers in all (32 MB) they are worked out when asked for.
EAGER_ROWS = 2**22
FEW_FOLDS = 20  # are put together quickly


@dataclass(frozen=True, eq=False, repr=False)
class Split(Shown):
    """Train rows and test rows, both ascending; only training rows may repeat (bootstrap).

    >>> Split(np.array([0, 1, 2]), np.array([3]))
    Split(train=3, test=1)
    """

    train: IntArray
    test: IntArray
    repeat: int = 0
    fold: int = 0

    def __repr__(self) -> str:
        return f"Split(train={self.train_rows}, test={len(self.test)})"

    @property
    def train_rows(self) -> int:
        """How many rows there are to train on."""
        return len(self.train)


class Late(Split):
    """A split whose training rows are worked out when asked for, and forgotten when nobody holds them any more."""

    @property
    def train(self) -> IntArray:
        rows: IntArray | None = self.__dict__.get("_last", lambda: None)()
        if rows is None:
            rows = self._train()
            object.__setattr__(self, "_last", weakref.ref(rows))  # fits of one training set hold one array
        return rows

    def _train(self) -> IntArray:
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_last"}


class Rest(Late):
    """A split that trains on `rows` without `held`."""

    rows: IntArray
    held: IntArray

    def __init__(self, rows: IntArray, test: IntArray, repeat: int, fold: int, held: IntArray | None = None) -> None:
        fields = {"rows": rows, "held": test if held is None else held, "test": test, "repeat": repeat, "fold": fold}
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def train_rows(self) -> int:
        return len(self.rows) - len(self.held)

    def _train(self) -> IntArray:
        return without(self.rows, self.held)


class Others(Late):
    """A split that trains on the test rows of the other splits of its partition, and keeps no rows but these."""

    tests: tuple[IntArray, ...]

    def __init__(self, tests: tuple[IntArray, ...], split: Split) -> None:
        fields = {"tests": tests, "test": split.test, "repeat": split.repeat, "fold": split.fold}
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def train_rows(self) -> int:
        return sum(len(test) for test in self.tests if test is not self.test)

    def _train(self) -> IntArray:
        is_in = np.zeros(1 + max(int(test[-1]) for test in self.tests if test.size), dtype=bool)
        for test in self.tests:
            is_in[test] = test is not self.test
        return np.flatnonzero(is_in)


@dataclass(frozen=True, eq=False, repr=False)
class Splits(Shown):
    """All splits of one level, made once, before any fit.

    `is_partition` says that the test rows of each repeat cut all rows into the same number of folds, and that
    each fold is trained on all the others. `kind` says how the rows were drawn; a new splitter names one of "folds",
    "grouped", "loo", "holdout", "monte_carlo", "bootstrap", "time", "time_holdout", "lines" (of a plane) and "pairs"
    (any other train and test rows), and all that others ask follows.
    """

    splits: tuple[Split, ...]
    scheme: str
    kind: str
    is_partition: bool

    def __len__(self) -> int:
        return len(self.splits)

    def __iter__(self) -> Iterator[Split]:
        return iter(self.splits)

    def __getitem__(self, number: int) -> Split:
        return self.splits[number]

    def __repr__(self) -> str:
        return f"Splits({self.scheme!r}, splits={len(self)})"

    @property
    def repeats(self) -> int:
        return max(split.repeat for split in self.splits) + 1

    @property
    def folds(self) -> int:
        """Splits per repeat."""
        return len(self) // self.repeats

    @property
    def is_one_test_set(self) -> bool:
        """Is one share of the rows held out, and nothing else?"""
        return self.kind in ("holdout", "time_holdout")

    @property
    def is_ordered(self) -> bool:
        """Do tests follow their training rows in time?"""
        return self.kind in ("time", "time_holdout")

    @property
    def is_exchangeable(self) -> bool:
        """Might any training row have been a test row? Of given rows nobody knows, and a bootstrap repeats them."""
        return not self.is_ordered and self.kind not in ("bootstrap", "pairs", "none")

    def light(self) -> Splits:
        """The same splits; those of a partition into few folds keep their test rows alone."""
        if not self.is_partition or self.folds > FEW_FOLDS:
            return self
        tests = [tuple(split.test for split in self if split.repeat == repeat) for repeat in range(self.repeats)]
        return replace(self, splits=tuple(Others(tests[split.repeat], split) for split in self))

    @cached_property
    def rows(self) -> IntArray:
        """Every row that is tested at least once."""
        return np.flatnonzero(np.bincount(np.concatenate([split.test for split in self.splits])))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all rows; equal splits have equal fingerprints, however they were made."""
        digest = hashlib.blake2b(digest_size=16)
        for split in self.splits:
            # The training rows of a partition follow from the tests; hashing them would be slow for leave-one-out.
            for rows in (split.test,) if self.is_partition else (split.test, split.train):
                digest.update(f"{split.repeat} {split.fold} {len(rows)};".encode())
                digest.update(np.ascontiguousarray(rows, dtype="<i8").tobytes())
        return digest.hexdigest()


def without(rows: IntArray, held: IntArray) -> IntArray:
    """The sorted `rows` that are not among the sorted `held`, which must all be there.

    >>> without(np.array([2, 3, 5, 8]), np.array([3, 8]))
    array([2, 5])
    """
    keep = np.ones(len(rows), dtype=bool)
    keep[np.searchsorted(rows, held)] = False
    return rows[keep]


def union(one: IntArray, other: IntArray) -> IntArray:
    """The row numbers in either, sorted.

    >>> union(np.array([2, 5]), np.array([3, 3, 5]))
    array([2, 3, 5])
    """
    is_in = np.zeros(max(int(rows.max(initial=-1)) for rows in (one, other)) + 1, dtype=bool)
    is_in[one] = is_in[other] = True
    return _every_row(len(is_in)) if is_in.all() else np.flatnonzero(is_in)


def _every_row(rows: int) -> IntArray:
    """The numbers of so many rows: one array for all who hold it, as most outer splits together do."""
    if (every := _EVERY.get(rows)) is None:
        every = _EVERY[rows] = np.arange(rows)
    return every


_EVERY: weakref.WeakValueDictionary[int, IntArray] = weakref.WeakValueDictionary()


def partition(rows: IntArray, labels: Sequence[IntArray], *, scheme: str, kind: str) -> Splits:
    """Splits of sorted `rows` from fold numbers `labels[repeat][row]`, each repeat 0..K-1."""
    folds = int(labels[0].max()) + 1
    kind = "loo" if folds == len(rows) else kind
    is_eager = folds * len(labels) * len(rows) <= EAGER_ROWS
    splits: list[Split] = []
    for repeat, label in enumerate(labels):
        tests = members(rows, label, folds)
        for fold, test in enumerate(tests):
            splits.append(
                Split(rows[label != fold], test, repeat, fold) if is_eager else Rest(rows, test, repeat, fold)
            )
    return Splits(tuple(splits), scheme, kind, is_partition=True)


def members(rows: IntArray, label: IntArray, folds: int) -> list[IntArray]:
    """The rows of each fold, ascending.

    >>> [part.tolist() for part in members(np.array([4, 5, 6]), np.array([1, 0, 1]), 2)]
    [[5], [4, 6]]
    """
    order = np.argsort(label, kind="stable")
    ends = np.cumsum(np.bincount(label, minlength=folds))[:-1]
    return np.split(rows[order], ends)


def plural(count: int, noun: str) -> str:
    """
    >>> plural(1, "row"), plural(2, "row")
    ('1 row', '2 rows')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def repeated(scheme: str, repeats: int) -> str:
    return scheme if repeats == 1 else f"{scheme}, {repeats} repeats"


def refuse_repeats(what: str, repeats: int) -> None:
    if repeats > 1:
        raise BadSplits(f"cannot repeat {what} {repeats} times: every repeat would be the same", "Use repeats=1")
