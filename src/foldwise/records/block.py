"""Records of one training set in one value: many candidates, the same rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias, overload

from foldwise.arrays import AnyArray, IntArray
from foldwise.records.overflow import Waiting, bytes_of
from foldwise.records.record import Record


class RecordBlock:
    """The records of several candidates on one training set, all of whose fits went well, in one array.

    `responses[name][fit, row]` (and a column per class). Large ones may be moved to a file.
    """

    def __init__(
        self,
        keys: tuple[str, ...],
        rows: IntArray,
        responses: Mapping[str, AnyArray],
        *,
        learner: str = "",
        seconds: float = 0.0,
        training_set: str = "",
    ) -> None:
        self.keys, self.rows, self.responses = keys, rows, responses
        self.learner, self.seconds = learner, seconds  # of one fit
        self.training_set = training_set  # its name, if it is known

    def record(self, fit: int) -> Record:
        """The record of one fit."""
        every = self.responses
        responses = every.part(fit) if isinstance(every, Waiting) else {name: every[name][fit] for name in every}
        return Record(self.keys[fit], "ok", self.rows, responses, seconds=self.seconds, learner=self.learner)

    def find(self, key: str) -> Record:
        """The record of this key."""
        return self.record(self._places[key])

    def answers(self, rows: IntArray, responses: tuple[str, ...]) -> bool:
        """Does it hold these responses for all of these rows?"""
        return self.record(0).answers(rows, responses)

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def nbytes(self) -> int:
        """Bytes of the responses that are in memory."""
        return bytes_of(self)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {key: fit for fit, key in enumerate(self.keys)}

    def __repr__(self) -> str:
        return f"RecordBlock({len(self.keys)} records, rows={self.rows.size})"


RecordPart: TypeAlias = Record | RecordBlock


class Records(Sequence[Record]):
    """Records in order, some of them in blocks; each is made when it is asked for.

    >>> import numpy as np
    >>> block = RecordBlock(("a", "b"), np.arange(2), {"predict": np.array([[1.0, 2.0], [3.0, 4.0]])})
    >>> records = Records([block])
    >>> len(records), [record.responses["predict"].tolist() for record in records]
    (2, [[1.0, 2.0], [3.0, 4.0]])
    """

    def __init__(self, parts: Iterable[RecordPart]) -> None:
        self.parts = tuple(parts)

    def __len__(self) -> int:
        return sum(len(part) if isinstance(part, RecordBlock) else 1 for part in self.parts)

    def __iter__(self) -> Iterator[Record]:
        for part in self.parts:
            if isinstance(part, RecordBlock):
                yield from map(part.record, range(len(part)))
            else:
                yield part

    @overload
    def __getitem__(self, place: int) -> Record: ...

    @overload
    def __getitem__(self, place: slice) -> list[Record]: ...

    def __getitem__(self, place: int | slice) -> Record | list[Record]:
        return list(self)[place]


def record_parts(records: Iterable[Record]) -> Iterable[RecordPart]:
    """The records, as far as they come in blocks by these."""
    return records.parts if isinstance(records, Records) else records


def record_keys(records: Iterable[Record]) -> Iterator[str]:
    """The keys of these records."""
    for part in record_parts(records):
        if isinstance(part, RecordBlock):
            yield from part.keys
        else:
            yield part.key


class Found(NamedTuple):
    """Where the records of some keys are: in blocks that hold no others, one by one, or nowhere."""

    blocks: Sequence[RecordBlock]
    single: Sequence[str]
    missing: int


def together(store: Any, keys: Sequence[str]) -> Found:
    """Where a store has the records of these keys; where it knows no blocks, any of them may be missing."""
    find_blocks = getattr(store, "blocks", None)
    return Found((), keys, 0) if find_blocks is None else find_blocks(keys)
