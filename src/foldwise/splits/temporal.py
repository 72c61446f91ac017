"""Splits in the order of time: never train on later rows than those tested."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.errors import BadSplits
from foldwise.shown import Shown
from foldwise.splits.part import Part, whole_number
from foldwise.splits.split import Split, Splits, plural, refuse_repeats


@dataclass(frozen=True)
class TimeOrdered(Shown):
    """K blocks of later rows, each tested after training on the rows before it.

    Without `window` the training rows expand; with it they slide, the `window` rows nearest to the test.
    `gap` rows before each test are left out. `horizon` is how many rows each test has, the last ones in time: so many
    steps ahead are forecast each time; without it the tests share the rows evenly. Rows of one time are never parted;
    without any time the order of the rows counts.

    `k`: how many blocks.

    `gap`: rows left out before each test.
    `window`: training rows (None: all before the test).
    `horizon`: rows of each test (None: an even share).

    >>> TimeOrdered(5, gap=2)
    TimeOrdered(k=5, gap=2, window=None, horizon=None)
    >>> TimeOrdered(8, horizon=12)  # eight times, forecast twelve steps
    TimeOrdered(k=8, gap=0, window=None, horizon=12)
    """

    k: int = 5
    gap: int = field(default=0, kw_only=True)
    window: int | None = field(default=None, kw_only=True)
    horizon: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole_number(self.k, "folds", least=2))
        object.__setattr__(self, "gap", whole_number(self.gap, "gap", least=0))
        if self.window is not None:
            object.__setattr__(self, "window", whole_number(self.window, "window", least=1))
        if self.horizon is not None:
            object.__setattr__(self, "horizon", whole_number(self.horizon, "horizon", least=1))

    def make(self, part: Part, repeats: int = 1) -> Splits:
        refuse_repeats("time-ordered folds", repeats)
        time = part.time
        order = np.arange(len(part.rows)) if time is None else np.argsort(time, kind="stable")
        starts = self._starts(order.astype(np.float64) if time is None else time[order])
        splits = []
        for fold, (start, stop) in enumerate(zip(starts, [*starts[1:], len(order)], strict=True)):
            end = start - self.gap
            first = 0 if self.window is None else max(0, end - self.window)
            train, test = (np.sort(part.rows[order[span]]) for span in (slice(first, end), slice(start, stop)))
            splits.append(Split(train, test, 0, fold))
        return Splits(tuple(splits), self._scheme(), "time", is_partition=False)

    def _starts(self, time: FloatArray) -> list[int]:
        """Where each test block begins in the sorted times; a block never begins among rows of one time."""
        rows = len(time)
        size = self._size(rows)
        if size == 0:
            raise BadSplits(
                f"cannot make {self.k} time-ordered folds of {plural(rows, 'row')}",
                f"Use at most {rows - 1} folds" if rows > 2 else "Give more rows",
            )
        starts: IntArray = np.searchsorted(time, time[rows - size * np.arange(self.k, 0, -1)], side="left")
        if (np.diff(starts) == 0).any() or starts[0] == 0:
            raise BadSplits(
                f"cannot make {self.k} time-ordered folds: too many rows have the same time", "Use fewer folds"
            )
        if starts[0] <= self.gap:
            raise BadSplits(
                f"cannot make {self.k} time-ordered folds with gap {self.gap}: "
                f"fold 0 has only {plural(int(starts[0]), 'row')} before it",
                f"Use a gap of at most {starts[0] - 1}, or fewer folds",
            )
        return [int(start) for start in starts]

    def _size(self, rows: int) -> int:
        if self.horizon is None:
            return rows // (self.k + 1)
        if self.k * self.horizon >= rows:
            fewer = (rows - 1) // self.horizon
            raise BadSplits(
                f"cannot make {self.k} time-ordered folds of {plural(self.horizon, 'row')} each: there are {rows}",
                f"Use at most {fewer} folds" if fewer >= 2 else "Use a shorter horizon",
            )
        return self.horizon

    def _scheme(self) -> str:
        training = "expanding" if self.window is None else f"sliding over {plural(self.window, 'row')}"
        ahead = "" if self.horizon is None else f", horizon {self.horizon}"
        return f"{self.k} time-ordered folds ({training}, gap {self.gap}{ahead})"


def steps_ahead(splits: Splits, time: IntArray | None, rows: int) -> int:
    """How many times lie between the last training row and the last row that is forecast from it, which counts too.

    Without a horizon the features of a test row are taken as known at its own time, so that only the gap counts.

    >>> from foldwise.splits.split import Split
    >>> one = Split(np.arange(6), np.array([8, 9, 10]))
    >>> steps_ahead(Splits((one,), "1 fold (horizon 3)", "time", is_partition=False), None, 11)
    5
    """
    times = np.arange(rows) if time is None else np.unique(time, return_inverse=True)[1]
    ahead = [int(times[split.test].min() - times[split.train].max()) for split in splits]
    is_declared = re.search(r"\bhorizon \d+", splits.scheme) is not None
    spans = [int(np.ptp(times[split.test])) if is_declared else 0 for split in splits]
    return max(1, max(gap + span for gap, span in zip(ahead, spans, strict=True)))
