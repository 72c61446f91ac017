"""The file of a store: what a killed writer, a failing disk, another version or a stranger left of it."""

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
from foldwise.records import database
from foldwise.records.database import APPLICATION_ID, DAMAGED_FILE, FILE, PAGE, VERSION, checksum, is_whole
from foldwise.records.sqlite import SqliteStore
from foldwise.testing.stores import some_record

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


def test_a_new_store_says_what_it_is(tmp_path: Path) -> None:
    SqliteStore(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE)) as made:
        names = ("application_id", "user_version", "page_size")
        assert [made.execute(f"PRAGMA {name}").fetchone()[0] for name in names] == [APPLICATION_ID, VERSION, PAGE]


@pytest.mark.parametrize(
    ("version", "words"),
    [
        (VERSION - 1, f"format {VERSION - 1}, of an older Foldwise.* and the fits are made again"),
        (99, "format 99, of a newer Foldwise.* Use the version of Foldwise that made it"),
    ],
)
@pytest.mark.parametrize("readonly", [True, False])
def test_another_format_is_refused_in_one_sentence_and_left_alone(tmp_path, version, words, readonly):
    SqliteStore(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE)) as made:
        made.execute(f"PRAGMA user_version={version}")
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(BadStore, match=words):
        SqliteStore(tmp_path, readonly=readonly)
    assert (tmp_path / FILE).read_bytes() == before


def test_a_checksum_changes_with_every_part() -> None:
    row = ("key", "learner", "ok", 0.5, b"content")
    changed = [(*row[:at], other, *row[at + 1 :]) for at, other in enumerate(("k", "l", "error", 0.25, b"c"))]
    assert len({checksum(*one) for one in [row, *changed]}) == 6
    stored = checksum(*row)
    assert is_whole((*row[:-1], stored, row[-1]))
    assert not any(is_whole((*one[:-1], stored, one[-1])) for one in changed)
    checksum("\ud800", b"")  # half a character


@pytest.fixture
def large(tmp_path: Path) -> tuple[Path, list[str]]:
    """A store whose tables have some levels of pages, with the manifest and 2,000 records."""
    keys = [f"{number:032x}" for number in range(2000)]
    store = SqliteStore(tmp_path / "large")
    store.write_document("manifest", b"{}")
    store.add([some_record(key=key, rows=np.arange(90), responses={"predict": np.full(90, 1 / 3)}) for key in keys])
    store.close()
    return tmp_path / "large", keys


def wipe(folder: Path, page: int, pages: int = 1) -> None:
    """Zeros in place of pages, which are numbered from 1."""
    with (folder / FILE).open("r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(bytes(pages * PAGE))


def leaf(folder: Path, share: float) -> int:
    """A page with records, this far into the file."""
    content, at = (folder / FILE).read_bytes(), 0
    for at in range(int(share * (folder / FILE).stat().st_size / PAGE), 10**6):
        if content[at * PAGE] == 0x0D:
            break
    return at + 1


def test_of_a_file_with_a_wiped_page_a_writer_keeps_what_can_be_read(large: tuple[Path, list[str]]) -> None:
    folder, keys = large
    wipe(folder, leaf(folder, 0.5))
    before = (folder / FILE).read_bytes()
    with closing(SqliteStore(folder, readonly=True)) as reader:
        assert any("is damaged: " in problem for problem in reader.verify())
    store = SqliteStore(folder)
    kept = list(store.keys())
    assert len(keys) - 20 <= len(kept) < len(keys)
    assert store.verify() == []
    assert store.document("manifest") == b"{}"
    assert all(store.get(key).responses["predict"].tolist() == [1 / 3] * 90 for key in kept)
    assert f"set aside as {DAMAGED_FILE}" in store.info()["notes"][0]
    store.close()
    assert (folder / DAMAGED_FILE).read_bytes() == before


def test_a_file_without_its_second_half_keeps_the_records_of_the_first(large: tuple[Path, list[str]]) -> None:
    folder, keys = large
    size = (folder / FILE).stat().st_size
    with (folder / FILE).open("r+b") as file:
        file.truncate(size // 2)
    with closing(SqliteStore(folder)) as store:
        assert len(keys) // 3 < len(list(store.keys())) < len(keys)
        assert store.verify() == []


def test_a_file_whose_list_of_tables_is_damaged_begins_anew(large: tuple[Path, list[str]]) -> None:
    folder, _ = large
    with (folder / FILE).open("r+b") as file:
        file.seek(100)
        file.write(bytes(PAGE - 100))
    with pytest.raises(BadStore, match=r"is damaged: .* Run the same line again: what can still be read is kept"):
        SqliteStore(folder, readonly=True)
    with closing(SqliteStore(folder)) as store:
        assert list(store.keys()) == store.verify() == []
    assert (folder / DAMAGED_FILE).exists()


class Failing:
    """sqlite3.connect that fails as a disk does, a few times."""

    def __init__(self, times: int) -> None:
        self.times, self.true = times, sqlite3.connect

    def __call__(self, *given, **words):
        self.times -= 1
        if self.times >= 0:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorname = "SQLITE_IOERR_READ"
            raise error
        return self.true(*given, **words)


def test_a_disk_that_does_not_answer_for_a_moment_is_asked_again(tmp_path, monkeypatch):
    SqliteStore(tmp_path).close()
    monkeypatch.setattr(database, "_PAUSES", (0.0, 0.0, 0.0))
    monkeypatch.setattr(database.sqlite3, "connect", Failing(3))
    assert list(SqliteStore(tmp_path, readonly=True).keys()) == []


@pytest.mark.parametrize("readonly", [True, False])
def test_a_disk_that_does_not_answer_is_not_called_a_damaged_store(tmp_path, monkeypatch, readonly):
    SqliteStore(tmp_path).close()
    monkeypatch.setattr(database, "_PAUSES", (0.0, 0.0, 0.0))
    monkeypatch.setattr(database.sqlite3, "connect", Failing(99))
    with pytest.raises(BadStore, match=r"the disk did not answer .* 4 times in a row") as raised:
        SqliteStore(tmp_path, readonly=readonly)
    assert "damaged" not in str(raised.value)
    assert not (tmp_path / DAMAGED_FILE).exists()
