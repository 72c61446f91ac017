"""Opening what `store=` names: nothing, a folder, or a store of your own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from foldwise.errors import BadStore
from foldwise.records.database import is_store
from foldwise.records.finished import FinishedStore, cannot_be_written
from foldwise.records.memory import MemoryStore
from foldwise.records.sqlite import SqliteStore
from foldwise.records.store import Store

AnyStore = str | Path | Store | None
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
        with closing(MemoryStore() if store is None else _open(store, readonly)) as kept:
            yield kept
    else:
        for method in _METHODS:
            if not callable(getattr(store, method, None)):
                raise BadStore(f"store must be a folder or a store, and {store!r} has no method {method}")
        yield store


def _open(path: str | Path, readonly: bool) -> Store:
    """The store of a folder; one that cannot be written is good for a run that is finished."""
    try:
        return SqliteStore(path, readonly=readonly)
    except BadStore as refusal:
        if readonly or not cannot_be_written(refusal) or not is_store(Path(path)):
            raise
        return FinishedStore(SqliteStore(path, readonly=True), refusal)
