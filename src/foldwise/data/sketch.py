"""A small picture of a table, kept in a store: where do other data differ from those that made it?"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
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
    rows, columns = np.zeros(data.rows, np.uint64), list[int]()
    for column in (*features(data), Feature(TARGET, "number", data.target.astype(np.float64))):
        cells = _cells(column)
        rows = rows * np.uint64(31) + cells
        columns.append(int.from_bytes(hashlib.blake2b(cells.tobytes(), digest_size=8).digest()))
    return Sketch((*data.names, TARGET), np.array(columns, np.uint64), rows)


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
