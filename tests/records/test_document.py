"""Documents come back as they were written, and are compared with their type, since a store may be a stranger's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pytest

from foldwise.arrays import AnyArray
from foldwise.errors import BadStore
from foldwise.records.document import Document
from foldwise.records.encoding import pack
from foldwise.records.memory import MemoryStore


@dataclass(frozen=True, eq=False)
class Part:
    rows: AnyArray
    count: int | None


@dataclass(frozen=True, eq=False)
class Whole:
    kind: Literal["large", "small"]
    size: float
    parts: tuple[Part, ...]
    places: Mapping[str, tuple[int, ...]]
    names: frozenset[str]
    point: tuple[int | float, ...]
    more: Any

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError("its size is negative")


WHOLES = Document("wholes", Whole)
OPTIONAL = Document("wholes", Whole, is_optional=True)
PARTS = (Part(np.arange(3), None), Part(np.ones((2, 2)), 7))
WHOLE = Whole("small", 2.5, PARTS, {"a": (1, 2)}, frozenset("xy"), (1, 1.0), {"b": [1, None, "c"]})
PLAIN = {"kind": "small", "size": 2.5, "parts": [], "places": {}, "names": [], "point": [], "more": None}


def read(value, document=WHOLES):
    store = MemoryStore()
    store.write_document("wholes", pack({"value": value}, {}))
    return document.read(store)


def test_every_field_comes_back_with_its_type():
    back = WHOLES.decode(WHOLES.encode(WHOLE))
    for name in ("kind", "size", "places", "names", "point", "more"):
        assert getattr(back, name) == getattr(WHOLE, name)
    assert [type(number) for number in back.point] == [int, float]
    for part, known in zip(back.parts, PARTS, strict=True):
        assert part.rows.dtype == known.rows.dtype
        assert (part.rows.tolist(), part.count) == (known.rows.tolist(), known.count)
    assert WHOLES.encode(back) == WHOLES.encode(WHOLE)


def test_names_tell_documents_of_one_kind_apart():
    store = MemoryStore()
    WHOLES.write(store, WHOLE, name="wholes of one")
    assert WHOLES.read(store) is None
    assert WHOLES.read(store, name="wholes of one") is WHOLE  # what a run has written it does not read again
    assert WHOLES.read(store, name="wholes of two") is None


def test_what_another_has_written_since_is_read():
    store = MemoryStore()
    WHOLES.write(store, WHOLE)
    store.write_document("wholes", pack({"value": {**PLAIN, "size": 9}}, {}))
    assert WHOLES.read(store).size == 9


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"size": "wide"}, "size: Input should be a valid number"),
        ({"size": float("nan")}, "size: Input should be a finite number"),
        ({"size": -1}, "its size is negative"),
        ({"kind": "odd"}, "kind: Input should be 'large' or 'small'"),
        ({"parts": [{"rows": [1], "count": 2}]}, "parts.0.rows: Input should be an instance of ndarray"),
        ({"parts": [{"rows": {"$array": "7"}, "count": 2}]}, "parts.0.rows: Input should be an instance of ndarray"),
        ({"more_of_it": 1}, "more_of_it: Unexpected keyword argument"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_place(change, words):
    value = {**PLAIN, **change}
    content = pack({"value": value}, {}) if value["size"] == value["size"] else None
    store = MemoryStore()
    store.write_document("wholes", content or pack({"value": {**value, "size": 77}}, {}).replace(b" 77", b"NaN"))
    with pytest.raises(BadStore, match=f"the document 'wholes' of the store cannot be read: .*{words}"):
        WHOLES.read(store)
    assert OPTIONAL.read(store) is None


@pytest.mark.parametrize("value", [None, 3, [], "text", {}])
def test_what_is_no_table_is_refused(value):
    with pytest.raises(BadStore, match="the document 'wholes' of the store cannot be read"):
        read(value)
