"""Network file systems are known by the table of mounts, and there the store is held by one process alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from foldwise.errors import BadStore
from foldwise.records import database, sqlite
from foldwise.records.mounts import network_of
from foldwise.records.sqlite import SqliteStore
from foldwise.testing.stores import some_record

MOUNTS = """\
/dev/sda1 / ext4 rw,relatime 0 0
server:/export /net nfs4 rw,vers=4.2 0 0
//office/share /net/my\\040share cifs rw 0 0
/dev/sdb1 /net/scratch xfs rw 0 0
me@far:/ /mnt/far fuse.sshfs rw 0 0
fast@tcp:/lustre /lustre lustre rw 0 0
auto /twice autofs rw 0 0
server:/two /twice nfs rw 0 0
broken line
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home/me/run", None),
        ("/net/run", "nfs4"),
        ("/net", "nfs4"),
        ("/network/run", None),
        ("/net/my share/run", "cifs"),
        ("/net/scratch/run", None),
        ("/mnt/far/run", "fuse.sshfs"),
        ("/lustre/run", None),
        ("/twice/run", "nfs"),
    ],
)
def test_the_nearest_mount_says_what_a_folder_is_on(folder, kind):
    assert network_of(Path(folder), mounts=MOUNTS) == kind


def test_without_a_table_nothing_is_known():
    assert network_of(Path("/net/run"), mounts="") is None


def test_on_a_network_the_file_is_held_alone_and_a_note_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite, "network_of", lambda folder: "nfs4")
    monkeypatch.setattr(database, "_WAIT", 0.1)
    store = SqliteStore(tmp_path / "run")
    store.add([some_record()])
    assert "is on a network file system (nfs4)" in store.info()["notes"][0]
    assert not list(tmp_path.glob("run/*-wal"))
    with pytest.raises(BadStore, match=r"is held by another process. Try again when its run has ended"):
        SqliteStore(tmp_path / "run", readonly=True)
    store.close()
    reader = SqliteStore(tmp_path / "run", readonly=True)
    assert reader.get("a" * 32) is not None
    reader.close()


def test_a_store_that_was_killed_elsewhere_goes_on_over_a_network(tmp_path, monkeypatch):
    """Its log is there: it is put into the file first."""
    store = SqliteStore(tmp_path / "run")
    store.add([some_record()])
    (tmp_path / "copy").mkdir()
    for file in (tmp_path / "run").glob("records.db*"):
        if not file.name.endswith("-shm"):
            (tmp_path / "copy" / file.name).write_bytes(file.read_bytes())
    store.close()
    monkeypatch.setattr(sqlite, "network_of", lambda folder: "nfs4")
    again = SqliteStore(tmp_path / "copy")
    assert again.get("a" * 32) is not None
    again.close()
