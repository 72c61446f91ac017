"""What a killed writer, or a stranger, left beside the file of a store."""

from __future__ import annotations

import shutil
import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import foldwise as fw
from foldwise.errors import BadStore
from foldwise.records.database import FILE
from foldwise.records.sqlite import SqliteStore

JOURNAL = f"{FILE}-journal"
MAGIC = bytes.fromhex("d9d505f920a163d7")


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    x = np.linspace(0, 1, 30)
    fw.compare(["ridge:small"], x[:, None], np.sin(9 * x), outer=3, inner=2, jobs=1, store=tmp_path / "run")
    return tmp_path / "run"


def half_written(finished: Path, copy: Path) -> Path:
    """The store as a kill in the middle of a write leaves it: changed pages, and a journal that undoes them."""
    with closing(sqlite3.connect(finished / FILE, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode=DELETE")
        writer.execute("PRAGMA cache_size=1")  # changed pages reach the file before the end of the transaction
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE records SET content = zeroblob(20000)")
        shutil.copytree(finished, copy)
        writer.execute("ROLLBACK")
    return copy


def test_what_a_killed_writer_left_half_done_is_undone_by_the_next_reader(finished: Path, tmp_path: Path) -> None:
    copy = half_written(finished, tmp_path / "copy")
    assert (copy / JOURNAL).stat().st_size > 512
    assert fw.load(copy).to_dict() == fw.load(finished).to_dict()
    with closing(SqliteStore(copy, readonly=True)) as store:
        assert store.verify() == []


def test_a_journal_that_names_another_file_is_refused_and_that_file_stays(finished: Path, tmp_path: Path) -> None:
    copy = half_written(finished, tmp_path / "copy")
    victim = tmp_path / "victim.txt"
    victim.write_text("mine")
    name = str(victim).encode()
    lock_page = 2**30 // 8192 + 1
    ending = name + struct.pack(">II", len(name), sum(name)) + MAGIC
    with (copy / JOURNAL).open("ab") as journal:
        journal.write(struct.pack(">I", lock_page) + ending)
    for attempt in (lambda: fw.load(copy), lambda: SqliteStore(copy)):
        with pytest.raises(BadStore, match="is not a journal of Foldwise: it belongs to several databases at once"):
            attempt()
    assert victim.read_text() == "mine"
