"""What a saved model remembers of its training table, column by column: ranges and categories, never rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray

MOST_LABELS = 200  # of a column that are listed
MOST_COLUMNS = 2_000
LONGEST = 200  # characters of a label


def summary_of(X: Any, kinds: Sequence[str]) -> list[dict[str, Any]] | None:
    """One plain dictionary per column; None of sparse tables, of documents, and of very wide tables.

    >>> summary_of(np.array([[1.0], [2.0], [4.0], [np.nan]]), ["number"])
    [{'missing': 0.25, 'low': 1.0, 'high': 4.0}]
    """
    if len(kinds) > MOST_COLUMNS:
        return None
    columns = list(columns_of(X, kinds))
    return [_summary(values) for values in columns] if len(columns) == len(kinds) else None


def columns_of(X: Any, kinds: Sequence[str]) -> Iterator[AnyArray]:
    """The columns of a table one by one; dates are numbers, labels text with None for missing; none of a sparse one."""
    if not isinstance(X, np.ndarray) and not (hasattr(X, "iloc") and X.ndim == 2):
        return
    for at in range(len(kinds)):
        yield _values(X[:, at] if isinstance(X, np.ndarray) else X.iloc[:, at].to_numpy())


def _values(raw: AnyArray) -> AnyArray:
    if raw.dtype.kind == "M":
        stamps = raw.astype("datetime64[us]").view(np.int64).astype(np.float64)
        stamps[np.isnat(raw)] = np.nan
        return stamps
    if raw.dtype.kind in "biuf":
        return raw.astype(np.float64)
    import pandas as pd

    pairs = zip(raw.tolist(), pd.isna(raw), strict=True)
    return np.array([None if is_missing else str(value) for value, is_missing in pairs], dtype=object)


def _summary(values: AnyArray) -> dict[str, Any]:
    if values.dtype == object:
        return _of_labels(values)
    known = values[np.isfinite(values)]
    ends = {"low": float(known.min()), "high": float(known.max())} if len(known) else {}
    return {"missing": _missing(len(known), len(values)), **ends}


def _of_labels(values: AnyArray) -> dict[str, Any]:
    known = [value for value in values.tolist() if value is not None]
    summary: dict[str, Any] = {"missing": _missing(len(known), len(values))}
    labels = sorted(set(known))
    if len(labels) > MOST_LABELS or 2 * len(labels) > len(known) or max(map(len, labels), default=0) > LONGEST:
        return summary  # free text, or names of rows
    return {**summary, "labels": labels}


def _missing(known: int, rows: int) -> float:
    return round(1 - known / max(rows, 1), 4)


def read_summary(found: Any, columns: int) -> list[dict[str, Any]] | None:
    """A summary as a file has it, which anyone may have written; None where it is none of ours.

    >>> read_summary([{"missing": 0.0, "low": 1.0, "high": "x"}], 1) is None
    True
    """
    if not isinstance(found, list) or len(found) != columns or not all(map(_is_sound, found)):
        return None
    return [dict(column) for column in found]


def _is_sound(column: Any) -> bool:
    if not isinstance(column, Mapping) or not {"missing"} <= column.keys() <= {"missing", "low", "high", "labels"}:
        return False
    labels = column.get("labels", [])
    numbers = [value for key, value in column.items() if key != "labels"]
    has_ends = ("low" in column) == ("high" in column)
    return has_ends and all(map(_is_number, numbers)) and isinstance(labels, list) and all(map(_is_text, labels))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
