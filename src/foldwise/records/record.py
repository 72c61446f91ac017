"""What one fit left: predictions on rows, never a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from foldwise.arrays import AnyArray, IntArray
from foldwise.records.secrets import masked

Status = Literal["ok", "error", "timeout", "out of memory", "crashed", "invalid output"]


@dataclass(frozen=True, eq=False)
class Record:
    """Predictions of one fit on sorted `rows`; a failed fit is a record too.

    `responses` maps "predict", "predict_proba" or "decision_function" to what the
    model answered: values, class codes, or one column per class. `chosen` are the
    parameters that a search object inside the model has chosen, as plain values.
    """

    key: str
    status: Status
    rows: IntArray
    responses: Mapping[str, AnyArray] = field(default_factory=dict)
    error: str = ""
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0
    learner: str = ""
    chosen: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.error or self.warnings:  # the learner's words, which no store and no page may keep as they are
            object.__setattr__(self, "error", masked(self.error))
            object.__setattr__(self, "warnings", tuple(map(masked, self.warnings)))
        if self.chosen:
            plain = {name: masked(value) if isinstance(value, str) else value for name, value in self.chosen.items()}
            object.__setattr__(self, "chosen", plain)

    @property
    def is_ok(self) -> bool:
        return self.status == "ok"

    def answers(self, rows: IntArray, responses: tuple[str, ...]) -> bool:
        """Does this record hold these responses for all of these rows? A failed one answers all: it failed."""
        if not self.is_ok:
            return True
        return all(name in self.responses for name in responses) and self._holds(rows)

    def response(self, name: str, rows: IntArray) -> AnyArray:
        """One response, for some of the rows."""
        values = self.responses[name]
        if rows.size == self.rows.size and np.array_equal(rows, self.rows):
            return values
        return values[self._places(rows)]

    def find(self, name: str, rows: IntArray) -> AnyArray | None:
        """One response for these rows, or None where the record does not hold it for all of them."""
        places = self.places(rows) if name in self.responses else None
        return None if places is None else self.responses[name][places]

    def places(self, rows: IntArray) -> IntArray | slice | None:
        """Where these sorted rows are among the record's; None where one of them is not."""
        if rows is self.rows or np.array_equal(rows, self.rows):
            return slice(None)
        places = self._places(rows) if self._may_hold(rows) else None
        return None if places is None or not np.array_equal(self.rows[places], rows) else places

    def _holds(self, rows: IntArray) -> bool:
        return self.places(rows) is not None

    def _may_hold(self, rows: IntArray) -> bool:
        """Are there enough rows here, and none asked for beyond the last?"""
        return rows.size <= self.rows.size and (rows.size == 0 or bool(rows[-1] <= self.rows[-1]))

    def _places(self, rows: IntArray) -> IntArray:
        """Where these sorted rows are, or would be, among the record's."""
        if self.rows.size and self.rows[-1] == self.rows.size - 1:
            return rows  # all rows of the data: each is at its own number
        return np.searchsorted(self.rows, rows)

    def __repr__(self) -> str:
        return f"Record({self.key[:8]}, {self.status}, rows={self.rows.size})"
