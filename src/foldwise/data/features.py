"""The one description of a table's columns, as numbers and codes, for those who look at data rather than fit them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.data.equal_rows import column_numbers

MOST_PAIRS = 500  # of rows with one value
NUMBER = re.compile(r"[-+]?\d[\d.,'\s\u00a0]*(?:[eE][-+]?\d+)?")
MOST_WORDS = 4  # of a text that is one number with its unit
LEAST_READ = 0.95  # of the labels
MOST_LABELS = 200  # of a column that a model remembers
MOST_COLUMNS = 2_000
LONGEST = 200  # characters of such a label


@dataclass(frozen=True, eq=False)
class Feature:
    """A column of the table: numbers with NaN for missing, or the codes of labels, -1 for missing."""

    name: str
    kind: str
    values: FloatArray
    labels: tuple[Any, ...] = ()

    @cached_property
    def missing(self) -> AnyArray:
        """Which rows have no value."""
        return self.values < 0 if self.labels else np.isnan(self.values)

    @cached_property
    def is_number(self) -> bool:
        return not self.labels

    def name_of(self, value: float) -> str:
        """A value in words: its label, or the number itself."""
        return str(self.labels[int(value)]) if self.labels else f"{value:.4g}"

    def value(self, row: int) -> str:
        """What a row has here in words; nothing where it is missing."""
        if self.missing[row]:
            return ""
        if self.kind == "date":
            return str(np.datetime64(int(self.values[row]), "us").astype("datetime64[s]"))
        return self.name_of(float(self.values[row]))

    @cached_property
    def in_numbers(self) -> Feature | None:
        """Text such as "12 EUR" or "P017" as the numbers in it; None of numbers, and where labels hold none or several.

        >>> Feature("price", "text", np.array([1.0, 0.0]), ("12 EUR", "$1,250.50")).in_numbers.values
        array([1250.5,   12. ])
        """
        if not self.labels:
            return None
        read = [number_in(str(label)) for label in self.labels]
        if sum(number is not None for number in read) < LEAST_READ * len(read) or len(set(read)) < 2:
            return None
        numbers = np.array([np.nan if number is None else number for number in read] + [np.nan])
        return Feature(self.name, "number", numbers[self.values.astype(np.int64)])

    @cached_property
    def is_whole(self) -> bool:
        """Are all its numbers whole?"""
        known = self.values[~self.missing]
        return self.is_number and self.kind != "boolean" and bool(len(known)) and bool((known == np.floor(known)).all())

    @cached_property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """Some pairs of rows that have one value."""
        order = np.argsort(self.codes, kind="stable")
        same = np.flatnonzero(np.diff(self.codes[order]) == 0)[:MOST_PAIRS]
        return order[same], order[same + 1]

    @cached_property
    def codes(self) -> IntArray:
        """Codes 0, 1, ... of its values in their order; missing ones are one value more."""
        return np.unique(self.values, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def distinct(self) -> int:
        """How many values it has, missing ones not counted."""
        return len(np.unique(self.values)) - bool(self.missing.any())  # codes would be kept, of every column


def number_in(text: str) -> float | None:
    """The one number in a short text; of several separators the last is that of the decimals.

    >>> number_in("12 EUR"), number_in("1.234,50 kg"), number_in("$1,234"), number_in("3-5"), number_in("none")
    (12.0, 1234.5, 1234.0, None, None)
    """
    numbers = NUMBER.findall(text)
    if len(numbers) != 1 or len(text.split()) > MOST_WORDS:
        return None
    digits = re.sub(r"[\s'\u00a0]", "", numbers[0]).rstrip(".,")
    last = max(digits.rfind("."), digits.rfind(","))
    is_thousands = last >= 0 and digits[last] == "," and "." not in digits and len(digits) - last == 4
    if is_thousands or (last >= 0 and digits.count(digits[last]) > 1):
        last = -1
    whole = re.sub(r"[.,]", "", digits[:last] if last >= 0 else digits)
    try:
        return float(f"{whole}.{digits[last + 1 :]}" if last >= 0 else whole)
    except ValueError:
        return None


def features(data: Dataset) -> Iterator[Feature]:
    """Every feature of a dataset; none where the table is sparse."""
    return described(data.X, data.names, data.kinds)


def described(X: Any, names: Sequence[str], kinds: Sequence[str]) -> Iterator[Feature]:
    """The columns of a canonical table; none of a sparse one or of a series of documents."""
    is_frame = hasattr(X, "iloc") and X.ndim == 2
    if not is_frame and not isinstance(X, np.ndarray):
        return
    for at, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        raw = X.iloc[:, at].to_numpy() if is_frame else X[:, at]
        yield Feature(name, kind, *column_numbers(raw, kind))


def summary_of(data: Dataset) -> list[dict[str, Any]] | None:
    """What a saved model remembers of its training table, column by column: ranges and categories, never rows.

    None of sparse tables, of documents, and of very wide tables.

    >>> from foldwise.data.dataset import make_dataset
    >>> summary_of(make_dataset([[1.0], [2.0], [4.0], [np.nan]], [1, 2, 3, 4]))
    [{'missing': 0.25, 'low': 1.0, 'high': 4.0}]
    """
    if data.is_series or hasattr(data.X, "tocsr") or data.columns > MOST_COLUMNS:
        return None
    return [_summary(column) for column in features(data)]


def _summary(column: Feature) -> dict[str, Any]:
    known = column.values[~column.missing & np.isfinite(column.values)]
    summary: dict[str, Any] = {"missing": round(1 - len(known) / max(len(column.values), 1), 4)}
    if column.is_number:
        return {**summary, "low": float(known.min()), "high": float(known.max())} if len(known) else summary
    labels = sorted({str(label) for label in column.labels})
    is_free = len(labels) > MOST_LABELS or 2 * len(labels) > len(known)  # text, or names of rows
    return summary if is_free or max(map(len, labels)) > LONGEST else {**summary, "labels": labels}


def read_summary(content: Any, columns: int) -> list[dict[str, Any]] | None:
    """A summary as a file has it, which anyone may have written; None where it is none of ours.

    >>> read_summary([{"missing": 0.0, "low": 1.0, "high": "x"}], 1) is None
    True
    """
    if not isinstance(content, list) or len(content) != columns or not all(map(_is_sound, content)):
        return None
    return [dict(column) for column in content]


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
