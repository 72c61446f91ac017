"""What a saved model remembers of its training table, column by column: ranges, shares and categories, never rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray

BINS = 10
MOST_LABELS = 200  # of a column that are listed
MOST_COLUMNS = 2_000
MOST_ROWS = 10_000  # by which shares are found; ranges and missing values are those of all rows
LONGEST = 200  # characters of a label


def summary_of(X: Any, kinds: Sequence[str]) -> list[dict[str, Any]] | None:
    """One plain dictionary per column; None of sparse tables, of documents, and of very wide tables.

    >>> summary_of(np.array([[1.0], [2.0], [4.0], [np.nan]]), ["number"])
    [{'missing': 0.25, 'low': 1.0, 'high': 4.0, 'edges': [2.0, 4.0], 'shares': [0.6667, 0.3333, 0.0]}]
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
    found: dict[str, Any] = {"missing": _share(1 - len(known) / max(len(values), 1))}
    if not len(known):
        return found
    some = known[:: math.ceil(len(known) / MOST_ROWS)]
    edges = np.unique(np.quantile(some, np.arange(1, BINS) / BINS, method="higher"))
    found |= {"low": float(known.min()), "high": float(known.max()), "edges": edges.tolist()}
    return found | {"shares": [_share(share) for share in bin_shares(some, edges)]}


def _of_labels(values: AnyArray) -> dict[str, Any]:
    known = [value for value in values.tolist() if value is not None]
    found: dict[str, Any] = {"missing": _share(1 - len(known) / max(len(values), 1))}
    labels, counts = np.unique(np.array(known, dtype=object).astype(str), return_counts=True)
    if len(labels) > MOST_LABELS or 2 * len(labels) > len(known) or max(map(len, labels), default=0) > LONGEST:
        return found  # free text, or names of rows
    return found | {"values": {str(name): _share(n / len(known)) for name, n in zip(labels, counts, strict=True)}}


def bin_shares(values: FloatArray, edges: Sequence[float] | FloatArray) -> FloatArray:
    """The share of the values in each bin: up to the first edge, up to the second, ..., beyond the last.

    >>> bin_shares(np.array([1.0, 2.0, 3.0, 9.0]), [2.0, 5.0]).tolist()
    [0.5, 0.25, 0.25]
    """
    places = np.searchsorted(np.asarray(edges, float), values, side="left")
    return np.bincount(places, minlength=len(edges) + 1) / max(len(values), 1)


def read_summary(found: Any, columns: int) -> list[dict[str, Any]] | None:
    """A summary as a file has it, which anyone may have written; None where it is none of ours.

    >>> read_summary([{"missing": 0.0, "low": 1.0, "high": "x"}], 1) is None
    True
    """
    if not isinstance(found, list) or len(found) != columns or not all(map(_is_sound, found)):
        return None
    return [dict(one) for one in found]


def _is_sound(one: Any) -> bool:
    if not isinstance(one, Mapping) or not _is_number(one.get("missing")):
        return False
    if "low" in one:
        edges, shares = one.get("edges"), one.get("shares")
        if not isinstance(edges, list) or not isinstance(shares, list) or len(shares) != len(edges) + 1:
            return False
        return all(map(_is_number, [one["low"], one.get("high"), *edges, *shares]))
    values = one.get("values", {})
    return isinstance(values, Mapping) and all(map(_is_number, values.values()))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _share(value: float) -> float:
    return round(float(value), 4)
