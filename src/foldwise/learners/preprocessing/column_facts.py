"""What is known of the columns of a table before any split: found from the features alone, and once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from foldwise.arrays import FloatArray

if TYPE_CHECKING:
    from foldwise.data.dataset import Dataset

ROOM = 10
MOSTLY = 0.5  # share of the values of a text column that are distinct, where it is free text
WORDS = 5  # of its values on average
ALONE_WORDS = 2  # where the table has no other column


@dataclass(frozen=True)
class ColumnFacts:
    """By column: how many distinct values text and categories have, and which share of the rows has none."""

    distinct: tuple[int, ...]
    missing: tuple[float, ...]


def column_facts(data: Dataset) -> ColumnFacts:
    """The facts of a dataset, looked up once.

    >>> from foldwise.data.dataset import make_dataset
    >>> column_facts(make_dataset({"size": [1, None, 3, 4], "town": ["a", "b", "a", None]}, [1, 2, 3, 4]))
    ColumnFacts(distinct=(0, 2), missing=(0.25, 0.0))
    """
    if data not in _FACTS:
        _FACTS[data] = ColumnFacts(_distinct(data), _missing(data))
    return _FACTS[data]


_FACTS: WeakKeyDictionary[Dataset, ColumnFacts] = WeakKeyDictionary()


def free_text(data: Dataset) -> tuple[str, ...]:
    """Text columns whose values are mostly distinct and on average of five words or more; of two, where it is alone.

    >>> from foldwise.data.dataset import make_dataset
    >>> remarks = ["a fine old red wine", "too sweet for my own taste", "goes well with any fish"]
    >>> free_text(make_dataset({"name": ["Ann Lee", "Bo Li", "Cy Day"], "remark": remarks}, [1, 2, 3]))
    ('remark',)
    """
    if data not in _FREE:
        least = ALONE_WORDS if data.columns == 1 else WORDS
        kinds = enumerate(zip(data.names, data.kinds, strict=True))
        _FREE[data] = tuple(name for j, (name, kind) in kinds if kind == "text" and _is_free(data.X.iloc[:, j], least))
    return _FREE[data]


_FREE: WeakKeyDictionary[Dataset, tuple[str, ...]] = WeakKeyDictionary()


def _is_free(column: Any, words: int) -> bool:
    values = column.dropna()
    known = values.unique()
    is_new = len(known) > MOSTLY * len(values)
    return is_new and sum(len(str(text).split()) for text in known) >= words * len(known)


def _distinct(data: Dataset) -> tuple[int, ...]:
    return tuple(
        int(data.X.iloc[:, j].nunique()) if kind in ("text", "category") else 0 for j, kind in enumerate(data.kinds)
    )


def _missing(data: Dataset) -> tuple[float, ...]:
    """Missing values of numbers and dates; text has a value of its own for what is missing."""
    if hasattr(data.X, "tocsr"):
        return (0.0,) * data.columns
    shares: Any = data.X.isna().mean().to_numpy() if hasattr(data.X, "iloc") else np.isnan(data.X).mean(axis=0)
    return tuple(
        float(share) if kind in ("number", "date") else 0.0 for share, kind in zip(shares, data.kinds, strict=True)
    )


def has_far_columns(data: Dataset) -> bool:
    """Are there numbers so far from zero that scikit-learn's scaler takes their spread for rounding?

    It would leave such a column as it is, and one of a large spread would drown all others.

    >>> from foldwise.data.dataset import make_dataset
    >>> has_far_columns(make_dataset({"size": [1e20, 1e20 + 1e5, 1e20 + 2e5]}, [1, 2, 3]))
    True
    >>> has_far_columns(make_dataset({"size": [1e20, 1e20, 1e20], "age": [1.0, 2.0, 3.0]}, [1, 2, 3]))
    False
    """
    if data not in _FAR:
        _FAR[data] = any(_is_far(column) for column in _number_columns(data))
    return _FAR[data]


_FAR: WeakKeyDictionary[Dataset, bool] = WeakKeyDictionary()


def _number_columns(data: Dataset) -> Iterator[FloatArray]:
    if hasattr(data.X, "tocsr"):
        return
    for j, kind in enumerate(data.kinds):
        if kind == "number":
            column = (
                data.X.iloc[:, j].to_numpy(np.float64, na_value=np.nan) if hasattr(data.X, "iloc") else data.X[:, j]
            )
            yield column


def _is_far(column: FloatArray) -> bool:
    """The scaler's own rule, rows times rounding, with some room."""
    low, high = (float(end.reduce(column, initial=np.nan)) for end in (np.fmin, np.fmax))
    reach = ROOM * len(column) * np.finfo(np.float64).eps * max(abs(low), abs(high))
    return bool(0 < high - low < reach < np.inf)
