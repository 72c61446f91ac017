"""The SQLite file of a store, which may be damaged, old, full, read-only, or a stranger's."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from foldwise.errors import BadStore
from foldwise.records.encoding import MOST_BYTES

Answer = TypeVar("Answer")
FILE, DAMAGED_FILE = "records.db", "records.damaged.db"
APPLICATION_ID = 0x464F4C44  # "FOLD"
VERSION = 3
PAGE = 8192  # bytes; records of 200 predictions take some 2,200, of which only one fits into the usual 4,096
# What progress and `store info` ask for stands before the content, so that they read no long rows.
TABLES = {
    "records": "CREATE TABLE records (key TEXT NOT NULL UNIQUE, learner TEXT NOT NULL, status TEXT NOT NULL,"
    " seconds REAL NOT NULL, checksum TEXT NOT NULL, content BLOB NOT NULL)",
    "documents": "CREATE TABLE documents (name TEXT NOT NULL UNIQUE, checksum TEXT NOT NULL, content BLOB NOT NULL)",
}
AGAIN = "Run the same line again: what can still be read is kept, and the rest is made again"
_WAIT = 10.0  # seconds for a lock that SQLite holds for the time of one write
_PAUSES = (0.1, 0.4, 1.5)  # seconds before a disk that did not answer is asked again
_JOURNAL = f"{FILE}-journal"
_NAMES_A_FILE = bytes.fromhex("d9d505f920a163d7")  # how a journal ends that carries the name of a super-journal


def open_writer(folder: Path) -> sqlite3.Connection:
    """Open the file to write to it, after making or mending it where needed; the caller holds the lock."""
    return patiently(lambda: _open_writer(folder))


def open_reader(folder: Path) -> sqlite3.Connection:
    """Open the file to read it, also while another process writes."""
    return patiently(lambda: _open_reader(folder))


def patiently(attempt: Callable[[], Answer]) -> Answer:
    """Try again where the disk did not answer: a cable, a network or a sleeping disk may be back in a moment."""
    for seconds in _PAUSES:
        try:
            return attempt()
        except BadStore as reason:
            if not _is_unanswered(reason.__cause__):
                raise
            time.sleep(seconds)
    return attempt()


def checksum(*parts: str | float | bytes) -> str:
    """The checksum of a row, over all its values."""
    return hashlib.blake2b(b"\0".join(map(_as_bytes, parts)), digest_size=16).hexdigest()


def is_whole(row: Sequence[Any]) -> bool:
    """Is the checksum of a row that of its other values?"""
    *values, stored, content = row
    try:
        return isinstance(content, bytes) and checksum(*values, content) == stored
    except (TypeError, ValueError, AttributeError):
        return False  # not even the kinds are right


def is_store(folder: Path) -> bool:
    """Is there the file of a store? Also where no path can be like that."""
    return os.path.isfile(folder / FILE)


def checkpoint(database: sqlite3.Connection) -> None:
    """Write the log into the file, so that a store without a writer is one file, easy to copy."""
    for _ in range(10):
        try:
            database.execute("PRAGMA busy_timeout=0")
            database.execute("PRAGMA journal_mode=DELETE")
            return
        except sqlite3.Error as reason:
            if not _name(reason).startswith("SQLITE_BUSY"):
                return
            time.sleep(0.05)  # another process is reading it, perhaps briefly; else the log stays


def cannot_open(folder: Path, reason: sqlite3.Error | OSError) -> BadStore:
    """What SQLite says of a file, as our sentence."""
    name = _name(reason)
    if name in ("SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE"):  # a quota or a full disk, which SQLite may call so
        return cannot_write(folder, reason)
    if _is_unanswered(reason):
        return BadStore(
            f"the disk did not answer for the store {folder} ({reason}), {len(_PAUSES) + 1} times in a row",
            "Nothing was changed: check the disk and run the same line again",
        )
    if isinstance(reason, OSError):
        return cannot_write(folder, reason)
    if name.startswith("SQLITE_BUSY"):
        return BadStore(f"the store {folder} is held by another process", "Try again when its run has ended")
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_FULL")):
        return cannot_write(folder, reason)
    if name == "SQLITE_TOOBIG":
        return BadStore(f"the store {folder} holds something larger than {MOST_BYTES:,} bytes", "Name another")
    if name == "SQLITE_NOTADB":
        return BadStore(
            f"{folder / FILE} is damaged, or is not a Foldwise store: {reason}", "Remove it, or name another"
        )
    return BadStore(f"the store {folder} is damaged: {reason}", AGAIN)


def cannot_write(folder: Path, reason: sqlite3.Error | OSError) -> BadStore:
    """Why nothing can be written, with the free bytes where space may be the cause."""
    if _name(reason).startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return BadStore(f"cannot write to the store {folder}: {reason}", "Give yourself permission, or name another")
    try:
        space = f"{shutil.disk_usage(folder).free:,} bytes"
    except OSError:
        space = "an unknown number of bytes"
    check = "Check the disk and your quota, free some space" if _is_unanswered(reason) else "Free some space"
    return BadStore(
        f"cannot write to the store {folder}: {reason} ({space} free there)",
        f"{check} and run the same line again; finished fits are kept",
    )


def _open_writer(folder: Path) -> sqlite3.Connection:
    with _in_words(folder) as on_error:
        _check_journal(folder)
        database = on_error.enter_context(contextlib.closing(_connect(folder, "rwc")))
        if not _is_ready(database, folder):
            database.close()
            _rebuild(folder)
            database = on_error.enter_context(contextlib.closing(_connect(folder, "rwc")))
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=FULL")
        database.execute("BEGIN IMMEDIATE")  # refused now, before any fit, where nothing can be written
        database.execute("ROLLBACK")
        on_error.pop_all()
        return database


def _open_reader(folder: Path) -> sqlite3.Connection:
    if not is_store(folder):
        raise BadStore(f"there is no store in {folder}", "Give the folder that was named with store=")
    with _in_words(folder) as on_error:
        _check_journal(folder)
        if (folder / _JOURNAL).exists() and os.access(folder, os.W_OK):
            # What a killed writer left half done is rolled back at the first look, which only a writer may do.
            with contextlib.closing(_connect(folder, "rw")) as writer, contextlib.suppress(sqlite3.Error):
                _is_empty(writer)
        database = on_error.enter_context(contextlib.closing(_connect(folder, "ro")))
        _check_format(database, folder)
        on_error.pop_all()
        return database


@contextlib.contextmanager
def _in_words(folder: Path) -> Iterator[contextlib.ExitStack]:
    """Say in a sentence why a file cannot be opened, and close what was opened."""
    with contextlib.ExitStack() as on_error:
        try:
            yield on_error
        except (sqlite3.Error, OSError) as reason:
            raise cannot_open(folder, reason) from reason
        except UnicodeDecodeError as reason:  # what SQLite quotes of a damaged list of tables is no text
            raise cannot_open(folder, sqlite3.DatabaseError("its list of tables cannot be read")) from reason


def _create(database: sqlite3.Connection) -> None:
    """Make the tables of a new store, all of them or none."""
    database.execute(f"PRAGMA page_size={PAGE}")
    tables = ";".join(TABLES.values())
    database.executescript(
        f"BEGIN; {tables}; PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={VERSION}; COMMIT;"
    )


def _is_ready(database: sqlite3.Connection, folder: Path) -> bool:
    """Make the tables of a new store, or look at every page of an old one, which takes about a second per gigabyte."""
    try:
        if _header(database) == (0, 0) and _is_empty(database):
            _create(database)
        _check_format(database, folder)
        return bool(database.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    except (sqlite3.DatabaseError, UnicodeDecodeError) as reason:  # a message may quote what is no text
        is_damage = isinstance(reason, UnicodeDecodeError) or _name(reason).startswith("SQLITE_CORRUPT")
        with (folder / FILE).open("rb") as file:
            is_ours = int.from_bytes(file.read(72)[68:], "big") == APPLICATION_ID
        if is_damage and is_ours:
            return False
        raise


def _rebuild(folder: Path) -> None:
    """Copy what SQLite can still read of a damaged file into a new one, and set the old one aside."""
    file, part = folder / FILE, folder / f"{FILE}.part"
    part.unlink(missing_ok=True)
    with (
        contextlib.closing(_connect(folder, "ro")) as damaged,
        contextlib.closing(_connect(folder, "rwc", part)) as new,
    ):
        # A file that has lost its end is read only where its list of tables may be edited.
        if sys.version_info >= (3, 12):
            damaged.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, False)
        damaged.execute("PRAGMA writable_schema=ON")
        _create(new)
        new.execute("BEGIN")
        for table in TABLES:
            for row in _readable_rows(damaged, table):
                if is_whole(row):
                    new.execute(f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(row))})", row)
        new.execute("COMMIT")
    for ending in ("-wal", "-shm", ""):  # the log first: it must not be applied to the new file
        if file.with_name(f"{FILE}{ending}").exists():
            os.replace(f"{file}{ending}", folder / f"{DAMAGED_FILE}{ending}")
    os.replace(part, file)


def _readable_rows(database: sqlite3.Connection, table: str) -> Iterator[tuple[Any, ...]]:
    """The rows before the first page that cannot be read, and those after the last one."""
    for order in ("ASC", "DESC"):
        try:
            yield from database.execute(f"SELECT * FROM {table} NOT INDEXED ORDER BY rowid {order}")
            return
        except (sqlite3.DatabaseError, UnicodeDecodeError) as reason:
            if _is_unanswered(reason):
                raise


def _check_journal(folder: Path) -> None:
    """Refuse a journal that names a further file: ours never do, and SQLite would delete that file, wherever it is."""
    try:
        with (folder / _JOURNAL).open("rb") as file:
            file.seek(-len(_NAMES_A_FILE), os.SEEK_END)
            is_foreign = file.read() == _NAMES_A_FILE
    except OSError:  # no journal, or one too short to say anything
        return
    if is_foreign:
        raise BadStore(
            f"{folder / _JOURNAL} is not a journal of Foldwise: it belongs to several databases at once",
            "Remove that file if the store came from somebody else; name another store if it is yours",
        )


def _check_format(database: sqlite3.Connection, folder: Path) -> None:
    """Refuse what is not a store of this format."""
    application, version = _header(database)
    if (application, version) == (0, 0) and _is_empty(database):
        raise BadStore(f"the store {folder} is empty", "Run a study with store= first, or name another")
    if application != APPLICATION_ID or version < 1:
        raise BadStore(f"{folder / FILE} is not a Foldwise store", "Name another folder")
    if version != VERSION:
        age, remedy = (
            ("an older", "Name another folder, and the fits are made again")
            if version < VERSION
            else ("a newer", "Use the version of Foldwise that made it, or name another folder")
        )
        raise BadStore(f"the store {folder} has format {version}, of {age} Foldwise; this one reads {VERSION}", remedy)
    if odd := _strangers(database):
        raise BadStore(f"{folder / FILE} is not a Foldwise store: it has {', '.join(odd[:3])[:200]}", "Name another")


def _strangers(database: sqlite3.Connection) -> list[str]:
    """Tables of the format that are missing, or other content: a view or a trigger would be somebody's code."""
    wanted, odd = dict(TABLES), []
    for kind, name, table, text in database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"):
        if kind == "table" and wanted.pop(name, None) == text:
            continue
        if kind == "index" and text is None and table in TABLES:
            continue  # the one that SQLite makes for a unique column
        odd.append(f"{kind} {name}")
    return odd + [f"no table {name}" for name in wanted]


def _connect(folder: Path, mode: str, path: Path | None = None) -> sqlite3.Connection:
    file = (path or folder / FILE).resolve()
    # Where not even SQLite's own small files can be made, a file without a log is read as it stands.
    is_fixed = mode == "ro" and not os.access(folder, os.W_OK) and not file.with_name(f"{FILE}-wal").exists()
    address = f"{file.as_uri()}?mode={mode}{'&immutable=1' if is_fixed else ''}"
    try:
        database = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False, timeout=_WAIT)
    except sqlite3.Error as reason:
        if _is_unanswered(reason):
            raise
        raise BadStore(f"cannot open the store {folder}: {reason}", "Name another") from reason
    database.text_factory = lambda text: text.decode(errors="replace")  # a damaged one does not fit its checksum
    # Nothing in a file may run, and nothing in it may be larger than we would write.
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES + 2**20)
    database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    if sys.version_info >= (3, 12):
        database.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
        database.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER, False)
        database.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_VIEW, False)
    database.execute("PRAGMA trusted_schema=OFF")
    database.execute("PRAGMA cell_size_check=ON")
    return database


def _header(database: sqlite3.Connection) -> tuple[int, int]:
    """The application id and the format, which can be read also where the list of tables cannot."""
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    return application, version


def _is_empty(database: sqlite3.Connection) -> bool:
    return database.execute("SELECT 1 FROM sqlite_master").fetchone() is None


def _is_unanswered(reason: BaseException | None) -> bool:
    """Is this an error of the disk, which says nothing about what is on it?"""
    return _name(reason).startswith("SQLITE_IOERR") or (isinstance(reason, OSError) and reason.errno == errno.EIO)


def _name(reason: BaseException | None) -> str:
    return getattr(reason, "sqlite_errorname", "") or ""


def _as_bytes(part: str | float | bytes) -> bytes:
    if isinstance(part, bytes):
        return part
    return (part if isinstance(part, str) else float(part).hex()).encode(errors="backslashreplace")
