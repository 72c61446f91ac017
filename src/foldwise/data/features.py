"""The columns of a table as numbers and codes, for those who look at data rather than fit them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.data.equal_rows import column_numbers

MOST_PAIRS = 500  # of rows with one value


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


def features(data: Dataset) -> Iterator[Feature]:
    """Every feature; none where the table is sparse or of documents alone."""
    if not isinstance(data.X, np.ndarray) and not hasattr(data.X, "iloc"):
        return
    for at, (name, kind) in enumerate(zip(data.names, data.kinds, strict=True)):
        raw = data.X[:, at] if isinstance(data.X, np.ndarray) else data.X.iloc[:, at].to_numpy()
        yield Feature(name, kind, *column_numbers(raw, kind))
