"""What is whole of a damaged store is kept, and the rest is named."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3

import numpy as np
import pytest

import foldwise as fw
from foldwise import cli
from foldwise.errors import BadStore
from foldwise.records import database
from foldwise.records.encoding import pack
from foldwise.records.salvage import find_whole
from foldwise.records.sqlite import SqliteStore
from foldwise.testing.stores import some_record

SIZES = [5] * 40 + [60] * 30 + [3000] * 6  # several to a page, one to a page, several pages each
DOCUMENTS = {"manifest": json.dumps({"data": "abc"}).encode(), "outline": pack({"a": 1}, {"target": np.arange(3000.0)})}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "run"
    store = SqliteStore(folder)
    for name, content in DOCUMENTS.items():
        store.write_document(name, content)
    rng = np.random.default_rng(3)
    for number, size in enumerate(SIZES):
        values = {"predict": rng.normal(size=size)}
        store.add([some_record(key=f"{number:032x}", rows=np.arange(size), responses=values, learner="tree")])
    store.close()
    return folder


def damaged(whole, folder, places, bit=3):
    folder.mkdir(exist_ok=True)
    content = bytearray((whole / "records.db").read_bytes())
    for place in places:
        content[place] ^= 1 << bit
    (folder / "records.db").write_bytes(content)
    return folder


def test_of_a_whole_store_nothing_is_lost(whole):
    found = find_whole(whole)
    assert len(found.records) == len(SIZES)
    assert found.documents == DOCUMENTS
    assert found.lost == []


def test_one_flipped_bit_costs_a_page_at_most_and_what_is_kept_is_as_it_was(whole, tmp_path):
    rng, true = random.Random(7), find_whole(whole)
    size = (whole / "records.db").stat().st_size
    places = [*range(0, 100, 10), *(rng.randrange(size) for _ in range(20))]  # the header of the file, and anywhere
    for place in places:
        found = find_whole(damaged(whole, tmp_path / "bad", [place], bit=rng.randrange(8)))
        kept = {**found.records, **found.documents}
        everything = {**true.records, **true.documents}
        assert {name: everything[name] for name in kept} == kept
        assert len(found.records) >= len(SIZES) - 40, place  # as many as are on one page; nearly always none or one


def test_a_damaged_record_is_named_and_the_rest_is_a_store_to_go_on_with(whole, tmp_path):
    content = (whole / "records.db").read_bytes()
    with SqliteStore(whole, readonly=True)._reader() as reader:
        (victim,) = reader.execute("SELECT content FROM records WHERE key = ?", (f"{75:032x}",)).fetchone()
    bad = damaged(whole, tmp_path / "run", [content.index(victim[400:500])])

    assert cli.run(["store", "salvage", str(bad), "--json"]) == 1
    copy = SqliteStore(tmp_path / "run-salvaged", readonly=True)
    assert copy.verify() == []
    assert set(copy.keys()) == {f"{number:032x}" for number in range(len(SIZES))} - {f"{75:032x}"}
    assert copy.document("manifest") == DOCUMENTS["manifest"]
    assert copy.get(f"{3:032x}").learner == "tree"


def test_the_command_names_what_is_lost(whole, tmp_path, capsys):
    content = (whole / "records.db").read_bytes()
    bad = damaged(whole, tmp_path / "run", [content.index(DOCUMENTS["manifest"][:12])])
    with pytest.raises(BadStore, match="foldwise store salvage"):
        SqliteStore(bad)
    assert cli.run(["store", "salvage", str(bad), str(tmp_path / "copy")]) == 1
    out = capsys.readouterr().out
    assert f"{len(SIZES)} records are in" in out
    assert "lost: manifest" in out
    assert cli.run(["store", "salvage", str(whole), str(tmp_path / "another")]) == 0
    assert cli.run(["store", "salvage", str(whole), str(tmp_path / "another")]) == 2
    assert cli.run(["store", "salvage", str(tmp_path / "nothing")]) == 2


def test_a_log_that_a_killed_run_left_is_read_too(tmp_path):
    store = SqliteStore(tmp_path / "run")
    store.add([some_record(key=f"{1:032x}")])
    store.add([some_record(key=f"{2:032x}")])
    shutil.copytree(tmp_path / "run", tmp_path / "killed")
    store.close()
    assert (tmp_path / "killed" / "records.db-wal").stat().st_size
    assert sorted(find_whole(tmp_path / "killed").records) == [f"{1:032x}", f"{2:032x}"]


def test_what_was_discarded_stays_so(tmp_path):
    store = SqliteStore(tmp_path / "run")
    keys = [f"{number:032x}" for number in range(60)]
    store.add([some_record(key=key, rows=np.arange(900), responses={"predict": np.ones(900)}) for key in keys])
    store.discard(keys[10:50])
    store.close()
    assert sorted(find_whole(tmp_path / "run").records) == keys[:10] + keys[50:]


def test_a_study_goes_on_from_what_was_salvaged(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    words = {"outer": 4, "inner": 3, "jobs": 1}
    first = fw.compare(["k-nn:small"], X, X.sum(axis=1), store=tmp_path / "run", **words)
    place = tmp_path / "run" / "records.db"
    content = bytearray(place.read_bytes())
    for at in range(3 * 8192 + 4000, len(content), 40_000):
        content[at] ^= 1
    place.write_bytes(content)
    answer = SqliteStore.salvage(tmp_path / "run", tmp_path / "copy")
    again = fw.compare(["k-nn:small"], X, X.sum(axis=1), store=tmp_path / "copy", **words)
    assert again.fits_made == first.fits_made - answer["records"]
    assert again.to_dict()["methods"][0]["risk"] == first.to_dict()["methods"][0]["risk"]


def test_a_backup_of_a_damaged_store_says_so(whole, tmp_path, capsys):
    content = (whole / "records.db").read_bytes()
    with SqliteStore(whole, readonly=True)._reader() as reader:
        (victim,) = reader.execute("SELECT content FROM records WHERE key = ?", (f"{75:032x}",)).fetchone()
    bad = damaged(whole, tmp_path / "run", [content.index(victim[400:500])])
    assert cli.run(["store", "backup", str(bad), str(tmp_path / "copy")]) == 1
    err = capsys.readouterr().err
    assert "the checksum of" in err
    assert "foldwise store salvage" in err
    assert cli.run(["store", "backup", str(whole), str(tmp_path / "sound")]) == 0


class Failing:
    """sqlite3.connect that fails as a disk does, a few times."""

    def __init__(self, times):
        self.times, self.true = times, sqlite3.connect

    def __call__(self, *given, **words):
        self.times -= 1
        if self.times >= 0:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorname = "SQLITE_IOERR_READ"
            raise error
        return self.true(*given, **words)


def test_a_disk_that_does_not_answer_for_a_moment_is_asked_again(whole, monkeypatch):
    monkeypatch.setattr(database, "_PAUSES", (0.0, 0.0, 0.0))
    monkeypatch.setattr(database.sqlite3, "connect", Failing(3))
    assert len(list(SqliteStore(whole, readonly=True).keys())) == len(SIZES)


@pytest.mark.parametrize("readonly", [True, False])
def test_a_disk_that_does_not_answer_is_not_called_a_damaged_store(whole, monkeypatch, readonly):
    monkeypatch.setattr(database, "_PAUSES", (0.0, 0.0, 0.0))
    monkeypatch.setattr(database.sqlite3, "connect", Failing(99))
    with pytest.raises(BadStore, match=r"the disk did not answer .* 4 times in a row") as raised:
        SqliteStore(whole, readonly=readonly)
    assert "damaged" not in str(raised.value)
    assert "salvage" in str(raised.value)
