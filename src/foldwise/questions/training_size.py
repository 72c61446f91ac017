"""How many rows the models of some splits were trained on, as a number and in words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foldwise.splits.split import Split, Splits

ALIKE = 1.1  # largest over smallest training set up to which one number stands for all of them


class TrainingSize(NamedTuple):
    """Distinct training rows of splits, the fewest, the mean and the most, and the rows drawn where some repeat."""

    low: int
    mean: float
    high: int
    drawn: float

    def __str__(self) -> str:
        if round(self.drawn) > round(self.mean):
            return f"about {self.mean:.0f} distinct training rows of {self.drawn:.0f} drawn"
        if self.high > ALIKE * self.low:
            return f"{self.low} to {self.high} training rows"
        return f"{self.mean:.0f} training rows"


def training_size(splits: Splits) -> TrainingSize:
    """The training rows of these splits; a row that is drawn several times is one row.

    >>> cut = [Split(np.arange(size), np.arange(size, size + 20)) for size in (20, 60, 100)]
    >>> print(training_size(Splits(tuple(cut), "growing", "time", is_partition=False)))
    20 to 100 training rows
    """
    found = [_distinct(split, splits.kind) for split in splits]
    drawn = float(np.mean([split.train_rows for split in splits]))
    return TrainingSize(min(found), float(np.mean(found)), max(found), drawn)


def _distinct(split: Split, kind: str) -> int:
    # only these may have a row twice
    return len(np.unique(split.train)) if kind in ("bootstrap", "pairs") else split.train_rows
