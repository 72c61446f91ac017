"""Records in a folder: one SQLite file, one writer, a checksum per record, JSON and numbers only."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from foldwise.errors import BadStore
from foldwise.records.encoding import decode, encode
from foldwise.records.lock import Taken, take
from foldwise.records.record import Record

APPLICATION_ID = 0x464F4C44  # "FOLD"
SCHEMA_VERSION = 1
_SCHEMA = """
CREATE TABLE records (key TEXT PRIMARY KEY, content BLOB NOT NULL, checksum TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE documents (name TEXT PRIMARY KEY, content BLOB NOT NULL, checksum TEXT NOT NULL) WITHOUT ROWID;
"""


class SqliteStore:
    """A store in the folder `path`; a second writer is refused, readers are always welcome.

    The lock belongs to the kernel and dies with its holder, so that nothing is left
    to clean up after a kill.
    """

    def __init__(self, path: str | Path, *, readonly: bool = False) -> None:
        self.path = Path(path)
        self._file = self.path / "records.db"
        self._known: dict[str, Record] = {}
        self._documents: dict[str, bytes | None] = {}
        self._lock: int | None = None
        self._is_closed = False
        if readonly:
            self._check_there()
            self._database = self._open(f"file:{self._file.resolve()}?mode=ro")
        else:
            self._make_folder()
            self._take_lock()
            self._database = self._open(f"file:{self._file.resolve()}?mode=rwc")
        self._prepare(readonly)

    def get(self, key: str) -> Record | None:
        if key not in self._known and not self._is_closed:
            content = self._read("records", "key", key)
            if content is not None:
                self._known[key] = decode(key, content)
        return self._known.get(key)

    def add(self, records: Iterable[Record]) -> None:
        records = list(records)
        rows = [(record.key, content := encode(record), _checksum(record.key, content)) for record in records]
        self._write("INSERT OR REPLACE INTO records VALUES (?, ?, ?)", rows)
        self._known.update({record.key: record for record in records})

    def discard(self, keys: Iterable[str]) -> None:
        keys = list(keys)
        self._write("DELETE FROM records WHERE key = ?", [(key,) for key in keys])
        for key in keys:
            self._known.pop(key, None)

    def keys(self) -> Iterator[str]:
        return (key for (key,) in self._database.execute("SELECT key FROM records ORDER BY key").fetchall())

    def document(self, name: str) -> bytes | None:
        if name not in self._documents and not self._is_closed:
            self._documents[name] = self._read("documents", "name", name)
        return self._documents.get(name)

    def write_document(self, name: str, content: bytes) -> None:
        if self.document(name) != content:
            rows = [(name, content, _checksum(name, content))]
            self._write("INSERT OR REPLACE INTO documents VALUES (?, ?, ?)", rows)
            self._documents[name] = content

    def info(self) -> dict[str, Any]:
        """How many records there are, how many failed, and how large the store is."""
        records = [record for key in self.keys() if (record := self.get(key)) is not None]
        failed = [record for record in records if not record.is_ok]
        return {
            "path": str(self.path),
            "records": len(records),
            "failed": len(failed),
            "failures": [
                {"learner": record.learner, "status": record.status, "error": record.error} for record in failed[:20]
            ],
            "seconds": sum(record.seconds for record in records),
            "bytes": sum(part.stat().st_size for part in self.path.glob("records.db*")),
            "schema": SCHEMA_VERSION,
        }

    def verify(self) -> list[str]:
        """Every problem found: damaged pages, records or documents whose checksum does not fit."""
        try:
            problems = [text for (text,) in self._database.execute("PRAGMA integrity_check") if text != "ok"]
            for table, column in (("records", "key"), ("documents", "name")):
                for name, content, checksum in self._database.execute(
                    f"SELECT {column}, content, checksum FROM {table} ORDER BY {column}"
                ):
                    if _checksum(name, content) != checksum:
                        problems.append(f"{table}: the checksum of {name[:16]!r} does not fit its content")
        except sqlite3.DatabaseError as reason:
            return [str(reason)]
        return problems

    def backup(self, target: str | Path) -> None:
        """Copy the store, whole, into another folder; safe while a run is writing."""
        folder = Path(target)
        if (folder / "records.db").exists():
            raise BadStore(f"there is a store in {folder} already", "Give a folder that does not exist yet")
        folder.mkdir(parents=True, exist_ok=True)
        with sqlite3.connect(folder / "records.db") as copy:
            self._database.backup(copy)
        copy.close()

    def close(self) -> None:
        """Let go of the file and its lock; records read before stay readable."""
        self._is_closed = True
        self._database.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _check_there(self) -> None:
        if not self._file.is_file():
            raise BadStore(f"there is no store in {self.path}", "Give the folder that was named with store= or --store")

    def _make_folder(self) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as reason:
            raise BadStore(f"cannot make the store folder {self.path}: {reason.strerror}", "Name another") from reason

    def _take_lock(self) -> None:
        try:
            self._lock = take(self.path / "lock")
        except Taken as reason:
            raise BadStore(
                f"the store {self.path} is in use by another run (process {reason.holder})",
                "Wait until it ends, or name another store",
            ) from reason
        except OSError as reason:
            raise BadStore(f"cannot write to the store {self.path}: {reason.strerror}", "Name another") from reason

    def _open(self, address: str) -> sqlite3.Connection:
        try:
            return sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as reason:
            raise BadStore(f"cannot open the store {self.path}: {reason}", "Name another") from reason

    def _prepare(self, readonly: bool) -> None:
        try:
            self._database.execute("PRAGMA trusted_schema=OFF")
            (found,) = self._database.execute("PRAGMA application_id").fetchone()
            (version,) = self._database.execute("PRAGMA user_version").fetchone()
            (tables,) = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if not readonly and not tables and not version:
                self._create()
            elif found != APPLICATION_ID:
                raise BadStore(f"{self._file} is not a Foldwise store", "Name another folder")
            elif version != SCHEMA_VERSION:
                raise BadStore(
                    f"the store {self.path} has format {version}, this Foldwise reads format {SCHEMA_VERSION}",
                    "Use the version of Foldwise that made it",
                )
            if not readonly:
                self._database.execute("PRAGMA journal_mode=WAL")
                self._database.execute("PRAGMA synchronous=FULL")
        except sqlite3.DatabaseError as reason:
            self.close()
            raise BadStore(f"the store {self.path} is damaged: {reason}", "Restore it from a backup") from reason
        except BadStore:
            self.close()
            raise

    def _create(self) -> None:
        self._database.executescript(
            f"BEGIN; {_SCHEMA} PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={SCHEMA_VERSION}; COMMIT;"
        )

    def _read(self, table: str, column: str, name: str) -> bytes | None:
        try:
            row = self._database.execute(
                f"SELECT content, checksum FROM {table} WHERE {column} = ?", (name,)
            ).fetchone()
        except sqlite3.DatabaseError as reason:
            raise BadStore(f"the store {self.path} is damaged: {reason}", "Restore it from a backup") from reason
        if row is None:
            return None
        if _checksum(name, row[0]) != row[1]:
            raise BadStore(
                f"the store {self.path} is damaged: the checksum of {name[:16]!r} does not fit its content",
                "Restore it from a backup, or start a new store",
            )
        return bytes(row[0])

    def _write(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        try:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                self._database.executemany(statement, rows)
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise
        except sqlite3.Error as reason:
            raise BadStore(
                f"cannot write to the store {self.path}: {reason}",
                "Free some space or permissions there and run the same line again; finished fits are kept",
            ) from reason


def _checksum(name: str, content: bytes) -> str:
    return hashlib.blake2b(name.encode() + b"\0" + content, digest_size=16).hexdigest()
