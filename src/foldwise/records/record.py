"""What one fit left: predictions on rows, never a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from foldwise.arrays import AnyArray, IntArray

Status = Literal["ok", "error", "invalid output"]


@dataclass(frozen=True, eq=False)
class Record:
    """Predictions of one fit on sorted `rows`; a failed fit is a record too.

    `responses` maps "predict", "predict_proba" or "decision_function" to what the
    model answered: values, class codes, or one column per class.
    """

    key: str
    status: Status
    rows: IntArray
    responses: Mapping[str, AnyArray] = field(default_factory=dict)
    error: str = ""
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0
    learner: str = ""

    @property
    def is_ok(self) -> bool:
        return self.status == "ok"

    def answers(self, rows: IntArray, responses: tuple[str, ...]) -> bool:
        """Does this record hold these responses for all of these rows? A failed one answers all: it failed."""
        if not self.is_ok:
            return True
        return set(responses) <= set(self.responses) and self._holds(rows)

    def response(self, name: str, rows: IntArray) -> AnyArray:
        """One response, for some of the rows."""
        values = self.responses[name]
        if rows.size == self.rows.size and np.array_equal(rows, self.rows):
            return values
        return values[self._places(rows)]

    def _holds(self, rows: IntArray) -> bool:
        if rows.size > self.rows.size:
            return False
        place = self._places(rows)
        place[place == self.rows.size] = 0
        return bool(np.array_equal(self.rows[place], rows)) if self.rows.size else rows.size == 0

    def _places(self, rows: IntArray) -> IntArray:
        """Where these rows are, or would be, among the record's."""
        if self.rows.size and self.rows[-1] == self.rows.size - 1 and rows.size and rows[-1] < self.rows.size:
            return rows.copy()  # all rows of the data: each is at its own number
        return np.searchsorted(self.rows, rows)

    def __repr__(self) -> str:
        return f"Record({self.key[:8]}, {self.status}, rows={self.rows.size})"
