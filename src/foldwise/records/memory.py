"""Records in memory, gone with the process. The responses of large ones overflow into a file without a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from foldwise.records.block import Found, RecordBlock, RecordPart, record_parts
from foldwise.records.cache import SharedRows
from foldwise.records.overflow import LARGE, Overflow, bytes_of
from foldwise.records.record import Record

MOST_BYTES = 16 * 2**20  # of the responses of large records in memory


class MemoryStore:
    """A dictionary of records; those of one fold share their row numbers.

    The predictions of many candidates on many rows would fill the memory. So only the newest of the large records
    hold theirs; those of the others are in a temporary file, and are read when they are asked for.

    >>> store = MemoryStore()
    >>> store.get("unknown") is None
    True
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.most_bytes = most_bytes
        self._records: dict[str, RecordPart] = {}
        self._large: dict[str, int] = {}  # bytes of the large ones that are in memory, in the order they came
        self._bytes = 0
        self._overflow = Overflow()
        self._rows = SharedRows()
        self._documents: dict[str, bytes] = {}

    def get(self, key: str) -> Record | None:
        part = self._records.get(key)
        return part.find(key) if isinstance(part, RecordBlock) else part

    def blocks(self, keys: Sequence[str]) -> Found:
        """Where the records of these keys are: in blocks that hold no others, one by one, or nowhere."""
        parts = list(map(self._records.get, keys))
        kinds, missing = dict.fromkeys(parts), parts.count(None)
        kinds.pop(None, None)
        blocks = [part for part in kinds if isinstance(part, RecordBlock)]
        if len(blocks) == len(kinds) and missing + sum(map(len, blocks)) == len(keys):  # whole blocks, and no others
            return Found(blocks, (), missing)
        counts = Counter(parts)
        blocks = [part for part in blocks if counts[part] == len(part)]
        others = {None, *blocks}
        return Found(blocks, [key for key in keys if self._records.get(key) not in others], missing)

    def add(self, records: Iterable[Record]) -> None:
        for part in list(record_parts(records)):  # all or none, where they are made on the way
            if isinstance(part, RecordBlock):
                self._records.update(dict.fromkeys(part.keys, part))
                self._count(part.keys[0], bytes_of(part))
            else:
                self._records[part.key] = self._rows.share(part)
                self._count(part.key, bytes_of(part))
        if self._bytes > self.most_bytes:
            self._make_room()

    def discard(self, keys: Iterable[str]) -> None:
        for key in keys:
            self._records.pop(key, None)
            self._bytes -= self._large.pop(key, 0)

    def keys(self) -> Iterator[str]:
        return iter(tuple(self._records))

    def document(self, name: str) -> bytes | None:
        return self._documents.get(name)

    def write_document(self, name: str, content: bytes) -> None:
        self._documents[name] = content

    def close(self) -> None:
        """Nothing to release: records are read later, and the file goes with the last of them."""

    def _count(self, key: str, size: int) -> None:
        if size >= LARGE or key in self._large:
            self._bytes += size - self._large.pop(key, 0)
            self._large[key] = size

    def _make_room(self) -> None:
        """Write the responses of the oldest large records to the file; those of the newest stay."""
        while self._bytes > self.most_bytes and len(self._large) > 1:
            key = next(iter(self._large))
            part = self._records[key]
            waiting = self._overflow.write(part.responses)
            if waiting is None:
                return  # no room there either
            if isinstance(part, RecordBlock):
                part.responses = waiting
            else:
                self._records[key] = replace(part, responses=waiting)
            self._bytes -= self._large.pop(key)
