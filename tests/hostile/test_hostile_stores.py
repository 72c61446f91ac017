"""Stores from strangers: no view, trigger or pickle in them runs, and no small record fills the memory."""

from __future__ import annotations

import json
import pickle
import sqlite3
import struct
import zlib
from functools import cache

import numpy as np
import pytest

import foldwise as fw
from foldwise.api.manifest import stored_versions
from foldwise.errors import BadStore, FoldwiseError
from foldwise.records.database import APPLICATION_ID, checksum
from foldwise.records.encoding import decode, pack, unpack
from foldwise.records.sqlite import SqliteStore
from foldwise.studies.stored import ORIGIN
from foldwise.testing.stores import some_record


@pytest.fixture
def run(tmp_path):
    store = SqliteStore(tmp_path / "run")
    store.add([some_record()])
    store.close()
    return tmp_path / "run"


def change(run, *statements):
    database = sqlite3.connect(run / "records.db")
    with database:
        for statement in statements:
            database.execute(statement)
    database.close()


def put(run, content, *, key="b" * 32, status="ok", seconds=0.5):
    """A record of any content, with a checksum that fits."""
    row = (key, "evil", status, seconds, checksum(key, "evil", status, seconds, content), content)
    database = sqlite3.connect(run / "records.db")
    with database:
        database.execute("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?)", row)
    database.close()


def content(head, arrays, body, **more):
    text = json.dumps({"head": head, "arrays": arrays, **more}).encode()
    return struct.pack("<I", len(text)) + text + body


STRANGERS = {
    "view": ("CREATE VIEW v AS SELECT * FROM records",),
    "view in place of a table": ("ALTER TABLE records RENAME TO old", "CREATE VIEW records AS SELECT * FROM old"),
    "trigger": ("CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records; END",),
    "index": ("CREATE INDEX i ON records (learner)",),
    "expression index": ("CREATE INDEX i ON records (abs(seconds))",),
    "table": ("CREATE TABLE more (a)",),
    "full text": ("CREATE VIRTUAL TABLE t USING fts5(a)",),
    "column": ("ALTER TABLE records ADD COLUMN evil TEXT DEFAULT 'x'",),
    "negative format": ("PRAGMA user_version=-1",),
    "no format": ("PRAGMA user_version=0",),
    "application": (f"PRAGMA application_id={APPLICATION_ID + 1}",),
}


@pytest.mark.parametrize("name", STRANGERS)
@pytest.mark.parametrize("readonly", [True, False])
def test_a_database_that_is_not_quite_ours_is_refused(run, name, readonly):
    change(run, *STRANGERS[name])
    with pytest.raises(BadStore, match="is not a Foldwise store"):
        SqliteStore(run, readonly=readonly)


def test_somebody_elses_database_is_refused_and_left_alone(tmp_path):
    database = sqlite3.connect(tmp_path / "records.db")
    with database:
        database.execute("CREATE TABLE t (a)")
    database.close()
    before = (tmp_path / "records.db").read_bytes()
    with pytest.raises(BadStore, match="Foldwise store"):
        SqliteStore(tmp_path)
    assert (tmp_path / "records.db").read_bytes() == before


GOOD = {"status": "ok", "error": "", "warnings": [], "seconds": 0.5, "learner": "evil", "responses": ["predict"]}
FLOATS = np.arange(3.0).tobytes()
LINES = [["steps", "<i8", [3]], ["predict", "<f8", [3]]]
BODY = np.arange(3).tobytes() + FLOATS

BOMBS = {"zlib bomb": (300, LINES), "zlib bomb with its size": (400, [["steps", "<i8", [50 * 2**20]]])}
BAD = {
    "endless shape": content(GOOD, [["steps", "<i8", [2**60]], LINES[1]], BODY, plain=True),
    "negative shape": content(GOOD, [["steps", "<i8", [-3]], LINES[1]], BODY, plain=True),
    "shape of many axes": content(GOOD, [["steps", "<i8", [1] * 40]], BODY, plain=True),
    "objects": content(GOOD, [["steps", "|O", [3]]], BODY, plain=True),
    "structures": content(GOOD, [["steps", "i4,O", [3]]], BODY, plain=True),
    "kind that is a list": content(GOOD, [["steps", [["a", "O"]], [3]]], BODY, plain=True),
    "too few bytes": content(GOOD, LINES, BODY[:-1], plain=True),
    "too many bytes": content(GOOD, LINES, BODY + b"x", plain=True),
    "deep head": struct.pack("<I", 400_000) + b"[" * 400_000,
    "long head": struct.pack("<I", 2**32 - 1) + b"{}",
    "no head": b"",
    "head that is no table": content([1], LINES, BODY, plain=True),
    "status of its own": content(GOOD | {"status": "<script>"}, LINES, BODY, plain=True),
    "seconds without end": content(GOOD, LINES, BODY, plain=True).replace(b"0.5", b"1e999"),
    "no number of seconds": content(GOOD | {"seconds": "0"}, LINES, BODY, plain=True),
    "texts that are none": content(GOOD | {"warnings": [{"a": 1}]}, LINES, BODY, plain=True),
    "other rows": content(GOOD, [["steps", "<i8", [2]], ["predict", "<f8", [4]]], BODY, plain=True),
    "responses that are not there": content(GOOD | {"responses": ["evil"]}, LINES, BODY, plain=True),
}


@cache
def bomb(name):
    """Made when a test asks for it: hundreds of megabytes take a while."""
    megabytes, arrays = BOMBS[name]
    return content(GOOD, arrays, zlib.compress(bytes(megabytes * 2**20), 1))


def test_the_content_that_the_bad_ones_are_made_of_is_good():
    assert decode("a", content(GOOD, LINES, BODY, plain=True)).rows.tolist() == [0, 1, 3]
    assert decode("a", content(GOOD, LINES, zlib.compress(BODY))).responses["predict"].tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("name", [*BOMBS, *BAD])
def test_a_record_that_no_fit_leaves_is_refused_though_its_checksum_fits(run, name):
    put(run, BAD[name] if name in BAD else bomb(name))
    store = SqliteStore(run, readonly=True)
    with pytest.raises(BadStore, match=r"cannot be read|is none of ours"):
        store.get("b" * 32)
    assert len(store.verify()) == 1
    assert store.get("a" * 32) is not None
    store.close()


def test_a_pickle_in_a_record_or_document_is_never_loaded(run, touch):
    put(run, pickle.dumps(touch))
    store = SqliteStore(run)
    store.write_document("study", pickle.dumps(touch))
    with pytest.raises(BadStore, match="cannot be read"):
        store.get("b" * 32)
    store.close()
    with pytest.raises(BadStore, match="cannot be read"):
        fw.load(run)


def test_a_column_of_another_kind_is_damage(run):
    change(run, "UPDATE records SET content = 'text'", "UPDATE records SET seconds = 'text'")
    store = SqliteStore(run, readonly=True)
    assert store.get("a" * 32) is None
    assert store.info()["records"] == 0
    assert len(store.verify()) == 1
    store.close()


@pytest.mark.parametrize("document", [b"{", b"[" * 10**6, b"\xff", b"nope"], ids=["open", "deep", "bytes", "words"])
def test_documents_that_are_none_are_refused_in_one_sentence(run, document):
    store = SqliteStore(run)
    store.write_document("origin", document)
    with pytest.raises(BadStore, match="a stored document cannot be read"):
        ORIGIN.read(store)
    store.close()


@pytest.mark.parametrize("head", [{}, {"fingerprint": "x"}, {"methods": [[]] * 5}])
def test_a_study_of_a_stranger_runs_nothing(run, head):
    store = SqliteStore(run)
    store.write_document("study", pack({"value": head}, {}))
    store.close()
    with pytest.raises(FoldwiseError):
        fw.load(run)


def test_unpack_takes_no_more_memory_than_is_there():
    import tracemalloc

    made = bomb("zlib bomb")
    tracemalloc.start()
    with pytest.raises(BadStore):
        unpack(made)
    assert tracemalloc.get_traced_memory()[1] < 10 * 2**20
    tracemalloc.stop()


@pytest.mark.parametrize("manifest", [None, [], {}, {"versions": []}, {"versions": {}, "code": 7}])
def test_a_store_that_does_not_say_what_it_was_made_from_is_refused(run, manifest):
    store = SqliteStore(run)
    store.write_document("manifest", pack({"value": manifest}, {}))
    with pytest.raises(BadStore, match="document 'manifest'"):
        stored_versions(store)
    store.close()


def test_a_list_of_tables_that_is_no_text_is_damage(run):
    """SQLite quotes it in its complaint, which Python then cannot read."""
    file = run / "records.db"
    content = file.read_bytes()
    at = content.index(b"CREATE TABLE")
    file.write_bytes(content[:at] + b"CREAT\xe3\x28TABLE"[:12] + content[at + 12 :])
    with pytest.raises(BadStore, match=r"is damaged|is not a Foldwise store"):
        SqliteStore(run, readonly=True)
