"""A full or read-only disk is named, nothing half-written stays, and the run goes on when there is room."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys

import numpy as np
import pytest

from foldwise.errors import BadStore
from foldwise.records.sqlite import SqliteStore
from foldwise.testing.stores import some_record


def large(number, size=5000):
    values = np.random.default_rng(number).normal(size=size)
    return some_record(key=f"{number:032d}", rows=np.arange(size), responses={"predict": values})


def test_a_full_disk_is_named_with_its_free_bytes_and_the_run_goes_on_later(tmp_path):
    store = SqliteStore(tmp_path / "run")
    store.add([large(0)])
    (pages,) = store._database.execute("PRAGMA page_count").fetchone()
    store._database.execute(f"PRAGMA max_page_count={pages + 8}")
    wanted = r"cannot write to the store .*run: database or disk is full \([\d,]+ bytes free there\). Free some space"
    with pytest.raises(BadStore, match=wanted):
        store.add([large(number) for number in range(1, 9)])
    assert list(store.keys()) == [f"{0:032d}"]
    assert store.get(f"{1:032d}") is None
    store._database.execute("PRAGMA max_page_count=100000")
    store.add([large(number) for number in range(1, 9)])
    assert store.verify() == []
    store.close()


PROGRAM = """
import pathlib, subprocess, sys
import numpy as np
from foldwise.errors import BadStore
from foldwise.records.record import Record
from foldwise.records.sqlite import SqliteStore

disk = pathlib.Path(sys.argv[1])
values = np.random.default_rng(0).normal(size=5000)
records = [Record(f"{number:032d}", "ok", np.arange(5000), {"predict": values + number}) for number in range(60)]
store, kept = SqliteStore(disk / "run"), 0
try:
    for record in records:
        store.add([record])
        kept += 1
except BadStore as refusal:
    print("full", refusal)
store.close()
subprocess.run(["mount", "-o", "remount,size=30m", str(disk)], check=True)
again = SqliteStore(disk / "run")
print("kept", len(list(again.keys())) == kept, again.verify())
again.add(records[kept:])
again.close()
subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
reader = SqliteStore(disk / "run", readonly=True)
last = reader.get(records[59].key).responses["predict"]
print("read", len(list(reader.keys())), last.tobytes() == (values + 59).tobytes())
reader.close()
for folder in ("run", "new"):
    try:
        SqliteStore(disk / folder)
    except BadStore as refusal:
        print("read-only", refusal)
"""


def can_mount():
    if shutil.which("unshare") is None:
        return False
    tried = ["unshare", "-rm", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/mnt"]
    return subprocess.run(tried, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not can_mount(), reason="a small disk cannot be made here")
def test_a_small_disk_fills_grows_and_becomes_read_only(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "program.py").write_text(PROGRAM)
    script = 'mount -t tmpfs -o size=1m tmpfs "$1" && exec "$2" "$3" "$1"'
    words = ["unshare", "-rm", "sh", "-c", script, "sh", str(tmp_path / "disk"), sys.executable]
    done = subprocess.run([*words, str(tmp_path / "program.py")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    full, kept, read, old, new = done.stdout.splitlines()
    assert full.startswith("full cannot write to the store")
    assert "bytes free there" in full
    assert kept == "kept True []"
    assert read == "read 60 True"
    assert "run: Read-only file system" in old
    assert "cannot make the store folder" in new


def test_a_folder_that_cannot_be_made_is_refused_before_any_fit(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(BadStore, match=r"cannot make the store folder .*Not a directory"):
        SqliteStore(tmp_path / "file" / "run")


def test_a_folder_in_which_nothing_can_be_written_is_refused_before_any_fit(tmp_path):
    (tmp_path / "run" / "lock").mkdir(parents=True)
    with pytest.raises(BadStore, match="Is a directory"):
        SqliteStore(tmp_path / "run")


def test_a_file_that_cannot_be_written_is_refused_before_any_fit(tmp_path, monkeypatch):
    SqliteStore(tmp_path / "run").close()
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda address, **options: connect(address.replace("rwc", "ro"), **options))
    with pytest.raises(BadStore, match="readonly database"):
        SqliteStore(tmp_path / "run")
    monkeypatch.undo()
    SqliteStore(tmp_path / "run").close()


@pytest.mark.parametrize("content", [b"", None], ids=["no bytes", "no tables"])
def test_a_store_without_tables_is_explained(tmp_path, content):
    if content is None:
        sqlite3.connect(tmp_path / "records.db").execute("VACUUM").connection.close()
    else:
        (tmp_path / "records.db").write_bytes(content)
    with pytest.raises(BadStore, match=r"the store .* is empty. Run a study with store= first"):
        SqliteStore(tmp_path, readonly=True)
