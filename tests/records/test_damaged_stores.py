"""A store with flipped bytes (records/database.py), a torn end or a wiped sector never gives another number.

FOLDWISE_DAMAGED=1000 runs a thousand cases and prints what became of them.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections import Counter
from contextlib import closing

import numpy as np
import pytest

import foldwise as fw
from foldwise.errors import BadStore
from foldwise.records.encoding import pack
from foldwise.records.sqlite import SqliteStore
from foldwise.testing.stores import some_record

CASES = int(os.environ.get("FOLDWISE_DAMAGED", "100"))


def make_records():
    rng = np.random.default_rng(3)
    sizes = [5] * 30 + [60] * 20 + [2000] * 4  # several to a page, one to a page, several pages each
    return [
        some_record(
            key=f"{number:032x}",
            rows=np.arange(number, number + size),
            responses={"predict": rng.normal(size=size)},
            seconds=float(rng.random()),
            learner=f"learner {number % 3}",
        )
        for number, size in enumerate(sizes)
    ]


RECORDS = make_records()
DOCUMENTS = {
    "manifest": json.dumps({"data": "abc"}).encode(),
    "ledger": json.dumps({"test": ["a", "b", "c"]}).encode(),
    "outline": pack({"seed": 1}, {"target": np.random.default_rng(0).normal(size=2000)}),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Two whole stores as bytes: one that was closed, and one whose writer was killed, with its log."""
    folder = tmp_path_factory.mktemp("whole")
    store = SqliteStore(folder / "closed")
    for name, content in DOCUMENTS.items():
        store.write_document(name, content)
    store.add(RECORDS[:40])
    store.close()
    shutil.copytree(folder / "closed", folder / "killed")
    store = SqliteStore(folder / "closed")
    store.add(RECORDS[40:])
    store.close()
    killed = SqliteStore(folder / "killed")  # a damaged log is cut there: an earlier whole state, fits to make again
    killed.add(RECORDS[40:])
    files = {}
    for name in ("closed", "killed"):
        paths = sorted((folder / name).glob("records.db*"))
        files[name] = {path.name: path.read_bytes() for path in paths if not path.name.endswith("-shm")}
    killed.close()
    assert set(files["killed"]) == {"records.db", "records.db-wal"}
    return files


def damage(content, rng):
    """The bytes with one kind of harm, and its name."""
    kind = rng.choice(["flip", "flip", "flip", "flip head", "truncate", "wipe", "move"])
    broken = bytearray(content)
    if kind == "truncate":
        return bytes(broken[: rng.integers(len(broken))]), kind
    if kind in ("wipe", "move"):
        at = int(rng.integers(len(broken) // 512)) * 512
        from_ = int(rng.integers(len(broken) // 512)) * 512
        broken[at : at + 512] = bytes(512) if kind == "wipe" else content[from_ : from_ + 512]
        return bytes(broken[: len(content)]), kind
    last = 200 if kind == "flip head" else len(broken)
    for at in rng.integers(last, size=rng.integers(1, 21)):
        broken[at] ^= 1 << rng.integers(8)
    return bytes(broken), kind


def read_all(folder, *, readonly):
    """What a store says of everything in it, or what it refuses with."""
    store = SqliteStore(folder, readonly=readonly)
    found, refused = {}, 0
    try:
        for name in DOCUMENTS:
            try:
                found[name] = store.document(name)
            except BadStore:
                refused += 1
        for record in RECORDS:
            try:
                found[record.key] = store.get(record.key)
            except BadStore:
                refused += 1
        try:
            told = store.info()
        except BadStore:
            told = None
        problems = store.verify()
    finally:
        store.close()
    return found, refused, told, problems


def judge(case, name, found, refused, told, problems):
    """How a store that opened behaved; another number is a failure of the test."""
    absent = 0
    for record in RECORDS:
        if record.key not in found:
            continue
        if found[record.key] is None:
            absent += 1
            continue
        same = found[record.key]
        assert same.rows.tolist() == record.rows.tolist(), case
        assert same.responses["predict"].tobytes() == record.responses["predict"].tobytes(), case
        assert (same.seconds, same.learner, same.status) == (record.seconds, record.learner, "ok"), case
    for document, content in DOCUMENTS.items():
        assert found.get(document) in (content, None), (case, document)
    if told is not None and not absent and not refused:
        assert told["seconds"] == pytest.approx(sum(record.seconds for record in RECORDS)), case
        assert told["statuses"] == {"ok": len(RECORDS)}, case
    assert problems or not refused, case
    if refused:
        return "opened, damaged pages refused"
    return "opened, some records to be made again" if absent else "opened, all the same"


def test_no_damage_gives_another_number(whole, tmp_path):
    outcomes, rng = Counter(), np.random.default_rng(11)
    for number in range(CASES):
        name = ("closed", "killed")[number % 2]
        folder = tmp_path / str(number)
        folder.mkdir()
        harmed = rng.choice(sorted(whole[name]))
        kind = ""
        for file, content in whole[name].items():
            if file == harmed:
                content, kind = damage(content, rng)
            (folder / file).write_bytes(content)
        case = (number, name, harmed, kind)
        try:
            outcome = judge(case, name, *read_all(folder, readonly=bool(rng.random() < 0.7)))
        except BadStore:
            outcome = "not opened"
        outcomes[outcome] += 1
        shutil.rmtree(folder)
    print(dict(outcomes))
    assert outcomes["opened, some records to be made again"] > CASES // 4
    assert outcomes.total() == CASES


def test_verify_names_a_flipped_row_and_the_same_line_makes_it_again(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    run = tmp_path / "run"
    study = {"outer": 4, "inner": 3, "jobs": 1, "store": run}
    first = fw.compare(["k-nn:small"], X, X.sum(axis=1), **study)
    whole = read_rows(run)
    for table, name, at in [("records", key, rng.integers(300)) for key in sorted(whole["records"])[::7]] + [
        ("documents", name, 5) for name, content in whole["documents"].items() if len(content) > 20
    ]:
        flip(run, table, name, at)
        problems = SqliteStore(run, readonly=True).verify()
        assert problems == [f"{table}: the checksum of {name[:16]!r} does not fit"]
        again = fw.compare(["k-nn:small"], X, X.sum(axis=1), **study)
        assert again.fits_made == {"records": 1, "documents": first.fits_made * (name == "manifest")}[table]
        assert again.to_dict()["methods"][0]["risk"] == first.to_dict()["methods"][0]["risk"]
        assert SqliteStore(run, readonly=True).verify() == []
        assert read_rows(run)["documents"] == whole["documents"]


def read_rows(run):
    """Keys of records, and documents with their contents."""
    with closing(sqlite3.connect(run / "records.db")) as database:
        keys = [key for (key,) in database.execute("SELECT key FROM records")]
        return {"records": keys, "documents": dict(database.execute("SELECT name, content FROM documents"))}


def flip(run, table, name, at):
    """Flip a bit of a row in the bytes of the file."""
    with closing(sqlite3.connect(run / "records.db")) as database:
        column = "key" if table == "records" else "name"
        (content,) = database.execute(f"SELECT content FROM {table} WHERE {column} = ?", (name,)).fetchone()
    file = bytearray((run / "records.db").read_bytes())
    file[file.index(content[:1000]) + int(at)] ^= 1
    (run / "records.db").write_bytes(file)


@pytest.mark.parametrize("cut", [0, 1, 50, 100, 4096, 8192, 8193])
def test_a_file_cut_to_a_few_bytes_is_refused_in_one_sentence(whole, tmp_path, cut):
    (tmp_path / "records.db").write_bytes(whole["closed"]["records.db"][:cut])
    with pytest.raises(BadStore, match=r"damaged|is empty|is not a Foldwise store"):
        SqliteStore(tmp_path, readonly=True)
