"""A store that is followed: what is new is told once, and what is void is told anew."""

from __future__ import annotations

import os

import numpy as np
import pytest

from foldwise.errors import BadStore
from foldwise.records.following import FollowedStore
from foldwise.records.record import Record
from foldwise.records.sqlite import SqliteStore


def record(letter, *, rows=3, status="ok"):
    responses = {"predict": np.arange(float(rows))} if status == "ok" else {}
    return Record(letter * 32, status, np.arange(rows), responses, seconds=0.5, learner="ridge")


@pytest.fixture
def writer(tmp_path):
    store = SqliteStore(tmp_path / "run")
    yield store
    store.close()


def read_new(followed):
    facts, is_anew = followed.read_new()
    return [fact.key[0] for fact in facts], is_anew


def test_records_are_told_once_as_they_come(writer, tmp_path):
    followed = FollowedStore(tmp_path / "run")
    assert read_new(followed) == ([], False)
    writer.add([record("a"), record("b")])
    assert read_new(followed) == (["a", "b"], False)
    assert read_new(followed) == ([], False)
    writer.add([record("c")])
    assert read_new(followed) == (["c"], False)


def test_a_record_that_grew_is_read_again(writer, tmp_path):
    writer.add([record("a"), record("b")])
    followed = FollowedStore(tmp_path / "run")
    read_new(followed)
    assert followed.get("a" * 32).rows.size == 3
    writer.add([record("a", rows=5)])

    assert read_new(followed) == (["a"], False)
    assert followed.get("a" * 32).rows.size == 5


def test_records_that_were_taken_out_make_everything_new(writer, tmp_path):
    writer.add([record("a"), record("b", status="error"), record("c")])
    followed = FollowedStore(tmp_path / "run")
    read_new(followed)
    writer.discard(["b" * 32])
    assert read_new(followed) == (["a", "c"], True)
    writer.add([record("b")])
    assert read_new(followed) == (["b"], False)


def test_another_study_makes_everything_new_and_other_documents_do_not(writer, tmp_path):
    writer.add([record("a")])
    writer.write_document("study", b"one")
    followed = FollowedStore(tmp_path / "run")
    assert read_new(followed) == (["a"], True)
    assert followed.document("study") == b"one"
    writer.write_document("ledger", b"proposals")
    assert read_new(followed) == ([], False)
    assert followed.document("ledger") == b"proposals"
    writer.write_document("ledger", b"more proposals")
    assert read_new(followed) == ([], False)
    assert followed.document("ledger") == b"more proposals"
    writer.write_document("study", b"two")
    assert read_new(followed) == (["a"], True)
    assert followed.document("study") == b"two"


def test_who_writes_is_seen_without_touching_the_lock(writer, tmp_path):
    followed = FollowedStore(tmp_path / "run")
    assert followed.writer == os.getpid()
    assert not followed.has_ended
    writer.close()
    assert followed.writer is None
    assert followed.has_ended
    SqliteStore(tmp_path / "run").close()  # nobody holds it


def test_the_number_of_a_process_that_was_killed_is_nobody(tmp_path):
    SqliteStore(tmp_path / "run").close()
    (tmp_path / "run" / "lock").write_text("4194304999\n")
    followed = FollowedStore(tmp_path / "run")
    assert followed.writer is None
    assert not followed.has_ended  # it may be a process of another machine


def test_a_run_that_ends_while_it_is_followed_leaves_one_file(tmp_path):
    writer = SqliteStore(tmp_path / "run")
    followed = FollowedStore(tmp_path / "run")
    writer.add([record("a")])
    read_new(followed)
    assert followed.get("a" * 32) is not None
    assert followed.document("study") is None
    writer.close()
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["lock", "records.db"]
    read_new(followed)
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["lock", "records.db"]


def test_no_store_is_a_sentence(tmp_path):
    with pytest.raises(BadStore, match=r"there is no store in .*nowhere. Give the folder"):
        FollowedStore(tmp_path / "nowhere")
