"""Canonical columns: the same values are the same column, whatever held them.

Numbers are float64 with NaN for missing, booleans bool, dates microseconds,
text and categories codes into labels. The fingerprint is made of these alone.
"""

from __future__ import annotations

import hashlib
import json
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.errors import BadCell, BadData

# What pandas calls the contents of an object column, by the canonical column it becomes.
NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal", "integer-na")
DATES = ("datetime", "date", "datetime64")
MIXED = ("mixed", "mixed-integer")


@dataclass(frozen=True, eq=False)
class Column:
    """One canonical column; for text and categories `values` are codes into `labels`, -1 where missing.

    Categories keep their own values as labels, so that a model meets new rows as the user has them;
    everything that is hashed or sorted goes by their text.
    """

    kind: str
    values: AnyArray
    labels: tuple[Any, ...] = ()

    @property
    def missing(self) -> AnyArray:
        """Which rows have no value."""
        if self.labels:
            return self.values < 0
        if self.kind == "date":
            return np.isnat(self.values)
        return np.isnan(self.values) if self.kind == "number" else np.zeros(len(self.values), dtype=bool)

    @property
    def texts(self) -> AnyArray:
        """The text of every row as an object array; None where missing."""
        return np.array([*self.labels, None], dtype=object)[self.values]


def canonical(name: str, raw: Any, *, is_category: bool = False) -> Column:
    """Make the canonical column of an array or a pandas series.

    >>> canonical("size", np.array([1, None, 3], dtype=object))
    Column(kind='number', values=array([ 1., nan,  3.]), labels=())
    """
    if not isinstance(raw, np.ndarray):
        if str(raw.dtype) == "category":
            return _category(raw)
        raw = _from_pandas(raw)
    if raw.ndim != 1:
        raise _nested(name, 0, raw[0])
    if is_category:
        return _text(raw, "category")
    match raw.dtype.kind:
        case "f" | "i" | "u":
            return Column("number", raw.astype(np.float64, copy=False))
        case "b":
            return Column("boolean", raw)
        case "M":
            return Column("date", raw.astype("datetime64[us]", copy=False))
        case "m":
            return Column("number", raw / np.timedelta64(1, "s"))
        case "U" | "T":
            return _text(raw.astype(object), "text")
        case "O":
            return _from_objects(name, raw)
    if raw.dtype.kind == "c":
        raise BadData(f"{name} holds complex numbers", "Complex data not supported: use two columns of numbers")
    raise BadData(f"{name} holds values of type {raw.dtype}", "Use numbers, booleans, text, categories or dates")


def category_values(series: Any) -> AnyArray:
    """The plain values behind a pandas categorical series, so that 0 and 1 stay numbers; bands of `pd.cut` as text."""
    labels = series.cat.categories
    plain = labels.astype(str) if str(labels.dtype).startswith("interval") else labels
    categories = np.array([*plain, None], dtype=object)
    return np.asarray(categories[series.cat.codes.to_numpy()])


def codes_of(column: Column) -> tuple[IntArray, list[Any]]:
    """Codes 0, 1, ... of the values in sorted order, and those values.

    >>> codes_of(canonical("shop", np.array(["b", "a", "b"])))
    (array([1, 0, 1]), ['a', 'b'])
    """
    if not column.labels:
        values, codes = np.unique(column.values, return_inverse=True)
        return codes.astype(np.int64), values.tolist()
    rank = {label: place for place, label in enumerate(sorted(set(column.labels)))}
    places = np.array([rank[label] for label in column.labels], dtype=np.int64)
    return places[column.values], list(rank)


def fingerprint(
    names: Sequence[str], kinds: Sequence[str], digests: Iterable[bytes], target: Column, classes: Sequence[Any]
) -> str:
    """Hex name of the contents; classes are part of it, since stored predictions follow their order."""
    hashed = [_hashed_kind(kind) for kind in kinds]
    head = {"format": 1, "names": list(names), "kinds": hashed, "classes": list(classes)}
    whole = hashlib.sha256(json.dumps(head, sort_keys=True).encode())
    for part in digests:
        whole.update(part)
    whole.update(_hashed_kind(target.kind).encode())
    whole.update(digest(target))
    return whole.hexdigest()


def digest(column: Column) -> bytes:
    """Hash of the values of one column, in row order."""
    if column.labels:
        return _text_digest(column.values, column.labels)
    if column.kind == "date":
        return _hash(column.values.view(np.int64).astype("<i8", copy=False))
    return number_digest(column.values)


def number_digest(values: AnyArray) -> bytes:
    """Hash of numbers or booleans; one NaN, no negative zero, and mostly-zero columns by their other cells."""
    clean = values.astype("<f8", copy=False) + 0.0
    if np.count_nonzero(clean) * 2 < len(clean):
        places = np.flatnonzero(clean)
        return _sparse_hash(_one_nan(clean[places]), places, len(clean))
    return _hash(_one_nan(clean))


def sparse_digest(places: AnyArray, values: AnyArray, rows: int) -> bytes:
    """The digest of a column of `rows` numbers that are zero except at `places` (ascending)."""
    if len(places) * 2 < rows:
        return _sparse_hash(_one_nan(values.astype("<f8") + 0.0), places, rows)
    dense = np.zeros(rows)
    dense[places] = values
    return number_digest(dense)


def _one_nan(values: FloatArray) -> FloatArray:
    # The minimum is NaN exactly when a NaN is there: cheaper than looking at each cell twice.
    if len(values) and np.isnan(values.min()):
        values[np.isnan(values)] = np.nan
    return values


def _hash(values: AnyArray) -> bytes:
    return hashlib.sha256(np.ascontiguousarray(values).view(np.uint8).data).digest()


def _sparse_hash(values: FloatArray, places: AnyArray, rows: int) -> bytes:
    head = f"{rows} rows, zero except at {len(places)}".encode()
    return hashlib.sha256(head + _hash(places.astype("<i8", copy=False)) + _hash(values)).digest()


def _text_digest(codes: AnyArray, labels: tuple[Any, ...]) -> bytes:
    # Codes in order of first appearance, so that neither sorting nor unused labels matter.
    used, first = np.unique(codes, return_index=True)
    order = used[np.argsort(first)]
    order = order[order >= 0]
    rank = np.full(len(labels) + 1, -1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    state = hashlib.sha256(json.dumps([str(labels[code]) for code in order]).encode())
    state.update(_hash(rank[codes].astype("<i8", copy=False)))
    return state.digest()


def _hashed_kind(kind: str) -> str:
    return "text" if kind == "category" else kind


def _from_pandas(series: Any) -> AnyArray:
    import pandas as pd

    kind = series.dtype
    if isinstance(kind, pd.SparseDtype):
        return np.asarray(series)
    if isinstance(kind, pd.PeriodDtype):
        series = series.dt.to_timestamp()
    if isinstance(kind, pd.DatetimeTZDtype):
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    if pd.api.types.is_bool_dtype(kind) and not series.isna().any():
        return np.asarray(series, dtype=bool)
    if pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_complex_dtype(kind):
        return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.asarray(series.to_numpy())


def _from_objects(name: str, values: AnyArray) -> Column:
    """Look into an object column; what is not missing decides."""
    import pandas as pd

    missing = pd.isna(values)
    contents = pd.api.types.infer_dtype(values, skipna=True)
    if missing.all():
        return Column("number", np.full(len(values), np.nan))
    if contents == "string":
        return _text(values, "text")
    if contents == "boolean" and not missing.any():
        return Column("boolean", values.astype(bool))
    if contents in ("boolean", *NUMBERS):
        return Column("number", _floats(name, values, missing))
    if contents in DATES:
        dates: Any = pd.to_datetime(pd.Series(values), utc=True)
        return Column("date", dates.dt.tz_localize(None).to_numpy().astype("datetime64[us]"))
    if contents == "timedelta":
        return Column("number", pd.to_timedelta(values).to_numpy() / np.timedelta64(1, "s"))
    return _from_mixed(name, values, missing) if contents in MIXED else _refuse(name, values, missing)


def _from_mixed(name: str, values: AnyArray, missing: AnyArray) -> Column:
    simple = (str, bool, np.bool_, numbers.Real, Decimal)
    if not all(isinstance(value, simple) for value in values[~missing]):
        return _refuse(name, values, missing)
    if not any(isinstance(value, str) for value in values[~missing]):
        return Column("number", _floats(name, values, missing))
    texts = [None if gone else str(value) for value, gone in zip(values, missing, strict=True)]
    return _text(np.array(texts, dtype=object), "text")


def _floats(name: str, values: AnyArray, missing: AnyArray) -> FloatArray:
    out = np.full(len(values), np.nan)
    try:
        out[~missing] = values[~missing].astype(np.float64)
    except OverflowError:
        hint = "Scale the column, or give it as text"
        raise BadData(f"{name} holds a whole number too large for a float", hint) from None
    return out


def _refuse(name: str, values: AnyArray, missing: AnyArray) -> Column:
    simple = (str, bool, np.bool_, numbers.Real, Decimal)
    for row in np.flatnonzero(~missing):
        if not isinstance(values[row], simple):
            raise _nested(name, int(row), values[row])
    raise BadData(f"{name} mixes values that have no common kind", "Use numbers, booleans, text, categories or dates")


def _nested(name: str, row: int, value: Any) -> BadData:
    hint = "The argument must be a table whose cells are each a string, a number, a boolean or a date"
    return BadCell(f"{name} holds a value of type {type(value).__name__} in row {row}", hint)


def _text(values: AnyArray, kind: str) -> Column:
    import pandas as pd

    codes, labels = pd.factorize(values)
    if not len(labels):
        return Column("number", np.full(len(values), np.nan))
    return _labelled(codes, [str(label) for label in labels], kind)


def _category(series: Any) -> Column:
    codes = series.cat.codes.to_numpy()
    if not (codes >= 0).any():
        return Column("number", np.full(len(codes), np.nan))
    return _labelled(codes, [_plain(label) for label in series.cat.categories], "category")


def _labelled(codes: AnyArray, labels: list[Any], kind: str) -> Column:
    """Text keeps the order of appearance; categories are sorted and only those that occur."""
    if kind == "text":
        return Column(kind, codes.astype(np.int32, copy=False), tuple(labels))
    used = sorted({labels[code] for code in np.unique(codes) if code >= 0}, key=str)
    rank = {label: place for place, label in enumerate(used)}
    places = np.array([*(rank.get(label, -1) for label in labels), -1], dtype=np.int32)
    return Column(kind, places[codes], tuple(used))


def _plain(label: Any) -> Any:
    """A category as a number, boolean or text of Python's own; whatever else it is, as text."""
    label = label.item() if isinstance(label, np.generic) else label
    return label if isinstance(label, int | float | bool) else str(label)
