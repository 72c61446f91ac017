"""Records in memory (records/memory.py, records/overflow.py): large ones wait in a file, and come back as they were."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import numpy as np
import pytest

from foldwise.records import overflow
from foldwise.records.memory import MemoryStore
from foldwise.records.overflow import LARGE, Waiting, bytes_of
from foldwise.testing.stores import StoreContract, some_record

ROWS = LARGE // 8


def large(number, size=ROWS):
    rng = np.random.default_rng(number)
    # a column of a table, as solvers give it: it is not contiguous
    responses = {"predict": rng.normal(size=(size, 2))[:, 1], "predict_proba": rng.random((size, 3))}
    return some_record(key=f"{number:032d}", rows=np.arange(size), responses=responses, chosen={"alpha": number})


class TestContract(StoreContract):
    @pytest.fixture
    def store(self):
        return MemoryStore(most_bytes=0)


def filled(count, **options):
    store = MemoryStore(**options)
    store.add(large(number) for number in range(count))
    return store


def assert_holds(store, numbers):
    for number in numbers:
        wanted, found = large(number), store.get(f"{number:032d}")
        assert found.chosen == wanted.chosen
        assert found.rows.tolist() == wanted.rows.tolist()
        for name, values in wanted.responses.items():
            assert found.responses[name].dtype == values.dtype
            assert found.responses[name].tobytes() == values.tobytes()


def in_memory(store):
    return [int(key) for key in list(store.keys()) if not isinstance(store.get(key).responses, Waiting)]


def test_many_large_records_come_back_bit_by_bit_and_the_newest_are_in_memory():
    store = filled(12, most_bytes=3 * bytes_of(large(0)))
    assert in_memory(store) == [9, 10, 11]
    assert_holds(store, [*range(12), 5, 5, 0])
    assert in_memory(store) == [9, 10, 11]
    store.add([large(0)])
    assert in_memory(store) == [0, 10, 11]
    assert len(list(store.keys())) == 12


def test_to_ask_what_a_record_holds_reads_nothing(monkeypatch):
    store = filled(3, most_bytes=0)
    monkeypatch.setattr(overflow.os, "preadv", None)
    found = store.get(f"{0:032d}")
    assert found.answers(np.arange(5), ("predict", "predict_proba"))
    assert not found.answers(np.arange(5), ("decision_function",))
    assert list(found.responses) == ["predict", "predict_proba"]


def test_small_records_stay_whatever_their_number():
    store = MemoryStore(most_bytes=0)
    store.add(large(number, size=50) for number in range(100))
    assert len(in_memory(store)) == 100


def test_a_record_in_the_file_is_replaced_and_forgotten_like_any_other():
    store = filled(4, most_bytes=0)
    store.add([some_record(key=f"{0:032d}", status="error", responses={}, error="no")])
    assert store.get(f"{0:032d}").status == "error"
    store.discard([f"{1:032d}"])
    assert store.get(f"{1:032d}") is None
    assert sorted(store.keys()) == [f"{number:032d}" for number in (0, 2, 3)]
    assert_holds(store, [2, 3])


def test_where_nothing_can_be_written_all_stays_in_memory(monkeypatch):
    def refuse():
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(overflow, "TemporaryFile", refuse)
    store = filled(5, most_bytes=0)
    assert in_memory(store) == [0, 1, 2, 3, 4]
    assert_holds(store, range(5))


def test_a_copy_has_all_records():
    assert_holds(pickle.loads(pickle.dumps(filled(5, most_bytes=0))), range(5))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_forked_process_does_not_write_over_what_the_first_one_reads():
    store = filled(4, most_bytes=0)
    child = os.fork()
    if not child:
        store.add(large(number) for number in range(10, 20))
        os._exit(0)
    os.waitpid(child, 0)
    assert_holds(store, range(4))
    store.add([large(4)])
    assert_holds(store, range(5))


def test_the_file_has_no_name(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(overflow.tempfile, "tempdir", None)
    store = filled(4, most_bytes=0)
    assert in_memory(store) == [3]
    assert list(Path(tmp_path).iterdir()) == []
