"""Opening the file of a store, which may be damaged, old, full, read-only, or a stranger's."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from foldwise.errors import BadStore
from foldwise.records.encoding import MOST_BYTES
from foldwise.records.migration import migrate
from foldwise.records.schema import APPLICATION_ID, VERSION, checksum, create, strangers

Answer = TypeVar("Answer")
FILE = "records.db"
# Every page is looked at when a store is opened, at about a second per gigabyte. Above this size that would be
# felt, and `foldwise store verify` does it when asked; each record is checked when it is read in any case.
MOST_CHECKED = 200 * 2**20
MOST_MIGRATED = 500 * 2**20  # an old store is read from a copy in memory up to this size
_WAIT = 10.0  # seconds for a lock that SQLite holds for the time of one write
_PAUSES = (0.1, 0.4, 1.5)  # seconds before a disk that did not answer is asked again
RESTORE = "Restore it from a backup, or copy what is whole of it with `foldwise store salvage RUN`"
_JOURNAL = f"{FILE}-journal"
_NAMES_A_FILE = bytes.fromhex("d9d505f920a163d7")  # how a journal ends that carries the name of a super-journal
_WAL = 2  # what the header says of a file whose newest pages are in the log beside it


def open_writer(folder: Path, *, network: str | None = None) -> sqlite3.Connection:
    """The file of a store, made, checked and brought to the newest format; the caller holds the lock."""
    return patiently(lambda: _open_writer(folder, network))


def open_reader(folder: Path, *, is_known: bool = False) -> sqlite3.Connection:
    """The file of a store for reading, also while another process writes; one that `is_known` is not checked again."""
    return patiently(lambda: _open_reader(folder, is_known))


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


def _is_unanswered(reason: BaseException | None) -> bool:
    """Is this an error of the disk, which says nothing about what is on it?"""
    return _name(reason).startswith("SQLITE_IOERR") or (isinstance(reason, OSError) and reason.errno == errno.EIO)


def _open_writer(folder: Path, network: str | None) -> sqlite3.Connection:
    _check_journal(folder)
    database = _connect(folder, "rwc")
    try:
        if network is not None:
            database.execute("PRAGMA locking_mode=EXCLUSIVE")
        version = _version(database, folder, is_new=_is_empty(database))
        if version == 0:
            create(database)
        else:
            _check_pages(database, folder, version)
        if version in range(1, VERSION):
            migrate(database, version, file=folder / FILE)
        _check_documents(database, folder)
        database.execute(f"PRAGMA journal_mode={'WAL' if network is None else 'DELETE'}")
        database.execute("PRAGMA synchronous=FULL")
        database.execute("BEGIN IMMEDIATE")  # refused now, before any fit, where nothing can be written
        database.execute("ROLLBACK")
    except (sqlite3.Error, OSError) as reason:
        database.close()
        raise cannot_open(folder, reason) from reason
    except UnicodeDecodeError as reason:  # what SQLite quotes of a damaged list of tables is no text
        database.close()
        raise cannot_open(folder, sqlite3.DatabaseError("its list of tables cannot be read")) from reason
    except BaseException:
        database.close()
        raise
    return database


def is_store(folder: Path) -> bool:
    """Is there the file of a store? Also where no path can be like that."""
    return os.path.isfile(folder / FILE)


def _open_reader(folder: Path, is_known: bool) -> sqlite3.Connection:
    if not is_store(folder):
        raise BadStore(f"there is no store in {folder}", "Give the folder that was named with store=")
    _settle(folder)
    database = _connect(folder, "ro")
    try:
        version = _version(database, folder)
        if not is_known:
            _check_pages(database, folder, version)
        if version < VERSION:
            database = _migrated_copy(database, folder, version)
        if not is_known:
            _check_documents(database, folder)
    except (sqlite3.Error, OSError) as reason:
        database.close()
        raise cannot_open(folder, reason) from reason
    except UnicodeDecodeError as reason:  # what SQLite quotes of a damaged list of tables is no text
        database.close()
        raise cannot_open(folder, sqlite3.DatabaseError("its list of tables cannot be read")) from reason
    except BaseException:
        database.close()
        raise
    return database


def _settle(folder: Path) -> None:
    """Undo what a killed writer left half done: SQLite rolls its journal back, which only a writer may do."""
    _check_journal(folder)
    if not (folder / _JOURNAL).exists() or not os.access(folder, os.W_OK):
        return
    with contextlib.closing(_connect(folder, "rw")) as database, contextlib.suppress(sqlite3.Error):
        _is_empty(database)  # the first look at a file rolls it back; what is wrong with it is told by the reader


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
            "Remove that file if the store came from somebody else; restore the store from a backup if it is yours",
        )


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


def has_lost_its_log(folder: Path) -> bool:
    """Do newer pages belong to a log that is missing? So it is with a copy of the .db file alone."""
    try:
        with (folder / FILE).open("rb") as file:
            header = file.read(100)
        log = folder / f"{FILE}-wal"
        is_current = int.from_bytes(header[60:64], "big") >= VERSION  # the first format was left so when closed
        return header[18:20] == bytes([_WAL, _WAL]) and is_current and not (log.exists() and log.stat().st_size)
    except OSError:
        return False


def cannot_open(folder: Path, reason: sqlite3.Error | OSError) -> BadStore:
    """What SQLite says of a file, as our sentence."""
    name = _name(reason)
    if name in ("SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE"):  # a quota or a full disk, which SQLite may call so
        return cannot_write(folder, reason)
    if _is_unanswered(reason):
        return BadStore(
            f"the disk did not answer for the store {folder} ({reason}), {len(_PAUSES) + 1} times in a row",
            "Nothing was changed: check the disk and run the same line again, or copy what can be read with "
            "`foldwise store salvage RUN`",
        )
    if isinstance(reason, OSError):
        return cannot_write(folder, reason)
    if name.startswith("SQLITE_BUSY"):
        return BadStore(f"the store {folder} is held by another process", "Try again when its run has ended")
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_FULL")):
        return cannot_write(folder, reason)
    if name == "SQLITE_TOOBIG":
        return BadStore(f"the store {folder} holds something larger than {MOST_BYTES:,} bytes", "Name another")
    return BadStore(f"the store {folder} is damaged: {reason}", RESTORE)


def cannot_write(folder: Path, reason: sqlite3.Error | OSError) -> BadStore:
    """Why nothing can be written, with the free bytes where space may be the cause."""
    if _name(reason).startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return BadStore(f"cannot write to the store {folder}: {reason}", "Give yourself permission, or name another")
    check = "Check the disk and your quota, free some space" if _is_unanswered(reason) else "Free some space"
    return BadStore(
        f"cannot write to the store {folder}: {reason} ({free_bytes(folder)} free there)",
        f"{check} and run the same line again; finished fits are kept",
    )


def free_bytes(folder: Path) -> str:
    try:
        return f"{shutil.disk_usage(folder).free:,} bytes"
    except OSError:
        return "an unknown number of bytes"


def _connect(folder: Path, mode: str) -> sqlite3.Connection:
    file = (folder / FILE).resolve()
    # Where not even SQLite's own small files can be made, a file without a log is read as it stands.
    is_fixed = mode == "ro" and not os.access(folder, os.W_OK) and not file.with_name(f"{FILE}-wal").exists()
    address = f"{file.as_uri()}?mode={mode}{'&immutable=1' if is_fixed else ''}"
    try:
        database = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False, timeout=_WAIT)
    except sqlite3.Error as reason:
        if _is_unanswered(reason):
            raise cannot_open(folder, reason) from reason
        raise BadStore(f"cannot open the store {folder}: {reason}", "Name another") from reason
    return _hardened(database)


def _hardened(database: sqlite3.Connection) -> sqlite3.Connection:
    """Nothing in a file may run, and nothing in it may be larger than we would write."""
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES + 2**20)
    database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    if sys.version_info >= (3, 12):
        database.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
        database.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER, False)
        database.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_VIEW, False)
    database.execute("PRAGMA trusted_schema=OFF")
    database.execute("PRAGMA cell_size_check=ON")
    return database


def _is_empty(database: sqlite3.Connection) -> bool:
    (entries,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    return not entries and not version


def _version(database: sqlite3.Connection, folder: Path, *, is_new: bool = False) -> int:
    """The format of a store of ours, 0 for one that is to be made."""
    if is_new:
        return 0
    (found,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if _is_empty(database):
        raise BadStore(
            f"the store {folder} is empty: its tables are not in {FILE}",
            f"If it was copied from a run, {FILE}-wal was left behind: copy with `foldwise store backup RUN COPY`",
        )
    if found != APPLICATION_ID:
        raise BadStore(f"{folder / FILE} is not a Foldwise store", "Name another folder")
    if version > VERSION:
        raise BadStore(
            f"the store {folder} has format {version}, this Foldwise reads formats up to {VERSION}",
            "Use the version of Foldwise that made it",
        )
    if odd := strangers(database, version) if version > 0 else [f"format {version}"]:
        raise BadStore(f"{folder / FILE} is not a Foldwise store: it has {', '.join(odd[:3])[:200]}", "Name another")
    return int(version)


def _check_pages(database: sqlite3.Connection, folder: Path, version: int) -> None:
    size = (folder / FILE).stat().st_size
    if size > MOST_CHECKED and version == VERSION:
        return
    (found,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        reason = " ".join(str(found).split())[:200]
        raise BadStore(f"the store {folder} is damaged: {reason}", RESTORE)


def _check_documents(database: sqlite3.Connection, folder: Path) -> None:
    """Documents are few and say what the records mean, so all of them are checked at once."""
    for name, content, found in database.execute("SELECT name, content, checksum FROM documents"):
        if not isinstance(content, bytes) or checksum(str(name), content) != found:
            raise damaged(folder, str(name))


def damaged(folder: Path, name: str) -> BadStore:
    return BadStore(
        f"the store {folder} is damaged: the checksum of {name[:16]!r} does not fit its content",
        RESTORE,
    )


def _migrated_copy(database: sqlite3.Connection, folder: Path, version: int) -> sqlite3.Connection:
    """An old store may be on a disk where we may not write: it is brought up to date in memory."""
    if (folder / FILE).stat().st_size > MOST_MIGRATED:
        raise BadStore(
            f"the store {folder} has the old format {version} and is too large to be read as it is",
            f"Run `foldwise resume {folder}`, which brings it to format {VERSION} and keeps the old file",
        )
    copy = _hardened(sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False))
    try:
        database.backup(copy)
        migrate(copy, version)
    except BaseException:
        copy.close()
        raise
    finally:
        database.close()
    return copy


def _name(reason: BaseException | None) -> str:
    return getattr(reason, "sqlite_errorname", "") or ""
