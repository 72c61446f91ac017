"""The rows of a table whose target is known, in the container they came in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from foldwise.arrays import IntArray
from foldwise.data.columns import Column
from foldwise.data.tables import column_from, open_table


def known_rows(X: Any, y: Any) -> IntArray | None:
    """The rows with a target; None where all of them have one.

    >>> known_rows([[1.0], [2.0], [3.0]], ["a", None, "b"])
    array([0, 2])
    """
    target: Column = (open_table(X).find(y, "the target") if isinstance(y, str) else column_from(y, "the target"))[0]
    return np.flatnonzero(~target.missing) if target.missing.any() else None


def rows_of(values: Any, rows: IntArray) -> Any:
    """These rows of a table or a column of any kind; a word, such as the name of a column, as it is.

    >>> rows_of(["a", "b", "c"], np.array([0, 2])), rows_of("site", np.array([0, 2]))
    (['a', 'c'], 'site')
    """
    if values is None or isinstance(values, str | bool):
        return values
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if isinstance(values, Mapping):
        return {name: rows_of(column, rows) for name, column in values.items()}
    if isinstance(values, list | tuple):
        return [values[row] for row in rows.tolist()]
    if hasattr(values, "tocsr"):
        return values.tocsr()[rows]
    return values[rows] if isinstance(values, np.ndarray) else _taken(values, rows)


def _taken(values: Any, rows: IntArray) -> Any:
    """Rows of a polars or Arrow table or column; of what is neither, by its array."""
    import narwhals as nw

    try:
        whole: Any = nw.from_native(values, eager_only=True, allow_series=True)
    except TypeError:
        return np.asarray(values)[rows]
    return whole[rows.tolist()].to_native()
