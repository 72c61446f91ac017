"""Folders of killed runs are removed at the next start, and nothing else ever is."""

from __future__ import annotations

import os
import tempfile
import time

import pytest

from foldwise.executors.local.nursery import GONE, LOCK, remove
from foldwise.executors.local.scratch import PREFIX, scratch_folder, sweep
from foldwise.records.sqlite import SqliteStore

LONG_AGO = time.time() - 7200


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def aged(folder):
    os.utime(folder, (LONG_AGO, LONG_AGO))
    return folder


def test_a_store_in_the_temporary_folder_survives_whatever_its_name(temporary):
    SqliteStore(temporary / f"{PREFIX}wine").close()
    aged(temporary / f"{PREFIX}wine")
    sweep()
    assert (temporary / f"{PREFIX}wine" / "records.db").is_file()


def test_a_folder_of_the_user_with_our_prefix_is_left_alone(temporary):
    mine = temporary / f"{PREFIX}analysis"
    mine.mkdir()
    (mine / "notes.txt").write_text("dear to me")
    aged(mine)
    sweep()
    assert (mine / "notes.txt").read_text() == "dear to me"


def test_what_a_kill_left_is_removed_and_what_a_run_holds_is_not(temporary):
    left, empty = temporary / f"{PREFIX}left", temporary / f"{PREFIX}empty"
    for folder in (left, empty):
        folder.mkdir()
    (left / LOCK).write_text("1\n")
    (left / "X.npy").write_bytes(b"0")
    aged(empty)
    with scratch_folder() as held:
        sweep()
        assert sorted(temporary.iterdir()) == [held]
    assert list(temporary.iterdir()) == []


def test_a_removal_that_is_cut_short_is_finished_by_the_next_start(temporary, monkeypatch):
    folder = temporary / f"{PREFIX}cut"
    folder.mkdir()
    with monkeypatch.context() as killed:
        killed.setattr("shutil.rmtree", lambda *_, **__: None)
        remove(folder)
    assert [path.name for path in temporary.iterdir()] == [f"{folder.name}{GONE}"]
    sweep()
    assert list(temporary.iterdir()) == []


def test_what_could_not_live_in_a_long_folder_is_removed_too(temporary, monkeypatch):
    """Ray keeps sockets whose names must be short."""
    short = temporary / "short"
    (short / f"{PREFIX}left").mkdir(parents=True)
    (short / f"{PREFIX}left" / LOCK).write_text("1\n")
    monkeypatch.setattr("foldwise.executors.local.scratch.SHORT", str(short))
    sweep()
    assert list(short.iterdir()) == []
