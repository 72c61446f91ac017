from __future__ import annotations

import pickle

import numpy as np
import pytest

from foldwise.records import memory
from foldwise.records.block import Found, RecordBlock, Records, record_keys, record_parts, together
from foldwise.records.memory import MemoryStore
from foldwise.records.record import Record


def some_block(letters="abc", *, rows=4, start=0.0):
    values = start + np.arange(len(letters) * rows, dtype=float).reshape(len(letters), rows)
    return RecordBlock(tuple(letters), np.arange(rows), {"predict": values}, learner="k-nn", seconds=0.5)


def single(key):
    return Record(key, "ok", np.arange(2), {"predict": np.zeros(2)}, learner="ridge", seconds=1.0)


def test_records_are_made_when_they_are_asked_for():
    block = some_block()
    records = Records([single("z"), block])
    assert len(records) == 4
    assert [record.key for record in records] == list(record_keys(records)) == ["z", "a", "b", "c"]
    assert records[2].responses["predict"].tolist() == [4.0, 5.0, 6.0, 7.0]
    assert (records[-1].seconds, records[-1].learner, records[-1].is_ok) == (0.5, "k-nn", True)
    assert [record.key for record in record_parts([single("z")])] == ["z"]
    assert "3 records" in repr(block)


def test_a_block_answers_for_its_rows_and_responses():
    block = some_block()
    assert block.answers(np.array([1, 3]), ("predict",))
    assert not block.answers(np.array([4]), ("predict",))
    assert not block.answers(np.array([1]), ("predict_proba",))


def test_a_store_has_the_records_of_a_block():
    store = MemoryStore()
    store.add(Records([some_block(), single("z")]))
    assert set(store.keys()) == set("abcz")
    assert store.get("b").responses["predict"].tolist() == [4.0, 5.0, 6.0, 7.0]
    store.add([single("b")])  # made again, alone
    assert store.get("b").learner == "ridge"
    store.discard(["a"])
    assert store.get("a") is None
    assert store.get("c").learner == "k-nn"


def test_only_whole_blocks_are_taken_together():
    store, block = MemoryStore(), some_block()
    store.add(Records([block, single("z")]))
    assert together(store, ["c", "x", "a", "b", "z", "y"]) == Found([block], ["z"], 2)
    assert together(store, ["a", "c"]) == Found([], ["a", "c"], 0)
    store.add([single("b")])
    assert together(store, ["a", "b", "c"]) == Found([], ["a", "b", "c"], 0)
    assert together(object(), ["a"]) == Found((), ["a"], 0)  # a store that knows no blocks


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(memory, "LARGE", 1)


def test_blocks_that_wait_in_a_file_have_the_same_bytes(small):
    store, blocks = MemoryStore(most_bytes=100), [some_block("abc", start=0.1), some_block("def", start=0.7)]
    wanted = {key: block.find(key).responses["predict"].tobytes() for block in blocks for key in block.keys}
    store.add(Records(blocks))
    assert blocks[0].nbytes == 0 < blocks[1].nbytes  # the older one waits
    assert {key: store.get(key).responses["predict"].tobytes() for key in wanted} == wanted
    copy = pickle.loads(pickle.dumps(store.get("b")))
    assert copy.responses["predict"].tobytes() == wanted["b"]
