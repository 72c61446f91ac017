"""The columns of a table as numbers and codes, for those who look at data rather than fit them."""

from __future__ import annotations

import re
from collections.abc import Iterator
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

    @property
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
        if sum(one is not None for one in read) < LEAST_READ * len(read) or len(set(read)) < 2:
            return None
        numbers = np.array([np.nan if one is None else one for one in read] + [np.nan])
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
    found = NUMBER.findall(text)
    if len(found) != 1 or len(text.split()) > MOST_WORDS:
        return None
    digits = re.sub(r"[\s'\u00a0]", "", found[0]).rstrip(".,")
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
    """Every feature; none where the table is sparse or of documents alone."""
    if not isinstance(data.X, np.ndarray) and not hasattr(data.X, "iloc"):
        return
    for at, (name, kind) in enumerate(zip(data.names, data.kinds, strict=True)):
        raw = data.X[:, at] if isinstance(data.X, np.ndarray) else data.X.iloc[:, at].to_numpy()
        yield Feature(name, kind, *column_numbers(raw, kind))
