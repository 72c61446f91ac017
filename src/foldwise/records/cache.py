"""The records used last, up to a number of bytes; equal arrays of row numbers are kept once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from foldwise.arrays import IntArray
from foldwise.records.record import Record

MOST_BYTES = 24 * 2**20
OVERHEAD = 1000  # bytes of the objects around the arrays of one record


class Cache:
    """The records used last; others are read from the file again."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.most_bytes = most_bytes
        self.bytes = 0
        self._records: dict[str, Record] = {}
        self._rows = SharedRows()

    def get(self, key: str) -> Record | None:
        record = self._records.pop(key, None)
        if record is not None:
            self._records[key] = record  # the last one again
        return record

    def put(self, record: Record) -> Record:
        """Keep a record, and drop those that were not used for longest."""
        self.drop(record.key)
        record = self._rows.share(record)
        self._records[record.key] = record
        self.bytes += _bytes(record)
        while self.bytes > self.most_bytes and len(self._records) > 1:
            self.drop(next(iter(self._records)))
        return record

    def drop(self, key: str) -> None:
        record = self._records.pop(key, None)
        if record is not None:
            self.bytes -= _bytes(record)


class SharedRows:
    """One array of row numbers for all records of a fold."""

    def __init__(self, most_bytes: int = MOST_BYTES // 6) -> None:
        self.most_bytes = most_bytes
        self._bytes = 0
        self._known: dict[tuple[int, ...], IntArray] = {}
        self._last: IntArray | None = None  # of the record before, which is most often of the same fold

    def share(self, record: Record) -> Record:
        rows = record.rows
        if rows is self._last or not rows.flags.writeable:
            return record  # shared already, by whoever read it
        name = (rows.size, int(rows[0]), int(rows[-1]), int(rows.sum())) if rows.size else (0,)
        shared = self._known.get(name)
        if shared is rows:
            self._last = rows
            return record
        if shared is not None and np.array_equal(shared, rows):
            return replace(record, rows=shared)
        if self._bytes > self.most_bytes:
            self._known.clear()
            self._bytes = 0
        self._known[name] = rows
        self._bytes += rows.nbytes
        self._last = rows
        return record


def _bytes(record: Record) -> int:
    return OVERHEAD + sum(values.nbytes for values in record.responses.values())
