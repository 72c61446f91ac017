"""A small picture of a table, kept in a store: where do other data differ from those that made it?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from foldwise.data.dataset import Dataset

Words = npt.NDArray[np.uint64]
TARGET = "the target"
MOST_ROWS = 5_000_000  # above, a picture would be larger than it is worth
MOST_SHOWN = 5
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


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
    if data.rows > MOST_ROWS or not (isinstance(data.X, np.ndarray) or hasattr(data.X, "iloc")):
        return None
    rows = np.zeros(data.rows, np.uint64)
    places, columns = _mixed(np.arange(data.rows, dtype=np.uint64)), list[np.uint64]()
    for number, cells in enumerate(_cells(data)):
        own = _mixed(cells + np.uint64(number + 1))
        rows += own
        columns.append(np.add.reduce(_mixed(own ^ places)))
    return Sketch((*data.names, TARGET), np.array(columns, np.uint64), rows)


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
    names = [name for name, one, other in zip(old.names, old.columns, new.columns, strict=True) if one != other]
    if not names or not rows:
        return ""
    where = ", ".join(name if name == TARGET else repr(name) for name in names[:MOST_SHOWN])
    return (
        f"the data differ in column{'s' * (len(names) > 1)} {where}{_others(names)}, "
        f"row{'s' * (len(rows) > 1)} {', '.join(map(str, rows[:MOST_SHOWN]))}{_others(rows)} (counted from 0)"
    )


def _names_differ(old: Sequence[str], new: Sequence[str]) -> str:
    gone, come = [n for n in old if n not in new], [n for n in new if n not in old]
    if not gone and not come:
        return "the data have their columns in another order"
    words = [f"{_listed(gone)} gone"] if gone else []
    words += [f"{_listed(come)} new"] if come else []
    return f"the data have other columns: {', '.join(words)}"


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names[:MOST_SHOWN])) + _others(names)


def _others(found: Sequence[Any]) -> str:
    return f" and {len(found) - MOST_SHOWN} more" if len(found) > MOST_SHOWN else ""


def _cells(data: Dataset) -> Iterator[Words]:
    """A number for each cell, column by column, the target last."""
    for place in range(data.columns):
        yield _column(data.X[:, place] if isinstance(data.X, np.ndarray) else data.X.iloc[:, place].to_numpy())
    yield _column(data.target)


def _column(values: Any) -> Words:
    if values.dtype.kind in "fiub":
        clean = values.astype(np.float64) + 0.0  # no negative zero
        return np.asarray(np.where(np.isnan(clean), np.nan, clean).view(np.uint64))
    if values.dtype.kind == "M":
        return np.asarray(values.astype("datetime64[us]").view(np.uint64))
    from pandas import Series, util

    return np.asarray(util.hash_array(Series(values, dtype=object).map(str, na_action=None).to_numpy(object)))


def _mixed(words: Words) -> Words:
    """The numbers with their bits mixed, so that sums of different ones differ (the finalizer of SplitMix64)."""
    words = (words ^ (words >> np.uint64(30))) * _MIX[0]
    words = (words ^ (words >> np.uint64(27))) * _MIX[1]
    return words ^ (words >> np.uint64(31))
