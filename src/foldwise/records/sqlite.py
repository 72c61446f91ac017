"""Records in a folder: one SQLite file, one writer, a checksum per row, JSON and numbers only."""

from __future__ import annotations

import math
import os
import sqlite3
import weakref
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from foldwise.errors import BadStore
from foldwise.records.cache import Cache
from foldwise.records.database import (
    DAMAGED_FILE,
    FILE,
    VERSION,
    cannot_open,
    cannot_write,
    checkpoint,
    checksum,
    is_whole,
    open_reader,
    open_writer,
    patiently,
)
from foldwise.records.encoding import clipped, decode, encode
from foldwise.records.lock import Taken, take
from foldwise.records.record import Record


class Facts(NamedTuple):
    """What is known of a record without reading its content."""

    key: str
    learner: str
    status: str
    seconds: float


class SqliteStore:
    """A store in the folder `path`; a second writer is refused, readers are always welcome.

    The lock belongs to the kernel and dies with its holder, so that nothing is left to clean up after a kill. A row
    whose checksum does not fit counts as missing, so that whoever needs it makes it again. Records used last are kept
    at hand, up to a number of bytes; the others are read again, also when the store has been closed.
    """

    def __init__(self, path: str | Path, *, readonly: bool = False) -> None:
        self.path = Path(path)
        self._cache = Cache()
        self._documents: dict[str, bytes | None] = {}
        self._lock: int | None = None
        self._is_new = False  # no record in it yet, so that none is looked for
        self._let_go: weakref.finalize[Any, Any] | None = None
        self._database: sqlite3.Connection | None = open_reader(self.path) if readonly else self._open_writer()

    def get(self, key: str) -> Record | None:
        record = self._cache.get(key)
        if record is None and not self._is_new:
            content = self._content("SELECT * FROM records WHERE key = ?", key)
            if content is not None:
                record = self._cache.put(decode(key, content))
        return record

    def add(self, records: Iterable[Record]) -> None:
        records = [clipped(record) for record in records]
        self._write("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?)", [_row(record) for record in records])
        self._is_new = self._is_new and not records
        for record in records:
            self._cache.put(record)

    def discard(self, keys: Iterable[str]) -> None:
        keys = list(keys)
        self._write("DELETE FROM records WHERE key = ?", [(key,) for key in keys])
        for key in keys:
            self._cache.drop(key)

    def keys(self) -> Iterator[str]:
        return (key for (key,) in self._select("SELECT key FROM records ORDER BY key"))

    def facts(self) -> Iterator[Facts]:
        """Key, learner, status and seconds of every record, in the order of their keys."""
        return (facts for _, facts in self._places("ORDER BY key"))

    def document(self, name: str) -> bytes | None:
        if name not in self._documents:
            self._documents[name] = self._content("SELECT * FROM documents WHERE name = ?", name)
        return self._documents[name]

    def write_document(self, name: str, content: bytes) -> None:
        if self.document(name) != content:
            row = (name, checksum(name, content), content)
            self._write("INSERT OR REPLACE INTO documents VALUES (?, ?, ?)", [row])
            self._documents[name] = content

    def info(self) -> dict[str, Any]:
        """How many records there are, how many failed and how, and how large the store is."""
        statuses: Counter[str] = Counter()
        failed: list[Facts] = []
        seconds = 0.0
        for facts in self.facts():
            statuses[facts.status] += 1
            seconds += facts.seconds
            if facts.status != "ok":
                failed.append(facts)
        is_mended = (self.path / DAMAGED_FILE).exists()
        return {
            "path": str(self.path),
            "records": statuses.total(),
            "failed": len(failed),
            "statuses": dict(sorted(statuses.items())),
            "failures": [self._failure(facts) for facts in failed[:20]],
            "seconds": seconds,
            "bytes": sum(part.stat().st_size for part in self.path.glob(f"{FILE}*")),
            "schema": VERSION,
            "notes": [f"a damaged file was set aside as {DAMAGED_FILE}, which is no longer used"] if is_mended else [],
        }

    def verify(self) -> list[str]:
        """All problems: damaged pages, and rows that do not fit their checksums or cannot be read."""
        problems: list[str] = []
        for check in (self._bad_pages(), self._bad_rows("records"), self._bad_rows("documents")):
            try:
                problems.extend(check)
            except sqlite3.Error as reason:
                problems.append(cannot_open(self.path, reason).problem)
        return list(dict.fromkeys(problems))

    def close(self) -> None:
        """Let go of the file and its lock; what is asked for later is read from the file again."""
        if self._let_go is not None:
            self._let_go()
            self._let_go = None
        if self._database is not None:
            if self._lock is not None:
                checkpoint(self._database)
            self._database.close()
        self._database = None
        self._release()

    def renew(self) -> None:
        """Forget what was read of a closed store, as another has written to it since."""
        self.close()
        self._documents.clear()

    def _open_writer(self) -> sqlite3.Connection:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as reason:
            raise BadStore(f"cannot make the store folder {self.path}: {reason.strerror}", "Name another") from reason
        try:
            self._lock = take(self.path / "lock")
        except Taken as reason:
            raise BadStore(
                f"the store {self.path} is in use by another run (process {reason.holder})",
                "Wait until it ends, or name another store",
            ) from reason
        except OSError as reason:
            raise BadStore(
                f"cannot write to the store {self.path}: {reason.strerror}",
                f"Name another, or read it: foldwise report {self.path}",
            ) from reason
        try:
            database = open_writer(self.path)
            self._is_new = database.execute("SELECT 1 FROM records LIMIT 1").fetchone() is None
        except BaseException:
            self._release()
            raise
        return database

    def _release(self) -> None:
        if self._lock is not None:
            with suppress(OSError):
                os.ftruncate(self._lock, 0)  # who only looks at it sees that nobody is writing
            os.close(self._lock)
            self._lock = None

    def _reader(self) -> sqlite3.Connection:
        """The open file; a closed store is opened for reading, until it is closed again or nobody holds it."""
        if self._database is None:
            self._database = open_reader(self.path)
            self._let_go = weakref.finalize(self, self._database.close)
        return self._database

    def _places(self, which: str) -> Iterator[tuple[int, Facts]]:
        """The place in the file and the facts of some records; those that no record can have are left out."""
        for place, *values in self._select(f"SELECT rowid, key, learner, status, seconds FROM records {which}"):
            facts = Facts(*values)
            is_text = all(isinstance(text, str) for text in facts[:3])
            if is_text and isinstance(facts.seconds, int | float) and math.isfinite(facts.seconds):
                yield place, facts

    def _select(self, statement: str, values: Sequence[Any] = ()) -> Any:
        def attempt() -> Any:
            try:
                return self._reader().execute(statement, values).fetchall()
            except sqlite3.Error as reason:
                raise cannot_open(self.path, reason) from reason

        return patiently(attempt)

    def _content(self, statement: str, name: str) -> bytes | None:
        """The content of a row, if there is one and its checksum fits."""
        rows = self._select(statement, (name,))
        return rows[0][-1] if rows and is_whole(rows[0]) else None

    def _write(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        if self._lock is None or self._database is None:
            raise BadStore(f"the store {self.path} is open for reading only", "Open it for writing")
        database = self._database
        try:
            database.execute("BEGIN IMMEDIATE")
            try:
                database.executemany(statement, rows)
                database.execute("COMMIT")
            except BaseException:
                if database.in_transaction:
                    database.execute("ROLLBACK")
                raise
        except sqlite3.Error as reason:
            raise cannot_write(self.path, reason) from reason

    def _failure(self, facts: Facts) -> dict[str, Any]:
        record = self.get(facts.key)
        error = "" if record is None else record.error
        return {"learner": facts.learner, "status": facts.status, "error": error}

    def _bad_pages(self) -> Iterator[str]:
        for (text,) in self._reader().execute("PRAGMA integrity_check"):
            if text != "ok":
                yield f"pages: {' '.join(str(text).split())}"

    def _bad_rows(self, table: str) -> Iterator[str]:
        for row in self._reader().execute(f"SELECT * FROM {table}"):
            if not is_whole(row):
                yield f"{table}: the checksum of {str(row[0])[:16]!r} does not fit"
            elif table == "records":
                try:
                    decode(row[0], row[-1])
                except BadStore as reason:
                    yield f"records: {reason.problem}"


def _row(record: Record) -> tuple[Any, ...]:
    learner = record.learner.encode(errors="backslashreplace").decode()  # SQLite takes no half characters
    facts, content = Facts(record.key, learner, record.status, float(record.seconds)), encode(record)
    return (*facts, checksum(*facts, content), content)
