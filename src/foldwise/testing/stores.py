"""What every store must do. The protocol, `records.store.Store`, may change in a minor version."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from foldwise.records.record import Record
from foldwise.records.store import Store
from foldwise.testing.contract import keep_anew


def some_record(key: str = "a" * 32, **changes: Any) -> Record:
    """A record to try things with."""
    fields: dict[str, Any] = {
        "key": key,
        "status": "ok",
        "rows": np.array([1, 4, 300]),
        "responses": {"predict": np.array([0, 2, 1]), "predict_proba": np.full((3, 3), 1 / 3)},
        "warnings": ("UserWarning: careful",),
        "seconds": 0.25,
        "learner": "k-nn",
    }
    return Record(**(fields | changes))


def check_store(make: Callable[[], Store]) -> None:
    """Raise AssertionError, with a sentence, where a store does not do what it must; `make` gives an empty one.

    `make`: a function without arguments.

    >>> from foldwise.records.memory import MemoryStore
    >>> check_store(MemoryStore)
    >>> class Forgetful(MemoryStore):
    ...     def write_document(self, name, content):
    ...         pass
    >>> check_store(Forgetful)
    Traceback (most recent call last):
    AssertionError: the store breaks the contract: documents are kept by name (...)
    """
    keep_anew(StoreContract(), "the store", make)


class StoreContract:
    """`store` is an empty one."""

    def test_an_unknown_key_has_no_record(self, store: Any) -> None:
        assert store.get("b" * 32) is None
        assert list(store.keys()) == []

    def test_a_record_comes_back_as_it_was(self, store: Any) -> None:
        record = some_record()
        store.add([record])
        _assert_same(store.get(record.key), record)

    def test_a_failed_fit_is_a_record_too(self, store: Any) -> None:
        record = some_record(status="error", responses={}, error="ValueError: no")
        store.add([record])
        _assert_same(store.get(record.key), record)

    def test_floats_come_back_to_the_last_bit(self, store: Any) -> None:
        values = np.array([np.pi, 1e-308, -0.0])
        store.add([some_record(responses={"predict": values})])
        found = store.get("a" * 32).responses["predict"]
        assert found.tobytes() == values.tobytes()

    def test_a_record_under_a_known_key_takes_its_place(self, store: Any) -> None:
        store.add([some_record()])
        store.add([some_record(rows=np.array([7]), responses={"predict": np.array([1.5])})])
        assert store.get("a" * 32).rows.tolist() == [7]
        assert list(store.keys()) == ["a" * 32]

    def test_a_discarded_record_is_gone_and_can_be_kept_anew(self, store: Any) -> None:
        store.add([some_record(), some_record(key="c" * 32)])
        store.discard(["a" * 32, "unknown"])
        assert store.get("a" * 32) is None
        assert list(store.keys()) == ["c" * 32]
        store.add([some_record()])
        _assert_same(store.get("a" * 32), some_record())

    def test_records_are_added_all_or_none(self, store: Any) -> None:
        def broken() -> Iterator[Record]:
            yield some_record()
            raise OSError("no more")

        with suppress(OSError):
            store.add(broken())
        assert list(store.keys()) == []

    def test_documents_are_kept_by_name(self, store: Any) -> None:
        assert store.document("study") is None
        store.write_document("study", b"one")
        store.write_document("study", b"two")
        assert store.document("study") == b"two"

    def test_records_stay_readable_after_close(self, store: Any) -> None:
        store.add([some_record()])
        store.close()
        assert store.get("a" * 32) is not None


def _assert_same(found: Record | None, record: Record) -> None:
    assert found is not None
    for name in ("key", "status", "error", "warnings", "seconds", "learner"):
        assert getattr(found, name) == getattr(record, name)
    np.testing.assert_array_equal(found.rows, record.rows)
    assert set(found.responses) == set(record.responses)
    for name, values in record.responses.items():
        np.testing.assert_array_equal(found.responses[name], values)
