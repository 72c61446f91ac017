"""What is known of the columns of a table before any split: found from the features alone, and once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

if TYPE_CHECKING:
    from foldwise.data.dataset import Dataset


@dataclass(frozen=True)
class ColumnFacts:
    """By column: how many distinct values text and categories have, and which share of the rows has none."""

    distinct: tuple[int, ...]
    gaps: tuple[float, ...]


def column_facts(data: Dataset) -> ColumnFacts:
    """The facts of a dataset, looked up once.

    >>> from foldwise.data.dataset import make_dataset
    >>> column_facts(make_dataset({"size": [1, None, 3, 4], "town": ["a", "b", "a", None]}, [1, 2, 3, 4]))
    ColumnFacts(distinct=(0, 2), gaps=(0.25, 0.0))
    """
    if data not in _FACTS:
        _FACTS[data] = ColumnFacts(_distinct(data), _gaps(data))
    return _FACTS[data]


_FACTS: WeakKeyDictionary[Dataset, ColumnFacts] = WeakKeyDictionary()


def _distinct(data: Dataset) -> tuple[int, ...]:
    return tuple(
        int(data.X.iloc[:, j].nunique()) if kind in ("text", "category") else 0 for j, kind in enumerate(data.kinds)
    )


def _gaps(data: Dataset) -> tuple[float, ...]:
    """Gaps of numbers and dates; text has a value of its own for what is missing."""
    if hasattr(data.X, "tocsr"):
        return (0.0,) * data.columns
    shares: Any = data.X.isna().mean().to_numpy() if hasattr(data.X, "iloc") else np.isnan(data.X).mean(axis=0)
    return tuple(
        float(share) if kind in ("number", "date") else 0.0 for share, kind in zip(shares, data.kinds, strict=True)
    )
