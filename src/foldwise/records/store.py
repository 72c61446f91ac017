"""Where records are kept: the protocol every store meets, and opening what `store=` names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Protocol, TypeAlias

from foldwise.errors import BadStore
from foldwise.records.memory import MemoryStore
from foldwise.records.record import Record
from foldwise.records.sqlite import SqliteStore


class Store(Protocol):
    """Records by key, and a few named documents that describe the study they belong to."""

    def get(self, key: str) -> Record | None:
        """The record of this key, if there is one."""

    def add(self, records: Iterable[Record]) -> None:
        """Keep these records, all or none of them; a record under a known key takes its place."""

    def discard(self, keys: Iterable[str]) -> None:
        """Forget the records of these keys, all or none of them; an unknown key is no mistake."""

    def keys(self) -> Iterator[str]:
        """The keys of all records."""

    def document(self, name: str) -> bytes | None:
        """A named document, if there is one."""

    def write_document(self, name: str, content: bytes) -> None:
        """Keep a document under a name."""

    def close(self) -> None:
        """Let go of files and locks."""


AnyStore: TypeAlias = str | Path | Store | None
_METHODS = ("get", "add", "discard", "keys", "document", "write_document", "close")


@contextmanager
def opened(store: AnyStore, *, readonly: bool = False) -> Iterator[Store]:
    """The store to use, closed at the end; one that was given stays open, for whoever made it to close.

    >>> mine = MemoryStore()
    >>> with opened(mine) as found:
    ...     found is mine
    True
    """
    if store is None or isinstance(store, str | os.PathLike):
        with closing(MemoryStore() if store is None else SqliteStore(store, readonly=readonly)) as kept:
            yield kept
    else:
        for method in _METHODS:
            if not callable(getattr(store, method, None)):
                raise BadStore(f"store must be a folder or a store, and {store!r} has no method {method}")
        yield store


def document_if_there(store: Store, name: str) -> bytes | None:
    """What was measured beside the fits; None also where the store was removed, as the numbers read need it not."""
    try:
        return store.document(name)
    except BadStore:
        return None
