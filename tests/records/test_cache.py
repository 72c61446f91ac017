"""A store keeps what is used at hand, up to a number of bytes, and reads the rest again."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldwise.errors import BadStore
from foldwise.records.cache import OVERHEAD, Cache, SharedRows
from foldwise.records.encoding import MOST_TEXT, MOST_WARNINGS
from foldwise.records.memory import MemoryStore
from foldwise.records.sqlite import SqliteStore
from foldwise.testing.stores import some_record


def record(number, size=200):
    values = np.random.default_rng(number).normal(size=size)
    rows = np.arange(size) + size * (number % 13)
    return some_record(key=f"{number:032d}", rows=rows, responses={"predict": values})


def test_the_least_recently_used_is_let_go_first():
    cache = Cache(most_bytes=2 * (OVERHEAD + 1600))
    for number in (1, 2):
        cache.put(record(number))
    cache.get(f"{1:032d}")
    cache.put(record(3))
    assert cache.get(f"{2:032d}") is None
    assert cache.get(f"{1:032d}") is not None
    assert cache.get(f"{3:032d}") is not None


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 50), st.booleans()), max_size=60))
def test_the_bytes_of_a_cache_are_those_of_its_records(steps):
    cache = Cache(most_bytes=8000)
    for number, size, is_drop in steps:
        cache.drop(f"{number:032d}") if is_drop else cache.put(record(number, size))
    held = list(cache._records.values())
    assert cache.bytes == sum(OVERHEAD + 8 * len(one.responses["predict"]) for one in held)
    assert cache.bytes <= 8000 or len(held) == 1


def test_equal_rows_are_kept_once_and_others_are_left_alone():
    shared = SharedRows()
    one, same = shared.share(record(0)), shared.share(record(13))
    assert one.rows is same.rows
    # the same number, ends and sum, yet other rows
    first = shared.share(some_record(rows=np.array([0, 2, 3, 5])))
    other = shared.share(some_record(rows=np.array([0, 1, 4, 5])))
    assert first.rows.tolist() == [0, 2, 3, 5]
    assert other.rows.tolist() == [0, 1, 4, 5]


def test_records_of_one_fold_share_their_rows_in_memory_and_from_a_file(tmp_path):
    memory, store = MemoryStore(), SqliteStore(tmp_path / "run")
    for kept in (memory, store):
        kept.add([record(0), record(13)])
        assert kept.get(f"{0:032d}").rows is kept.get(f"{13:032d}").rows
    store.close()
    reader = SqliteStore(tmp_path / "run", readonly=True)
    assert reader.get(f"{0:032d}").rows is reader.get(f"{13:032d}").rows
    reader.close()


def test_what_was_let_go_is_read_again_before_and_after_closing(tmp_path):
    store = SqliteStore(tmp_path / "run")
    store._cache.most_bytes = 5000
    store.add([record(number) for number in range(50)])
    for _ in ("open", "closed"):
        for number in range(50):
            found = store.get(f"{number:032d}")
            assert found.responses["predict"].tobytes() == record(number).responses["predict"].tobytes()
        assert store._cache.bytes <= 5000
        store.close()
    assert store.document("none") is None
    assert len(list(store.keys())) == 50
    with pytest.raises(BadStore, match="is open for reading only"):
        store.add([record(1)])
    store.close()


def test_a_closed_store_whose_folder_is_gone_says_so(tmp_path):
    store = SqliteStore(tmp_path / "run")
    store._cache.most_bytes = 1
    store.add([record(0), record(1)])
    store.close()
    shutil.rmtree(tmp_path / "run")
    with pytest.raises(BadStore, match="there is no store in"):
        store.get(f"{0:032d}")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is where memory and files are counted")
def test_a_store_that_nobody_holds_lets_go_of_its_file(tmp_path):
    store = SqliteStore(tmp_path / "run")
    store._cache.most_bytes = 1
    store.add([record(0), record(1)])
    store.close()
    store.get(f"{0:032d}")
    assert any("records.db" in os.readlink(file) for file in Path("/proc/self/fd").iterdir() if file.exists())
    del store
    gc.collect()
    assert not any(
        str(tmp_path) in os.readlink(file) for file in list(Path("/proc/self/fd").iterdir()) if file.is_symlink()
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is where memory and files are counted")
def test_many_records_do_not_grow_the_process(tmp_path):
    """20,000 of them may cost 50 MB; 4,000 with a cache of a fifth may cost a fifth."""
    store = SqliteStore(tmp_path / "run")
    store._cache.most_bytes //= 5
    store.add([record(number) for number in range(200)])
    gc.collect()
    before = resident()
    for start in range(200, 4200, 200):
        store.add([record(number) for number in range(start, start + 200)])
    for number in range(0, 4200, 3):
        store.get(f"{number:032d}")
    assert resident() - before < 12e6
    store.close()


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_endless_texts_are_cut_alike_in_memory_and_file(tmp_path):
    store = SqliteStore(tmp_path / "run")
    store.add([some_record(status="error", responses={}, error="x" * 10**6, warnings=("w" * 10**5, *"w" * 1000))])
    at_hand = store.get("a" * 32)
    store.close()
    again = SqliteStore(tmp_path / "run", readonly=True)
    for found in (at_hand, again.get("a" * 32)):
        assert (len(found.error), len(found.warnings), len(found.warnings[0])) == (MOST_TEXT, MOST_WARNINGS, MOST_TEXT)
    again.close()


@pytest.mark.parametrize("name", ["\ud800", "a\0b", "../../x", "<script>", "x" * 600], ids=repr)
def test_strange_names_of_learners_are_kept(tmp_path, name):
    store = SqliteStore(tmp_path / "run")
    store.add([some_record(learner=name, error=name)])
    store.close()
    again = SqliteStore(tmp_path / "run")
    assert again.get("a" * 32).learner == name
    assert again.get("a" * 32).error == name
    assert again.verify() == []
    assert again.info()["records"] == 1
    again.close()
