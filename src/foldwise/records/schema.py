"""The tables of a store by format number, and the checksums of what is in them."""

from __future__ import annotations

import hashlib
import sqlite3

APPLICATION_ID = 0x464F4C44  # "FOLD"
VERSION = 2
PAGE = 8192  # bytes; records of 200 predictions take some 2,200, of which only one fits into the usual 4,096
_DOCUMENTS = (
    "CREATE TABLE documents (name TEXT PRIMARY KEY, content BLOB NOT NULL, checksum TEXT NOT NULL) WITHOUT ROWID"
)
TABLES: dict[int, dict[str, str]] = {
    1: {
        "records": "CREATE TABLE records (key TEXT PRIMARY KEY, content BLOB NOT NULL, checksum TEXT NOT NULL)"
        " WITHOUT ROWID",
        "documents": _DOCUMENTS,
    },
    # What progress and `store info` ask for stands before the content, and has a checksum of its own, so that
    # they read neither long rows nor damaged ones.
    2: {
        "records": "CREATE TABLE records (key TEXT NOT NULL UNIQUE, learner TEXT NOT NULL, status TEXT NOT NULL,"
        " seconds REAL NOT NULL, facts TEXT NOT NULL, checksum TEXT NOT NULL, content BLOB NOT NULL)",
        "documents": _DOCUMENTS,
    },
}


def create(database: sqlite3.Connection) -> None:
    """Make the tables of a new store, all of them or none."""
    database.execute(f"PRAGMA page_size={PAGE}")
    tables = ";".join(TABLES[VERSION].values())
    database.executescript(
        f"BEGIN; {tables}; PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={VERSION}; COMMIT;"
    )


def strangers(database: sqlite3.Connection, version: int) -> list[str]:
    """Tables of the format that are missing, or other content: a view or a trigger would be somebody's code."""
    wanted, odd = dict(TABLES[version]), []
    for kind, name, table, text in database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"):
        if kind == "table" and wanted.pop(name, None) == text:
            continue
        if kind == "index" and text is None and table in TABLES[version]:
            continue  # the one that SQLite makes for a unique column
        odd.append(f"{kind} {name}")
    return odd + [f"no table {name}" for name in wanted]


def checksum(name: str, content: bytes) -> str:
    """The checksum of a record or document, over its name too."""
    return hashlib.blake2b(_bytes(name) + b"\0" + content, digest_size=16).hexdigest()


def facts_checksum(key: str, learner: str, status: str, seconds: float, content_checksum: str) -> str:
    """The checksum of what is known of a record without reading its content."""
    parts = (key, learner, status, float(seconds).hex(), content_checksum)
    return hashlib.blake2b(b"\0".join(map(_bytes, parts)), digest_size=16).hexdigest()


def storable(text: str) -> str:
    """A text as SQLite can hold it: half characters are written out."""
    return _bytes(text).decode()


def _bytes(text: str) -> bytes:
    return text.encode(errors="backslashreplace")
