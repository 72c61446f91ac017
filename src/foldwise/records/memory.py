"""Records in memory: gone with the process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from foldwise.records.cache import SharedRows
from foldwise.records.record import Record


class MemoryStore:
    """A dictionary of records; those of one fold share their row numbers.

    >>> store = MemoryStore()
    >>> store.get("unknown") is None
    True
    """

    def __init__(self) -> None:
        self._records: dict[str, Record] = {}
        self._rows = SharedRows()
        self._documents: dict[str, bytes] = {}

    def get(self, key: str) -> Record | None:
        return self._records.get(key)

    def add(self, records: Iterable[Record]) -> None:
        self._records.update({record.key: self._rows.share(record) for record in records})

    def discard(self, keys: Iterable[str]) -> None:
        for key in keys:
            self._records.pop(key, None)

    def keys(self) -> Iterator[str]:
        return iter(tuple(self._records))

    def document(self, name: str) -> bytes | None:
        return self._documents.get(name)

    def write_document(self, name: str, content: bytes) -> None:
        self._documents[name] = content

    def close(self) -> None:
        """Nothing to let go of."""
