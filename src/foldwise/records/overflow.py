"""Responses of large records in a temporary file: exact, and out of memory."""

from __future__ import annotations

import math
import os
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from foldwise.arrays import AnyArray

LARGE = 32 * 2**10  # bytes; smaller records hardly count, and would take longer to write and read than to make
ON_DISK = Path("/var/tmp")  # /tmp is a part of memory on many systems
Place = tuple[int, np.dtype[Any], tuple[int, ...]]  # where an array begins, its type and its shape


class TemporaryFile:
    """A file without a name, so that nothing is left behind; closed when nobody uses it any more."""

    def __init__(self) -> None:
        is_named = any(os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
        folder = str(ON_DISK) if not is_named and os.access(ON_DISK, os.W_OK) else None
        with tempfile.TemporaryFile(dir=folder) as file:
            self.handle = os.dup(file.fileno())
        weakref.finalize(self, os.close, self.handle)


class Waiting(Mapping[str, AnyArray]):
    """The responses of a record, read from a file each time that one is asked for."""

    def __init__(self, file: TemporaryFile, places: dict[str, Place]) -> None:
        self._file, self._places = file, places

    def __getitem__(self, name: str) -> AnyArray:
        start, dtype, shape = self._places[name]
        values: AnyArray = np.empty(shape, dtype)
        into = values.reshape(-1).view(np.uint8).data
        while into:
            count = os.preadv(self._file.handle, [into], start)
            if not count:
                raise OSError("the temporary file of this process has lost its end")
            into, start = into[count:], start + count
        return values

    def part(self, at: int) -> Waiting:
        """The same of one element of the first axis."""
        return Waiting(self._file, {name: _part(place, at) for name, place in self._places.items()})

    def __contains__(self, name: object) -> bool:
        return name in self._places  # nothing is read for that

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy for another process holds the arrays: a file without a name cannot be shared."""
        return dict, (dict(self),)


class Overflow:
    """Writes responses to a temporary file, which is made when it is first needed."""

    def __init__(self) -> None:
        self._file: TemporaryFile | None = None
        self._process = 0
        self._end = 0
        self._is_full = not hasattr(os, "preadv")  # as on Windows: then everything stays in memory

    def write(self, responses: Mapping[str, AnyArray]) -> Waiting | None:
        """Write these; None where that cannot be done, and they must stay in memory."""
        if self._is_full:
            return None
        places: dict[str, Place] = {}
        try:
            file = self._opened()
            for name, values in responses.items():
                places[name] = (self._end, values.dtype, values.shape)
                self._append(file, values)
        except OSError:  # a full disk, or no folder to write to
            self._is_full = True
            return None
        return Waiting(file, places)

    def _append(self, file: TemporaryFile, values: AnyArray) -> None:
        unwritten = np.ascontiguousarray(values).reshape(-1).view(np.uint8).data
        while unwritten:
            count = os.pwrite(file.handle, unwritten, self._end)
            unwritten, self._end = unwritten[count:], self._end + count

    def _opened(self) -> TemporaryFile:
        """The file; a process that was forked off gets one of its own."""
        if self._file is None or self._process != os.getpid():
            self._file, self._process, self._end = TemporaryFile(), os.getpid(), 0
        return self._file

    def __reduce__(self) -> tuple[Any, ...]:
        return Overflow, ()


class _Held(Protocol):
    @property
    def responses(self) -> Mapping[str, AnyArray]: ...


def _part(place: Place, at: int) -> Place:
    start, dtype, (_, *shape) = place
    return start + at * math.prod(shape) * dtype.itemsize, dtype, tuple(shape)


def bytes_of(record: _Held) -> int:
    """Bytes of what a record holds in memory."""
    responses = record.responses
    return 0 if isinstance(responses, Waiting) else sum([values.nbytes for values in responses.values()])
