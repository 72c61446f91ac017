"""Stores as the first format left them, written by SQL alone."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import struct
import zlib
from pathlib import Path

import numpy as np

TABLES = """
CREATE TABLE records (key TEXT PRIMARY KEY, content BLOB NOT NULL, checksum TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE documents (name TEXT PRIMARY KEY, content BLOB NOT NULL, checksum TEXT NOT NULL) WITHOUT ROWID;
"""


def checksum(name: str, content: bytes) -> str:
    return hashlib.blake2b(name.encode() + b"\0" + content, digest_size=16).hexdigest()


def content_of(head: dict, arrays: dict) -> bytes:
    layout = [[name, array.dtype.str, list(array.shape)] for name, array in arrays.items()]
    text = json.dumps({"head": head, "arrays": layout}, sort_keys=True).encode()
    return struct.pack("<I", len(text)) + text + zlib.compress(b"".join(map(np.ndarray.tobytes, arrays.values())), 1)


def truth(number: int) -> dict:
    """What record `number` of an old store says."""
    rng = np.random.default_rng(number)
    is_ok = number % 10 != 9
    return {
        "status": "ok" if is_ok else "error",
        "error": "" if is_ok else "ValueError: no",
        "warnings": ["UserWarning: careful"] if number % 4 == 0 else [],
        "seconds": number / 7,
        "learner": f"learner {number % 3}",
        "rows": np.sort(rng.choice(5000, 80, replace=False)).astype("<u2"),
        "responses": {"predict": rng.normal(size=80)} if is_ok else {},
    }


def write_old_store(folder: Path, records: int = 30) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(folder / "records.db", isolation_level=None)
    database.executescript(f"BEGIN; {TABLES} PRAGMA application_id={0x464F4C44}; PRAGMA user_version=1; COMMIT;")
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("BEGIN")
    for number in range(records):
        known = truth(number)
        head = {name: known[name] for name in ("status", "error", "warnings", "seconds", "learner")}
        head["responses"] = sorted(known["responses"])
        content = content_of(head, {"rows": known["rows"], **known["responses"]})
        key = f"{number:032x}"
        database.execute("INSERT INTO records VALUES (?, ?, ?)", (key, content, checksum(key, content)))
    note = b'{"data": "abc"}'
    database.execute("INSERT INTO documents VALUES (?, ?, ?)", ("manifest", note, checksum("manifest", note)))
    database.execute("COMMIT")
    database.close()
