"""From an older format to the newest: one transaction, after a copy of the old file was put aside."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from foldwise.errors import BadStore
from foldwise.records.encoding import decode
from foldwise.records.schema import TABLES, VERSION, checksum, facts_checksum, storable


def migrate(database: sqlite3.Connection, version: int, *, file: Path | None = None) -> None:
    """Bring a store to the newest format; whenever it is killed, the file is the old one or the new one.

    With `file` the old store is kept beside it, as records.v1.db for the first format.
    """
    if file is not None:
        copy_whole(database, file.with_suffix(f".v{version}{file.suffix}"))
    database.execute("BEGIN IMMEDIATE")
    try:
        for step in range(version, VERSION):
            STEPS[step](database)
        database.execute(f"PRAGMA user_version={VERSION}")
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


def copy_whole(database: sqlite3.Connection, target: Path) -> None:
    """Copy a store into one file; a copy that was cut short never has its name."""
    part = target.with_name(f"{target.name}.part")
    for left in (part, part.with_name(f"{part.name}-journal")):
        left.unlink(missing_ok=True)  # of a copy that was killed
    with closing(sqlite3.connect(part, isolation_level=None)) as copy:
        database.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
    os.replace(part, target)


def _from_1(database: sqlite3.Connection) -> None:
    """Learner, status and seconds get their own columns, so that they are known without the content."""
    database.execute("ALTER TABLE records RENAME TO records_1")
    database.execute(TABLES[2]["records"])
    for key, content, found in database.execute("SELECT key, content, checksum FROM records_1 ORDER BY key"):
        if not isinstance(content, bytes) or checksum(key, content) != found:
            raise BadStore(
                f"record {key[:16]!r} of the old store is damaged, so it cannot be brought to format 2",
                "Restore the store from a backup, or copy what is whole of it with `foldwise store salvage RUN`",
            )
        record = decode(key, content)
        facts = (key, storable(record.learner), record.status, float(record.seconds))
        row = (*facts, facts_checksum(*facts, found), found, content)
        database.execute("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    database.execute("DROP TABLE records_1")


STEPS: dict[int, Callable[[sqlite3.Connection], None]] = {1: _from_1}
