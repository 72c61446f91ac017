"""Records and arrays as bytes: a JSON head and plain numbers, never pickle."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray
from foldwise.errors import BadStore
from foldwise.records.record import Record

_KINDS = "biuf"  # booleans, integers, floats: what an array from a file may be


def pack(head: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> bytes:
    """A JSON head and named arrays as one run of bytes.

    >>> head, arrays = unpack(pack({"a": 1}, {"v": np.array([1.5, 2.5])}))
    >>> head, arrays["v"].tolist()
    ({'a': 1}, [1.5, 2.5])
    """
    little = {name: _little(array) for name, array in arrays.items()}
    layout = [[name, array.dtype.str, list(array.shape)] for name, array in little.items()]
    text = json.dumps({"head": head, "arrays": layout}, sort_keys=True, allow_nan=False).encode()
    body = zlib.compress(b"".join(array.tobytes() for array in little.values()), level=1)
    return struct.pack("<I", len(text)) + text + body


def unpack(content: bytes) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """The head and the arrays of `pack`, or BadStore."""
    try:
        (size,) = struct.unpack_from("<I", content)
        text = json.loads(content[4 : 4 + size])
        body, place, arrays = zlib.decompress(content[4 + size :]), 0, {}
        for name, kind, shape in text["arrays"]:
            dtype = np.dtype(kind)
            if dtype.kind not in _KINDS:
                raise ValueError(f"arrays of kind {kind!r} are not allowed")
            count = int(np.prod(shape, dtype=np.int64))
            arrays[name] = np.frombuffer(body, dtype, count, place).reshape(shape).astype(dtype.newbyteorder("="))
            place += count * dtype.itemsize
    except (ValueError, KeyError, TypeError, struct.error, zlib.error) as reason:
        raise BadStore(f"a stored document cannot be read: {reason}", "Restore the store from a backup") from reason
    return text["head"], arrays


def encode(record: Record) -> bytes:
    """A record as bytes; class codes and row numbers take the smallest integers that hold them."""
    head = {
        "status": record.status,
        "error": record.error,
        "warnings": list(record.warnings),
        "seconds": record.seconds,
        "learner": record.learner,
        "responses": sorted(record.responses),
    }
    arrays: dict[str, AnyArray] = {"rows": _smallest(record.rows)}
    arrays |= {name: _smallest(record.responses[name]) for name in sorted(record.responses)}
    return pack(head, arrays)


def decode(key: str, content: bytes) -> Record:
    """The record that `encode` made these bytes of."""
    head, arrays = unpack(content)
    return Record(
        key=key,
        status=head["status"],
        rows=arrays["rows"].astype(np.int64),
        responses={name: _widest(arrays[name]) for name in head["responses"]},
        error=head["error"],
        warnings=tuple(head["warnings"]),
        seconds=head["seconds"],
        learner=head["learner"],
    )


def _little(array: AnyArray) -> AnyArray:
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))


def _smallest(array: AnyArray) -> AnyArray:
    if array.dtype.kind not in "iu" or not array.size:
        return array
    return array.astype(np.promote_types(np.min_scalar_type(array.min()), np.min_scalar_type(array.max())))


def _widest(array: AnyArray) -> AnyArray:
    return array.astype(np.int64) if array.dtype.kind in "iu" else array
