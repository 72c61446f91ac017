"""What the checks of new rows look at: a model's memory of its training table, and the rows it is given now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from foldwise.arrays import AnyArray
from foldwise.data.summary import columns_of, read_summary, summary_of


@dataclass(frozen=True, eq=False)
class NewRows:
    """Rows in the columns of the model, what its card says, and its training table where that is at hand."""

    X: Any  # as the model is given it
    about: Mapping[str, Any]
    training: Any = None  # the same columns of the rows it was trained on

    @property
    def rows(self) -> int:
        return int(self.X.shape[0])

    @property
    def names(self) -> list[str]:
        return [str(name) for name in self.about["names"]]

    @cached_property
    def columns(self) -> list[AnyArray]:
        """Numbers with NaN, or text with None for missing; none of a sparse table or of documents."""
        return list(columns_of(self.X, self.about["kinds"]))

    @cached_property
    def summary(self) -> list[dict[str, Any]] | None:
        """What is known of each training column; None where nothing is."""
        if self.training is not None:
            return summary_of(self.training, self.about["kinds"])
        return read_summary(self.about.get("summary"), len(self.names))

    @property
    def pairs(self) -> list[tuple[str, AnyArray, dict[str, Any]]]:
        """Every column with its name and what training saw there."""
        if self.summary is None or len(self.columns) != len(self.names):
            return []
        return list(zip(self.names, self.columns, self.summary, strict=True))

    @property
    def training_rows(self) -> int | None:
        """How many rows the model was trained on, if it is known."""
        found = self.about.get("rows")
        return int(found) if isinstance(found, int) and found > 0 else None
