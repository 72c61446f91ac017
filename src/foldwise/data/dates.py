"""Dates in text files: columns whose every value is written as ISO 8601 asks."""

from __future__ import annotations

from typing import Any

DAY = r"\d{4}-\d{2}-\d{2}"
CLOCK = r"[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?"
ZONE = r"(?:Z|[+-]\d{2}:?\d{2})"
# with and without a time zone do not mix: what a date without one means, nobody can tell
FORMATS = (rf"{DAY}(?:{CLOCK})?", rf"{DAY}{CLOCK}{ZONE}")


def with_dates(table: Any) -> Any:
    """The table with its columns of ISO dates as dates; other text stays text.

    >>> import pandas as pd
    >>> with_dates(pd.DataFrame({"day": ["2024-01-31", None], "week": ["2024-W05", None]})).dtypes.astype(str).tolist()
    ['datetime64[us]', 'str']
    """
    found = {name: dates for name in table.columns if (dates := _dates(table[name])) is not None}
    if not found:
        return table
    made = table.copy(deep=False)
    for name, dates in found.items():
        made[name] = dates
    return made


def _dates(column: Any) -> Any:
    """The dates in a column of text, or None where it holds anything else."""
    import pandas as pd

    if column.dtype not in ("str", object):
        return None
    texts = column.dropna()
    if not len(texts) or not isinstance(texts.iloc[0], str):
        return None
    is_date = any(texts.iloc[:1].str.fullmatch(one).all() and texts.str.fullmatch(one).all() for one in FORMATS)
    if not is_date:
        return None
    try:
        dates: Any = pd.to_datetime(column, format="ISO8601", utc=True)
    except ValueError:  # such as February 30
        return None
    return dates.dt.tz_localize(None).astype("datetime64[us]")
