"""Where records are kept: the protocol every store meets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from foldwise.errors import BadStore
from foldwise.records.record import Record


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


def document_if_there(store: Store, name: str) -> bytes | None:
    """What was measured beside the fits; None also where the store was removed, as the numbers read need it not."""
    try:
        return store.document(name)
    except BadStore:
        return None
