"""Columns of loose Python values, as JSON lines and workbooks have them, as a frame with one kind per column."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

NUMBERS = {int, float}


def frame_of(columns: Mapping[str, list[Any]]) -> Any:
    """A pandas frame; None is missing, and a column of several kinds is text, as in a CSV file.

    >>> frame = frame_of({"size": [1, None, 2.5], "mixed": [1, "a", None], "empty": [None, None, None]})
    >>> frame["size"].tolist(), frame["mixed"].tolist()[:2], str(frame["empty"].dtype)
    ([1.0, nan, 2.5], ['1', 'a'], 'float64')
    """
    import pandas as pd

    return pd.DataFrame({name: _column(values) for name, values in columns.items()})


def _column(values: list[Any]) -> Any:
    import pandas as pd

    kinds = {type(value) for value in values if value is not None}
    if not kinds or kinds <= NUMBERS:
        whole = kinds == {int} and None not in values
        return pd.Series(values, dtype="int64" if whole else "float64")
    if kinds <= {date, datetime}:
        return pd.Series(pd.to_datetime(pd.Series(values, dtype=object))).astype("datetime64[us]")
    if kinds == {bool} and None not in values:
        return pd.Series(values, dtype=bool)
    if len(kinds) > 1:
        values = [None if value is None else str(value) for value in values]
    return pd.Series(values, dtype=object if kinds == {bool} else None)
