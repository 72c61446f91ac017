"""A store of an older format is read for ever; on its way to the newest it is old or new, never between."""

from __future__ import annotations

import importlib.util
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from foldwise.errors import BadStore
from foldwise.records import database as opening
from foldwise.records import migration, schema
from foldwise.records.sqlite import SqliteStore


def beside(name):
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


old_store = beside("old_store")
RECORDS = 30


@pytest.fixture
def old(tmp_path):
    old_store.write_old_store(tmp_path / "run", RECORDS)
    return tmp_path / "run"


def version_of(file):
    database = sqlite3.connect(file)
    try:
        return database.execute("PRAGMA user_version").fetchone()[0]
    finally:
        database.close()


def assert_same_numbers(store, records=RECORDS):
    assert len(list(store.keys())) == records
    for number in range(records):
        known, record = old_store.truth(number), store.get(f"{number:032x}")
        for name in ("status", "error", "seconds", "learner"):
            assert getattr(record, name) == known[name]
        assert list(record.warnings) == known["warnings"]
        np.testing.assert_array_equal(record.rows, known["rows"])
        assert {name: values.tobytes() for name, values in record.responses.items()} == {
            name: values.tobytes() for name, values in known["responses"].items()
        }
    assert store.document("manifest") == b'{"data": "abc"}'


def test_a_writer_brings_an_old_store_up_to_date_and_keeps_the_old_file(old):
    store = SqliteStore(old)
    assert_same_numbers(store)
    assert store.verify() == []
    assert store.info()["statuses"] == {"error": 3, "ok": 27}
    store.close()
    assert version_of(old / "records.db") == schema.VERSION
    assert version_of(old / "records.v1.db") == 1
    assert sorted(path.name for path in old.iterdir()) == ["lock", "records.db", "records.v1.db"]


def test_the_tables_of_a_migrated_store_are_those_of_a_new_one(old, tmp_path):
    SqliteStore(old).close()
    SqliteStore(tmp_path / "new").close()
    texts = []
    for folder in (old, tmp_path / "new"):
        database = sqlite3.connect(folder / "records.db")
        texts.append(sorted(database.execute("SELECT type, name, sql FROM sqlite_master").fetchall(), key=repr))
        database.close()
    assert texts[0] == texts[1]


def test_a_reader_reads_an_old_store_and_leaves_it_as_it_is(old):
    before = (old / "records.db").read_bytes()
    store = SqliteStore(old, readonly=True)
    assert_same_numbers(store)
    store.close()
    assert_same_numbers(store)  # opened once more, for reading
    store.close()
    assert (old / "records.db").read_bytes() == before


def test_an_old_store_that_is_too_large_to_copy_names_the_command(old, monkeypatch):
    monkeypatch.setattr(opening, "MOST_MIGRATED", 100)
    with pytest.raises(BadStore, match=r"old format 1 and is too large to be read as it is. Run `foldwise resume"):
        SqliteStore(old, readonly=True)


@pytest.mark.parametrize("at", [0, 1, 2, 20, 31, 32, 33, 34])
def test_a_migration_that_fails_at_any_step_leaves_the_old_store(old, at, monkeypatch):
    """Every statement of a step is made to fail in turn: 31 records and what is around them."""

    class Failing:
        def __init__(self, database):
            self.database, self.left = database, at

        def execute(self, *args):
            if self.left == 0:
                raise sqlite3.OperationalError("no more")
            self.left -= 1
            return self.database.execute(*args)

    whole = migration.STEPS[1]
    monkeypatch.setitem(migration.STEPS, 1, lambda database: whole(Failing(database)))
    if at == 34:  # one more than there are
        SqliteStore(old).close()
        return
    with pytest.raises(BadStore, match="no more"):
        SqliteStore(old)
    assert version_of(old / "records.db") == 1
    monkeypatch.undo()
    store = SqliteStore(old)
    assert_same_numbers(store)
    store.close()


@pytest.mark.slow
def test_a_migration_killed_at_any_instruction_is_old_or_new(tmp_path):
    program = [sys.executable, str(Path(__file__).with_name("crash.py")), "migrate"]

    def run(name, moment):
        folder = tmp_path / name
        old_store.write_old_store(folder, RECORDS)
        done = subprocess.run([*program, str(folder), str(moment)], capture_output=True, text=True, check=False)
        return folder, done

    _, whole = run("whole", 0)
    steps = int(whole.stdout.split("passed ")[1])
    for moment in np.linspace(1, steps, 10, dtype=int)[:-1]:
        folder, done = run(str(moment), moment)
        assert done.returncode == -9
        reader = SqliteStore(folder, readonly=True)
        assert_same_numbers(reader)
        reader.close()
        store = SqliteStore(folder)
        assert_same_numbers(store)
        assert store.verify() == []
        store.close()


def test_a_damaged_record_stops_the_migration_and_nothing_is_lost(old):
    database = sqlite3.connect(old / "records.db")
    with database:
        database.execute("UPDATE records SET checksum = 'x' WHERE key = ?", (f"{5:032x}",))
    database.close()
    with pytest.raises(BadStore, match="of the old store is damaged, so it cannot be brought to format 2"):
        SqliteStore(old)
    assert version_of(old / "records.db") == 1


def test_a_newer_store_is_refused_by_both_numbers_and_left_untouched(tmp_path):
    SqliteStore(tmp_path / "run").close()
    database = sqlite3.connect(tmp_path / "run" / "records.db")
    database.execute("PRAGMA user_version=99")
    database.close()
    before = (tmp_path / "run" / "records.db").read_bytes()
    for readonly in (False, True):
        with pytest.raises(BadStore, match="has format 99, this Foldwise reads formats up to 2"):
            SqliteStore(tmp_path / "run", readonly=readonly)
    assert (tmp_path / "run" / "records.db").read_bytes() == before


def test_there_is_a_step_from_every_older_format():
    assert set(migration.STEPS) == set(range(1, schema.VERSION))
    assert set(schema.TABLES) == set(range(1, schema.VERSION + 1))


def test_a_damaged_old_store_is_salvaged_into_the_newest_format(old, tmp_path):
    content = bytearray((old / "records.db").read_bytes())
    content[content.index(b"0000000000000000000000000000000d") + 200] ^= 4
    (old / "records.db").write_bytes(content)
    answer = SqliteStore.salvage(old, tmp_path / "copy")
    store = SqliteStore(tmp_path / "copy", readonly=True)
    assert answer["lost"] == [f"{13:032x}"]
    assert sorted(store.keys()) == [f"{number:032x}" for number in range(RECORDS) if number != 13]
    assert store.verify() == []
