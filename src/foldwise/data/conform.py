"""New rows as a model knew its table: its columns, in their order and types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray
from foldwise.data.columns import Column, canonical
from foldwise.data.tables import frame_of, open_table, stacked
from foldwise.errors import BadData, nearest


def conform(frame: Any, about: Mapping[str, Any]) -> Any:
    """The columns a model knows, in its order and types, in the container it was fitted with.

    >>> conform({"b": [3], "a": [True]}, {"names": ["a", "b"], "kinds": ["number", "number"], "container": "array"})
    array([[1., 3.]])
    """
    table, names, kinds = open_table(frame), about["names"], about["kinds"]
    if table.is_series and len(names) == 1:
        table = replace(table, names=tuple(names))  # documents need no name
    absent = [name for name in names if name not in table.names]
    if absent:
        listed = ", ".join(map(repr, absent[:5])) + (f" and {len(absent) - 5} more" if len(absent) > 5 else "")
        hint = nearest(absent[0], table.names).replace("Known are", "It has", 1)
        raise BadData(f"the table lacks {listed}, which the model needs", hint)
    if not table.rows:
        raise BadData("the table has no rows to predict", "Give at least one row")
    columns = [_as_kind(name, _column(table, name), kind) for name, kind in zip(names, kinds, strict=True)]
    if about["container"] in ("frame", "series"):
        conformed = frame_of(names, columns)
        return conformed if about["container"] == "frame" else conformed.iloc[:, 0]
    X = stacked([column.values for column in columns], np.float64)
    if about["container"] == "array":
        return X
    from scipy import sparse

    return sparse.csr_matrix(X)


def _column(table: Any, name: str) -> Column:
    place = table.names.index(name)
    if table.column is not None:
        column: Column = table.column(place)
        return column
    matrix = table.matrix[:, [place]]
    return canonical(name, np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix).ravel())


def _as_kind(name: str, column: Column, kind: str) -> Column:
    """The column as the model knew it; a number where text was seen is text, but text is no number."""
    is_empty = bool(column.missing.all())
    if kind in (column.kind, "any"):
        return column
    if kind in ("text", "category"):
        return _as_text(name, column, kind)
    if kind == "number" and column.kind == "boolean":
        return Column("number", column.values.astype(np.float64))
    if kind == "boolean" and column.kind == "number" and not is_empty:
        return _as_boolean(name, column)
    if is_empty and kind in ("number", "date"):
        return Column(kind, np.full(len(column.values), np.nan if kind == "number" else np.datetime64("NaT", "us")))
    raise BadData(f"column {name!r} holds {column.kind} values, but the model was trained on {kind} values there")


def _as_text(name: str, column: Column, kind: str) -> Column:
    if column.labels:
        raw: AnyArray = column.texts
    elif column.kind == "date":
        raw = _written_dates(column)
    else:
        raw = np.array([_label(value) for value in column.values.tolist()], dtype=object)
    if column.missing.all():
        return Column(kind, np.full(len(raw), -1, dtype=np.int32), ("",))
    return canonical(name, raw, is_category=kind == "category")


def _label(value: Any) -> str | None:
    """A number as it would be written in a table: 3, not 3.0."""
    if isinstance(value, float) and value != value:
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _written_dates(column: Column) -> AnyArray:
    """Dates as a table would write them, for a model that saw them beside other text."""
    is_day = bool((column.values.astype("datetime64[D]") == column.values)[~column.missing].all())
    texts = np.datetime_as_string(column.values, unit="D" if is_day else "s").astype(object)
    texts[column.missing] = None
    return texts


def _as_boolean(name: str, column: Column) -> Column:
    if column.missing.any():
        return Column("number", column.values)
    if not np.isin(column.values, (0.0, 1.0)).all():
        raise BadData(f"column {name!r} holds numbers other than 0 and 1, but the model was trained on booleans there")
    return Column("boolean", column.values.astype(bool))
