"""A store that can only be read, for a run that has nothing left to write."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator
from typing import NoReturn

from foldwise.errors import BadStore
from foldwise.records.record import Record
from foldwise.records.store import Store

_NO_WRITING = (errno.EROFS, errno.EACCES, errno.EPERM)


class FinishedStore:
    """Reads from a store; documents are kept in memory, and the first record to be added raises `refusal`."""

    def __init__(self, store: Store, refusal: BadStore) -> None:
        self.store, self.refusal = store, refusal
        self._documents: dict[str, bytes] = {}

    def get(self, key: str) -> Record | None:
        return self.store.get(key)

    def add(self, records: Iterable[Record]) -> NoReturn:
        raise self.refusal

    def discard(self, keys: Iterable[str]) -> None:
        if any(self.get(key) is not None for key in keys):
            raise self.refusal

    def keys(self) -> Iterator[str]:
        return self.store.keys()

    def document(self, name: str) -> bytes | None:
        return self._documents.get(name) or self.store.document(name)

    def write_document(self, name: str, content: bytes) -> None:
        self._documents[name] = content

    def close(self) -> None:
        self.store.close()


def cannot_be_written(refusal: BadStore) -> bool:
    """Was a store refused because its disk or its folder may only be read?"""
    reason = refusal.__cause__
    name = getattr(reason, "sqlite_errorname", "") or ""
    return getattr(reason, "errno", None) in _NO_WRITING or name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN"))
