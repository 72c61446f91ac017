"""Stores (records/store.py, records/memory.py, records/sqlite.py) keep their contract (testing/stores.py)."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as some

from foldwise.errors import BadStore
from foldwise.records.encoding import decode, encode, pack, unpack
from foldwise.records.memory import MemoryStore
from foldwise.records.sqlite import SqliteStore
from foldwise.testing.stores import StoreContract, some_record


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self):
        return MemoryStore()


class TestSqliteStore(StoreContract):
    @pytest.fixture
    def store(self, tmp_path):
        store = SqliteStore(tmp_path / "run")
        yield store
        store.close()


def test_a_store_holds_its_records_for_the_next_process(tmp_path):
    store = SqliteStore(tmp_path / "run")
    store.add([some_record()])
    store.close()
    again = SqliteStore(tmp_path / "run")
    assert again.get("a" * 32).rows.tolist() == [1, 4, 300]
    again.close()


def test_a_second_writer_is_refused_by_process_number_and_readers_are_welcome(tmp_path):
    store = SqliteStore(tmp_path / "run")
    store.add([some_record()])
    with pytest.raises(BadStore, match=rf"in use by another run \(process {os.getpid()}\)"):
        SqliteStore(tmp_path / "run")
    reader = SqliteStore(tmp_path / "run", readonly=True)
    assert reader.get("a" * 32) is not None
    reader.close()
    store.close()
    SqliteStore(tmp_path / "run").close()


def test_the_lock_dies_with_its_holder(tmp_path):
    code = (
        "import os, signal, sys; from foldwise.records.sqlite import SqliteStore;"
        "SqliteStore(sys.argv[1]); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "run")], check=False)
    SqliteStore(tmp_path / "run").close()


def test_flipped_bytes_never_give_another_number(tmp_path):
    """Every byte of a record's content is under its checksum."""
    store = SqliteStore(tmp_path / "run")
    store.add([some_record()])
    store.close()
    database = sqlite3.connect(tmp_path / "run" / "records.db")
    (content,) = database.execute("SELECT content FROM records").fetchone()
    broken = bytearray(content)
    broken[len(broken) // 2] ^= 1
    with database:
        database.execute("UPDATE records SET content = ?", (bytes(broken),))
    database.close()
    store = SqliteStore(tmp_path / "run")
    assert store.get("a" * 32) is None
    assert any("checksum" in problem for problem in store.verify())
    store.add([some_record()])
    assert store.get("a" * 32).seconds == 0.25
    assert store.verify() == []
    store.close()


def test_a_strangers_database_is_not_a_store(tmp_path):
    (tmp_path / "run").mkdir()
    database = sqlite3.connect(tmp_path / "run" / "records.db")
    with database:
        database.execute("CREATE TABLE t (a)")
    database.close()
    with pytest.raises(BadStore, match="not a Foldwise store"):
        SqliteStore(tmp_path / "run")


def test_reading_what_is_not_there_says_so(tmp_path):
    with pytest.raises(BadStore, match="no store"):
        SqliteStore(tmp_path / "nowhere", readonly=True)


def test_info_counts_what_became_of_the_fits(tmp_path):
    store = SqliteStore(tmp_path / "run")
    store.add(some_record(key=f"{number:032d}", seconds=0.5) for number in range(3))
    store.add([some_record(key="b" * 32, status="timeout", responses={}, error="60 s", learner="svm")])
    store.add([some_record(key=key * 32, status="error", responses={}, error="no") for key in "cd"])
    answer = store.info()
    assert (answer["records"], answer["failed"]) == (6, 3)
    assert answer["statuses"] == {"error": 2, "ok": 3, "timeout": 1}
    assert answer["failures"][0] == {"learner": "svm", "status": "timeout", "error": "60 s"}
    assert answer["seconds"] == 1.5 + 3 * 0.25
    assert [facts.status for facts in store.facts()] == ["ok"] * 3 + ["timeout", "error", "error"]
    store.close()


def test_verify_lists_every_problem_in_words(tmp_path):
    store = SqliteStore(tmp_path / "run")
    store.add([some_record(key=key * 32) for key in "abcd"])
    store.write_document("manifest", b"{}")
    store.close()
    database = sqlite3.connect(tmp_path / "run" / "records.db")
    with database:
        database.execute("UPDATE records SET content = x'00' WHERE key = ?", ("a" * 32,))
        database.execute("UPDATE records SET seconds = 9 WHERE key = ?", ("b" * 32,))
        database.execute("UPDATE records SET status = x'00' WHERE key = ?", ("c" * 32,))
        database.execute("UPDATE documents SET content = x'00'")
    database.close()
    reader = SqliteStore(tmp_path / "run", readonly=True)
    assert reader.verify() == [
        *(f"records: the checksum of '{key * 16}' does not fit" for key in "abc"),
        "documents: the checksum of 'manifest' does not fit",
    ]
    assert reader.info()["records"] == 3  # the status of the other is no text
    assert [reader.get(key * 32) is None for key in "abcd"] == [True, True, True, False]
    assert reader.document("manifest") is None
    reader.close()


def test_the_newest_transaction_is_whole_or_absent(tmp_path):
    """A failing record in the middle of a write takes the others back."""
    store = SqliteStore(tmp_path / "run")
    with pytest.raises(TypeError):
        store.add([some_record(), some_record(key="c" * 32, error=object())])
    assert list(store.keys()) == []
    store.close()


def test_arrays_of_objects_cannot_come_from_a_file():
    content = pack({}, {"v": np.array([1.0])}).replace(b'"<f8"', b'"|O8"')
    with pytest.raises(BadStore, match="not allowed"):
        unpack(content)


@given(
    rows=some.arrays(np.int64, st.integers(0, 20), elements=st.integers(0, 2**40)),
    seconds=st.floats(0, 1e6),
    text=st.text(max_size=50),
)
def test_any_record_survives_its_encoding(rows, seconds, text):
    values = rows.astype(np.float64) / 7
    codes = rows % 5 - 1
    record = some_record(
        rows=rows, seconds=seconds, error=text, responses={"predict": codes, "decision_function": values}
    )
    found = decode(record.key, encode(record))
    np.testing.assert_array_equal(found.rows, rows)
    np.testing.assert_array_equal(found.responses["predict"], codes)
    assert found.responses["decision_function"].tobytes() == values.tobytes()
    assert (found.seconds, found.error) == (seconds, text)
