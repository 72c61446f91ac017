"""Records in a folder: one SQLite file, one writer, a checksum per record, JSON and numbers only."""

from __future__ import annotations

import os
import sqlite3
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

from foldwise.errors import BadStore
from foldwise.records.cache import Cache
from foldwise.records.database import (
    FILE,
    cannot_open,
    cannot_write,
    checkpoint,
    damaged,
    has_lost_its_log,
    open_reader,
    open_writer,
    patiently,
)
from foldwise.records.encoding import clipped, decode, encode
from foldwise.records.lock import Taken, take
from foldwise.records.migration import copy_whole
from foldwise.records.mounts import network_of
from foldwise.records.record import Record
from foldwise.records.salvage import find_whole
from foldwise.records.schema import VERSION, checksum, facts_checksum, storable

_LOG_NOTE = (
    "{path} was perhaps copied without its records.db-wal, so that its newest fits may be missing here: "
    "they are made again where they are needed; `foldwise store backup RUN COPY` copies a store whole"
)
_NETWORK_NOTE = (
    "{path} is on a network file system ({kind}), where SQLite's log cannot be shared: "
    "the file is held by this run alone, and others can read it when the run has ended"
)
_INSERT = "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?, ?)"


class Facts(NamedTuple):
    """What is known of a record without reading its content."""

    key: str
    learner: str
    status: str
    seconds: float


class SqliteStore:
    """A store in the folder `path`; a second writer is refused, readers are always welcome.

    The lock belongs to the kernel and dies with its holder, so that nothing is left
    to clean up after a kill. Records used last are kept at hand, up to a number of
    bytes; the others are read again, also when the store has been closed.
    """

    def __init__(self, path: str | Path, *, readonly: bool = False) -> None:
        self.path = Path(path)
        self.notes: list[tuple[str, str]] = []
        self._cache = Cache()
        self._documents: dict[str, bytes | None] = {}
        self._lock: int | None = None
        self._is_new = False  # no record in it yet, so that none is looked for
        self._let_go: weakref.finalize[Any, Any] | None = None
        if has_lost_its_log(self.path):
            self.notes.append(("log", _LOG_NOTE.format(path=self.path)))
        self._database: sqlite3.Connection | None = open_reader(self.path) if readonly else self._open_writer()

    def get(self, key: str) -> Record | None:
        record = self._cache.get(key)
        if record is None and not self._is_new:
            content = self._read("records", "key", key)
            if content is not None:
                record = self._cache.put(decode(key, content))
        return record

    def add(self, records: Iterable[Record]) -> None:
        records = [clipped(record) for record in records]
        self._write(_INSERT, [_row(record) for record in records])
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
            self._documents[name] = self._read("documents", "name", name)
        return self._documents[name]

    def write_document(self, name: str, content: bytes) -> None:
        if self.document(name) != content:
            rows = [(name, content, checksum(name, content))]
            self._write("INSERT OR REPLACE INTO documents VALUES (?, ?, ?)", rows)
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
        return {
            "path": str(self.path),
            "records": statuses.total(),
            "failed": len(failed),
            "statuses": dict(sorted(statuses.items())),
            "failures": [self._failure(facts) for facts in failed[:20]],
            "seconds": seconds,
            "bytes": sum(part.stat().st_size for part in self.path.glob(f"{FILE}*")),
            "schema": VERSION,
            "notes": [text for _, text in self.notes],
        }

    def verify(self) -> list[str]:
        """All problems: damaged pages, records and documents that do not fit their checksums or cannot be read."""
        problems: list[str] = []
        for check in (self._bad_pages, self._bad_records, self._bad_documents):
            try:
                problems.extend(check())
            except (sqlite3.Error, BadStore) as reason:
                problems.append(" ".join(str(reason).split()))
        return problems

    def backup(self, target: str | Path) -> list[str]:
        """Copy the store, whole, into another folder; safe while a run is writing. All problems of the copy, if any."""
        folder = Path(target)
        if (folder / FILE).exists():
            raise BadStore(f"there is a store in {folder} already", "Give a folder that does not exist yet")
        _make_folder(folder)
        try:
            copy_whole(self._reader(), folder / FILE)
        except sqlite3.Error as reason:
            raise cannot_write(folder, reason) from reason
        except OSError as reason:
            raise BadStore(f"cannot write the copy {folder}: {reason.strerror}", "Name another folder") from reason
        with closing(SqliteStore(folder, readonly=True)) as copy:
            return copy.verify()

    @classmethod
    def salvage(cls, path: str | Path, target: str | Path) -> dict[str, Any]:
        """Copy every record and document of a damaged store whose checksum holds into another folder."""
        folder, found = Path(target), find_whole(Path(path))
        if (folder / FILE).exists():
            raise BadStore(f"there is a store in {folder} already", "Give a folder that does not exist yet")
        with closing(cls(folder)) as copy:
            rows = (_row(decode(key, content), content) for key, content in sorted(found.records.items()))
            copy._write(_INSERT, list(rows))
            for name, content in sorted(found.documents.items()):
                copy.write_document(name, content)
        return {
            "path": str(path),
            "copy": str(folder),
            "records": len(found.records),
            "documents": sorted(found.documents),
            "lost": found.lost,
        }

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
        _make_folder(self.path)
        self._take_lock()
        try:
            network = network_of(self.path)
            if network is not None:
                self.notes.append(("network", _NETWORK_NOTE.format(path=self.path, kind=network)))
            database = open_writer(self.path, network=network)
            self._is_new = database.execute("SELECT 1 FROM records LIMIT 1").fetchone() is None
        except BaseException:
            self._release()
            raise
        return database

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

    def _release(self) -> None:
        if self._lock is not None:
            with suppress(OSError):
                os.ftruncate(self._lock, 0)  # who only looks at it sees that nobody is writing
            os.close(self._lock)
            self._lock = None

    def _reader(self) -> sqlite3.Connection:
        """The open file; a closed store is opened for reading, until it is closed again or nobody holds it."""
        if self._database is None:
            self._database = open_reader(self.path, is_known=True)
            self._let_go = weakref.finalize(self, self._database.close)
        return self._database

    def _places(self, which: str) -> Iterator[tuple[int, Facts]]:
        """The place in the file and the facts of some records, each compared with its checksum."""
        columns = "rowid, key, learner, status, seconds, checksum, facts"
        for place, *known, content_checksum, found in self._select(f"SELECT {columns} FROM records {which}"):
            facts = Facts(*known)
            if not _fits(facts, content_checksum, found):
                raise damaged(self.path, str(facts.key))
            yield place, facts

    def _select(self, statement: str) -> Any:
        return self._ask(lambda database: database.execute(statement).fetchall())

    def _ask(self, question: Callable[[sqlite3.Connection], Any]) -> Any:
        def attempt() -> Any:
            try:
                return question(self._reader())
            except sqlite3.Error as reason:
                raise cannot_open(self.path, reason) from reason

        return patiently(attempt)

    def _read(self, table: str, column: str, name: str) -> bytes | None:
        statement = f"SELECT content, checksum FROM {table} WHERE {column} = ?"
        row = self._ask(lambda database: database.execute(statement, (name,)).fetchone())
        if row is None:
            return None
        content, found = row
        if not isinstance(content, bytes) or checksum(name, content) != found:
            raise damaged(self.path, name)
        return content

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

    def _bad_records(self) -> Iterator[str]:
        columns = "key, learner, status, seconds, checksum, facts, content"
        for *known, content_checksum, found, content in self._reader().execute(f"SELECT {columns} FROM records"):
            facts = Facts(*known)
            key = str(facts.key)
            if not isinstance(content, bytes) or checksum(key, content) != content_checksum:
                yield f"records: the checksum of {key[:16]!r} does not fit its content"
            elif not _fits(facts, content_checksum, found):
                yield f"records: the checksum of {key[:16]!r} does not fit its learner, status and seconds"
            else:
                yield from _unreadable(facts, content)

    def _bad_documents(self) -> Iterator[str]:
        for name, content, found in self._reader().execute("SELECT name, content, checksum FROM documents"):
            if not isinstance(content, bytes) or checksum(str(name), content) != found:
                yield f"documents: the checksum of {str(name)[:16]!r} does not fit its content"


def _row(record: Record, content: bytes | None = None) -> tuple[Any, ...]:
    content = encode(record) if content is None else content
    found = checksum(record.key, content)
    facts = Facts(record.key, storable(record.learner), record.status, float(record.seconds))
    return (*facts, facts_checksum(*facts, found), found, content)


def _fits(facts: Facts, content_checksum: Any, found: Any) -> bool:
    try:
        return bool(facts_checksum(*facts, content_checksum) == found)
    except (TypeError, ValueError, AttributeError):
        return False  # not even the kinds are right


def _unreadable(facts: Facts, content: bytes) -> Iterator[str]:
    try:
        record = decode(facts.key, content)
    except BadStore as reason:
        yield f"records: {reason.problem}"
        return
    if (storable(record.learner), record.status, float(record.seconds)) != facts[1:]:
        yield f"records: {facts.key[:16]!r} says something else of itself than its content does"


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as reason:
        raise BadStore(f"cannot make the store folder {path}: {reason.strerror}", "Name another") from reason
