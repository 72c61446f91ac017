"""Records and arrays as bytes: a JSON head and plain numbers, never pickle.

What is read may come from a stranger, so sizes are checked before anything is made room for.
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, get_args

import numpy as np

from foldwise.arrays import AnyArray, IntArray
from foldwise.errors import BadStore
from foldwise.records.record import Record, Status

MOST_BYTES = 900 * 2**20  # of one record or document: a little less than SQLite itself would take
MOST_HEAD = 64 * 2**20  # of its JSON
FREE_BYTES = 64 * 2**20  # an array of this size may be as compressible as it likes
MOST_RATIO = 100  # a larger one is written uncompressed where it would shrink by more
WORTH_PACKING = 4096  # bytes; below, compressing takes longer than writing them
MOST_TEXT = 20_000  # letters of one error or warning
MOST_WARNINGS = 200
_SHORT = 8192  # bytes of steps between rows
_KINDS = "biuf"  # booleans, integers, floats: what an array from a file may be
_STATUSES = frozenset(get_args(Status))
_JSON = json.JSONEncoder(sort_keys=True, allow_nan=False)  # made once: that takes as long as a small head


def pack(head: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> bytes:
    """A JSON head and named arrays as one run of bytes.

    >>> head, arrays = unpack(pack({"a": 1}, {"v": np.array([1.5, 2.5])}))
    >>> head, arrays["v"].tolist()
    ({'a': 1}, [1.5, 2.5])
    """
    little = {name: _little(array) for name, array in arrays.items()}
    layout = [[name, array.dtype.str, list(array.shape)] for name, array in little.items()]
    body, is_plain = _shrink(b"".join(array.tobytes() for array in little.values()))
    text = _JSON.encode({"head": head, "arrays": layout, **({"plain": True} if is_plain else {})}).encode()
    if len(text) > MOST_HEAD or len(text) + len(body) > MOST_BYTES:
        raise BadStore(
            f"a record or document of {len(text) + len(body):,} bytes is larger than a store takes ({MOST_BYTES:,})",
            "Use fewer rows, or no store",
        )
    return struct.pack("<I", len(text)) + text + body


def unpack(content: bytes) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """The head and the arrays of `pack`, or BadStore."""
    try:
        (size,) = struct.unpack_from("<I", content)
        if size > MOST_HEAD:
            raise ValueError(f"its head of {size:,} bytes is larger than {MOST_HEAD:,}")
        text = json.loads(content[4 : 4 + size])
        head, layout = text["head"], [_described(*entry) for entry in text["arrays"]]
        if not isinstance(head, dict):
            raise TypeError("its head is no table")
        body, offset, arrays = content[4 + size :], 0, {}
        whole = sum(kind.itemsize * count for _, kind, count, _ in layout)
        if text.get("plain") is not True:
            body = _expand(body, whole)
        if len(body) != whole:
            raise ValueError(f"its arrays do not have the {whole:,} bytes they should have")
        for name, dtype, count, shape in layout:
            array = np.frombuffer(body, dtype, count, offset).reshape(shape)
            arrays[name] = array.astype(_native(dtype))  # a copy, so that one array does not hold all the bytes
            offset += count * dtype.itemsize
    except (ValueError, KeyError, TypeError, RecursionError, struct.error, zlib.error) as reason:
        raise BadStore(f"a stored document cannot be read: {reason}", "Name another store") from reason
    return head, arrays


def encode(record: Record) -> bytes:
    """A record as bytes; class codes and row numbers take the smallest integers that hold them."""
    head = {
        "status": record.status,
        "error": record.error,
        "warnings": list(record.warnings),
        "seconds": record.seconds,
        "learner": record.learner,
        "responses": sorted(record.responses),
        **({"chosen": dict(record.chosen)} if record.chosen else {}),
    }
    # Rows are sorted, so that the steps between them are smaller numbers.
    arrays: dict[str, AnyArray] = {"steps": _smallest(np.diff(record.rows, prepend=0))}
    arrays |= {name: _smallest(record.responses[name]) for name in sorted(record.responses)}
    return pack(head, arrays)


def decode(key: str, content: bytes) -> Record:
    """The record that `encode` made these bytes of, or BadStore."""
    head, arrays = unpack(content)
    try:
        record = Record(
            key=key,
            status=head["status"],
            rows=_rows(arrays),
            responses={name: _widest(arrays[name]) for name in head["responses"]},
            error=head["error"],
            warnings=tuple(head["warnings"]),
            seconds=head["seconds"],
            learner=head["learner"],
            chosen=head.get("chosen", {}),
        )
        _check(record)
        return clipped(record)
    except (ValueError, KeyError, TypeError) as reason:
        raise BadStore(f"record {key[:16]!r} is none of ours: {reason}", "Name another store") from reason


def clipped(record: Record) -> Record:
    """The record with its texts cut to what a store keeps."""
    is_short = len(record.error) <= MOST_TEXT and len(record.warnings) <= MOST_WARNINGS
    if is_short and all(len(text) <= MOST_TEXT for text in record.warnings):
        return record
    texts = tuple(text[:MOST_TEXT] for text in record.warnings[:MOST_WARNINGS])
    return replace(record, error=record.error[:MOST_TEXT], warnings=texts)


def _check(record: Record) -> None:
    """Refuse what no fit leaves, whoever wrote it."""
    texts = (record.error, record.learner, *record.warnings)
    if record.status not in _STATUSES:
        raise ValueError(f"its status is {str(record.status)[:40]!r}")
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("its texts are no texts")
    if not isinstance(record.seconds, int | float) or not math.isfinite(record.seconds):
        raise ValueError("its seconds are no number")
    if not isinstance(record.chosen, dict):
        raise ValueError("what it has chosen is no table")
    if record.rows.ndim != 1 or any(len(values) != record.rows.size for values in record.responses.values()):
        raise ValueError("its responses are not one per row")


def _rows(arrays: Mapping[str, AnyArray]) -> IntArray:
    """The rows from the steps between them; records of one fold share a short array."""
    steps = arrays["steps"]
    return _summed(steps) if steps.nbytes > _SHORT else _shared_rows(steps.dtype, steps.tobytes())


@lru_cache(128)
def _shared_rows(dtype: np.dtype[Any], steps: bytes) -> IntArray:
    rows = _summed(np.frombuffer(steps, dtype))
    rows.setflags(write=False)
    return rows


def _summed(steps: AnyArray) -> IntArray:
    return np.cumsum(steps, dtype=np.int64)


def _described(name: str, kind: str, shape: list[int]) -> tuple[str, np.dtype[Any], int, list[int]]:
    """Which array the next bytes are, from its line in the head."""
    dtype = _dtype(kind)
    if not all(type(axis) is int and axis >= 0 for axis in shape) or len(shape) > 4:
        raise ValueError(f"an array cannot have the shape {shape!r}")
    return name, dtype, math.prod(shape), shape


def _shrink(plain: bytes) -> tuple[bytes, bool]:
    """The bytes, compressed where that helps, and whether they were left as they are: short ones, and random ones."""
    if len(plain) < WORTH_PACKING:
        return plain, True
    body = zlib.compress(plain, level=1)
    is_plain = len(body) > 0.9 * len(plain) or len(plain) > _most_plain(len(body))
    return (plain, True) if is_plain else (body, False)


def _expand(body: bytes, size: int) -> bytes:
    """At most one byte more than `size` from a compressed body; one that claims too much is refused."""
    if size > _most_plain(len(body)):
        raise ValueError(f"{len(body):,} bytes cannot expand to {size:,}")
    expander = zlib.decompressobj()
    return expander.decompress(body, size + 1)  # one byte more, to see that it ends there


@lru_cache(64)
def _dtype(kind: str) -> np.dtype[Any]:
    dtype = np.dtype(kind)
    if dtype.kind not in _KINDS:
        raise ValueError(f"arrays of kind {kind!r} are not allowed")
    return dtype


@lru_cache(64)
def _native(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype.newbyteorder("=")


def _most_plain(packed: int) -> int:
    return max(FREE_BYTES, MOST_RATIO * packed)


def _little(array: AnyArray) -> AnyArray:
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))


def _smallest(array: AnyArray) -> AnyArray:
    if array.dtype.kind not in "iu" or not array.size:
        return array
    return array.astype(np.promote_types(np.min_scalar_type(array.min()), np.min_scalar_type(array.max())))


def _widest(array: AnyArray) -> AnyArray:
    return array.astype(np.int64) if array.dtype.kind in "iu" else array
