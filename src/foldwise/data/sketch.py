"""Hashes of a table's rows and columns: which rows were seen before, and where do other data differ?"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from foldwise.data.dataset import Dataset
from foldwise.data.equal_rows import hash_column
from foldwise.data.features import Feature, features

Words = npt.NDArray[np.uint64]
TARGET = "the target"
MOST_ROWS = 5_000_000  # above, a picture would be larger than it is worth
MOST_SHOWN = 5


@dataclass(frozen=True, eq=False)
class Sketch:
    """A number for each column, the target last, and one for each row; equal cells give equal numbers."""

    names: tuple[str, ...]
    columns: Words
    rows: Words

    def __post_init__(self) -> None:
        if self.columns.shape != (len(self.names),) or self.rows.ndim != 1:
            raise ValueError("it has not one number for each column")


def make_sketch(data: Dataset) -> Sketch | None:
    """The picture of a table; None for sparse and very long ones."""
    if data.rows > MOST_ROWS or hasattr(data.X, "tocsr"):
        return None
    columns = [hashlib.blake2b(cells.tobytes(), digest_size=8).digest() for cells in _hashed_columns(data)]
    return Sketch((*data.names, TARGET), np.frombuffer(b"".join(columns), np.uint64), row_hashes(data))


def row_hashes(data: Dataset) -> Words:
    """A number for every row and its target: equal rows have equal ones, whatever holds them."""
    rows = np.zeros(data.rows, np.uint64)
    if hasattr(data.X, "tocsr"):  # sums of hashes of the cells that are not zero: the table is never written out
        X = data.X.tocsr()
        cells = hash_column(X.indices, 0) * np.uint64(3) ^ hash_column(X.data, 0)
        totals = np.concatenate([[np.uint64(0)], np.cumsum(cells, dtype=np.uint64)])
        rows = totals[X.indptr[1:]] - totals[X.indptr[:-1]]
    for cells in _hashed_columns(data):
        rows = rows * np.uint64(31) + cells
    return np.asarray(rows)


def _hashed_columns(data: Dataset) -> Iterator[Words]:
    """A number for each cell, column by column, the target last; none of the features of a sparse table."""
    target = Feature(TARGET, "target", data.target.astype(np.float64), data.classes)
    yield from map(_cells, (*features(data), target))


def _cells(column: Feature) -> Words:
    """A number for each cell; labels go by their text, whatever their codes."""
    if column.is_number:
        return np.asarray(hash_column(column.values, 0))
    from pandas import util

    labels = util.hash_array(np.array([*map(str, column.labels), ""], dtype=object), categorize=False)
    return np.asarray(labels[column.values.astype(np.int64)])


def differences(old: Sketch, new: Sketch) -> str:
    """In which columns and rows two tables differ, in words.

    >>> from foldwise.data.dataset import make_dataset
    >>> old = make_dataset([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0.5, 1.5, 2.5])
    >>> new = make_dataset([[1.0, 2.0], [3.0, 9.0], [5.0, 6.0]], [0.5, 1.5, 2.5])
    >>> differences(make_sketch(old), make_sketch(new))
    "the data differ in column 'x1', row 1 (counted from 0)"
    """
    if old.names != new.names:
        return _names_differ(old.names, new.names)
    if len(old.rows) != len(new.rows):
        return f"the data had {len(old.rows)} rows and have {len(new.rows)}"
    rows = np.flatnonzero(old.rows != new.rows).tolist()
    if np.array_equal(np.sort(old.rows), np.sort(new.rows)) and rows:
        return "the data have the same rows in another order"
    names = np.array(old.names, dtype=object)[old.columns != new.columns].tolist()
    if not names or not rows:
        return ""
    where = ", ".join(name if name == TARGET else repr(name) for name in names[:MOST_SHOWN])
    return (
        f"the data differ in column{'s' * (len(names) > 1)} {where}{_others(names)}, "
        f"row{'s' * (len(rows) > 1)} {', '.join(map(str, rows[:MOST_SHOWN]))}{_others(rows)} (counted from 0)"
    )


def _names_differ(old: Sequence[str], new: Sequence[str]) -> str:
    gone, come = [name for name in old if name not in new], [name for name in new if name not in old]
    if not gone and not come:
        return "the data have their columns in another order"
    changes = [f"{_listed(names)} {change}" for names, change in ((gone, "gone"), (come, "new")) if names]
    return f"the data have other columns: {', '.join(changes)}"


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names[:MOST_SHOWN])) + _others(names)


def _others(items: Sequence[Any]) -> str:
    return f" and {len(items) - MOST_SHOWN} more" if len(items) > MOST_SHOWN else ""
