"""The rows that are to be split, with all that a split of them must respect."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.errors import BadSplits, FoldwiseError
from foldwise.splits.split import Split, Splits, plural


class Rows(Protocol):
    """What splits need to know of a data set."""

    @property
    def rows(self) -> int: ...
    @property
    def y(self) -> AnyArray: ...
    @property
    def task(self) -> str: ...
    @property
    def classes(self) -> tuple[Any, ...]: ...
    @property
    def codes(self) -> IntArray: ...
    @property
    def groups(self) -> IntArray | None: ...
    @property
    def group_names(self) -> tuple[str, ...]: ...
    @property
    def time(self) -> FloatArray | None: ...
    @property
    def strata(self) -> IntArray | None: ...
    def take(self, rows: IntArray) -> Any: ...


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows of a data set; `rows` holds their numbers, ascending and each once.

    `copies` counts how often each row is there, or is None when each is there once: copies of a row
    must stay on one side of a split, so the rows are split and the copies follow.
    """

    data: Rows
    seed: int
    rows: IntArray
    copies: IntArray | None
    salt: str
    all_time: FloatArray | None

    @cached_property
    def groups(self) -> IntArray | None:
        """Group numbers 0..G-1 of the groups present."""
        return None if self.data.groups is None else np.unique(self.data.groups[self.rows], return_inverse=True)[1]

    @cached_property
    def time(self) -> FloatArray | None:
        return None if self.all_time is None else self.all_time[self.rows]

    @cached_property
    def strata(self) -> IntArray | None:
        return None if self.data.strata is None else self.data.strata[self.rows]

    def random(self, purpose: str, *numbers: int) -> np.random.Generator:
        """Random numbers for one purpose: they depend on the seed and these rows, never on what was drawn before."""
        words = repr((int(self.seed), purpose, numbers, self.salt))
        digest = hashlib.blake2b(words.encode(), digest_size=32).digest()
        return np.random.default_rng(np.random.SeedSequence(np.frombuffer(digest, dtype="<u4").tolist()))

    def smallest_class(self) -> tuple[Any, int] | None:
        """The label and the number of rows of the smallest class here, if the classes are what is stratified on."""
        strata = self.data.strata
        if strata is None or not self.data.classes or not np.array_equal(strata, self.data.codes):
            return None
        counts = np.bincount(strata[self.rows], minlength=len(self.data.classes))
        code = int(np.argmin(np.where(counts == 0, len(self.rows) + 1, counts)))
        return plain(self.data.classes[code]), int(counts[code])


def make_part(data: Rows, *, seed: int, rows: Sequence[int] | IntArray | None = None, ordered: bool = False) -> Part:
    """The part of `data` at `rows` (all of them if None); `ordered` takes the row order for time if none is given."""
    numbers, copies, salt = np.arange(data.rows, dtype=np.int64), None, ""
    if rows is not None:
        given = np.sort(np.asarray(rows, dtype=np.int64))
        numbers, copies = np.unique(given, return_counts=True)
        if len(numbers) == len(given):
            copies = None
        if len(given) != data.rows or copies is not None:
            salt = hashlib.blake2b(given.astype("<i8").tobytes(), digest_size=16).hexdigest()
    time = np.arange(data.rows, dtype=np.float64) if ordered and data.time is None else data.time
    return Part(data, seed, numbers, copies, salt, time)


def with_copies(splits: Splits, part: Part) -> Splits:
    """Give every training row as often as the part has it."""
    if part.copies is None:
        return splits
    trains = (np.repeat(s.train, part.copies[np.searchsorted(part.rows, s.train)]) for s in splits)
    more = tuple(Split(train, s.test, s.repeat, s.fold) for train, s in zip(trains, splits, strict=True))
    return replace(splits, splits=more, is_partition=False)


def check_respects(splits: Splits, part: Part) -> None:
    """Refuse splits with a group on both sides, or with training rows later than their test rows."""
    groups, time = part.data.groups, part.all_time
    for split in splits if groups is not None or time is not None else ():
        if groups is not None:
            is_tested = np.zeros(int(groups.max()) + 1, dtype=bool)
            is_tested[groups[split.test]] = True
            shared = groups[split.train][is_tested[groups[split.train]]]
            if len(shared):
                name = part.data.group_names[shared.min()]
                raise BadSplits(
                    f"group {name!r} has rows on both sides of fold {split.fold} ({splits.scheme})",
                    "Keep whole groups together (an int gives grouped folds, 'logo' leaves one group out)",
                    group=name,
                    fold=split.fold,
                )
        if time is not None and time[split.train].max() > time[split.test].min():
            raise BadSplits(
                f"fold {split.fold} trains on rows that are later in time than its test rows ({splits.scheme})",
                "Use TimeOrdered(5) or an int, or leave out time",
                fold=split.fold,
            )


def refuse_groups_with_time(part: Part) -> None:
    if part.data.groups is not None and part.all_time is not None:
        raise BadSplits(
            "cannot make splits that keep whole groups together and are ordered in time as well",
            "Give one of groups and time, or your own index pairs",
        )


def check_classes(part: Part, folds: int) -> None:
    """Refuse stratified folds that some class cannot reach."""
    smallest = part.smallest_class()
    if smallest is not None and smallest[1] < folds:
        label, count = smallest
        way_out = f"Use at most {count} folds" if count > 1 else f"Drop or join class {label!r}"
        amounts = "; task='regression' if the target is amounts" if isinstance(label, int | np.integer) else ""
        raise BadSplits(
            f"cannot make {folds} stratified folds: class {label!r} has {plural(count, 'row')}",
            f"{way_out}, or stratify=False{amounts}",
            found=count,
        )


def plain(label: Any) -> Any:
    """A class label as Python writes it, not as NumPy does."""
    return label.item() if isinstance(label, np.generic) else label


def whole_number(value: Any, what: str, *, least: int, error: type[FoldwiseError] = BadSplits) -> int:
    """`value` as an int, or a refusal that names it.

    >>> whole_number(True, "folds", least=2)
    Traceback (most recent call last):
    foldwise.errors.BadSplits: folds must be a whole number of at least 2, not True.
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < least:
        raise error(f"{what} must be a whole number of at least {least}, not {value!r}")
    return int(value)
