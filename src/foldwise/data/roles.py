"""What a column is for besides features and target: groups, time, weights and strata."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.columns import Column, codes_of
from foldwise.errors import BadData

MOST_SQUARED = 1e150  # numbers whose squares can be added up


@dataclass(frozen=True, eq=False)
class Roles:
    """What is said of the rows and the target besides the table: a value for each row, or the name of a column.

    >>> Roles(groups="site", stratify=False).given
    ['groups', 'stratify']
    """

    groups: Any = None
    time: Any = None
    weights: Any = None
    stratify: Any = "auto"
    task: str | None = None
    positive: Any = None
    drop_missing_target: bool = False

    @property
    def given(self) -> list[str]:
        """Names of those that are not left at their defaults."""
        values = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        # an array is never its default, and would not be one answer if it were compared
        return [
            name for name, (value, default) in values.items() if type(value) is not type(default) or value != default
        ]


def group_codes(column: Column, role: str = "groups") -> IntArray:
    """Codes 0..G-1 of any labels, in their sorted order."""
    refuse_missing(column, role)
    return codes_of(column)[0]


def group_names(column: Column) -> tuple[str, ...]:
    """The labels behind the codes, as a table would write them: 3, not 3.0."""
    labels = codes_of(column)[1]
    return tuple(str(int(label) if isinstance(label, float) and label.is_integer() else label) for label in labels)


def time_values(column: Column) -> FloatArray:
    """Numbers that order the rows in time: the numbers given, or microseconds."""
    refuse_missing(column, "time")
    if column.labels:
        return _parsed_dates(column)
    values = column.values.view(np.int64) if column.kind == "date" else column.values
    return values.astype(np.float64)


def weight_values(column: Column) -> FloatArray:
    """Finite weights of at least zero, some of them positive."""
    if column.kind not in ("number", "boolean"):
        raise BadData(f"weights hold a {column.kind} column", "Give numbers of at least zero")
    weights = column.values.astype(np.float64)
    bad = ~np.isfinite(weights)
    if bad.any():
        raise BadData(f"weights are missing or infinite in {count_rows(bad)}", "Give finite numbers of at least zero")
    if (weights < 0).any():
        raise BadData(f"weights are negative in {count_rows(weights < 0)}", "Give numbers of at least zero")
    if not weights.any():
        raise BadData("weights are zero in every row", "Give some rows a positive weight")
    return weights


def refuse_missing(column: Column, role: str) -> None:
    """Refuse a column that says nothing about some rows."""
    if column.missing.any():
        hint = "Fill them in, or leave these rows out"
        raise BadData(f"{role} has missing values in {count_rows(column.missing)}", hint)


def refuse_bad_target(target: Column) -> None:
    """A target must be known and finite in every row."""
    if target.missing.any():
        hint = "Leave these rows out with drop_missing_target=True, or fill them in"
        raise BadData(f"the target has missing values in {count_rows(target.missing)}", hint)
    if target.kind == "date":
        raise BadData("the target holds dates", "Turn them into numbers first")
    if target.kind == "number" and (np.abs(target.values) > MOST_SQUARED).any():
        hint, is_infinite = "Leave these rows out, or transform the target", np.isinf(target.values)
        if is_infinite.any():
            raise BadData(f"the target is infinite in {count_rows(is_infinite)}", hint)
        rows = count_rows(np.abs(target.values) > MOST_SQUARED)
        raise BadData(f"the target is beyond {MOST_SQUARED:g}, so that its square is none, in {rows}", hint)


def count_rows(mask: AnyArray) -> str:
    """How many rows, and where to look first.

    >>> count_rows(np.array([False, True, True]))
    '2 rows (first: row 1, counting from 0)'
    """
    count = int(np.count_nonzero(mask))
    return f"{count} row{'s' * (count != 1)} (first: row {int(np.argmax(mask))}, counting from 0)"


def _parsed_dates(column: Column) -> FloatArray:
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # pandas remarks on formats it has to guess
        parsed: Any = pd.to_datetime(pd.Series(column.labels), errors="coerce", utc=True)
        if parsed.isna().any():
            parsed = pd.to_datetime(pd.Series(column.labels), errors="coerce", utc=True, format="mixed")
    unread = parsed.isna().to_numpy()[column.values]
    if unread.any():
        row = int(np.argmax(unread))
        problem = f"time has text that is not a date: {column.texts[row]!r} in row {row}"
        raise BadData(problem, "Give dates such as 2024-01-31, or numbers")
    stamps = parsed.dt.tz_localize(None).to_numpy().astype("datetime64[us]").view(np.int64)
    return np.asarray(stamps[column.values], dtype=np.float64)
