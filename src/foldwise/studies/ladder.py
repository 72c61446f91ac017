"""The rungs of a tuning: below the full inner splits, fits on fewer rows or with less of a learner's own resource."""

from __future__ import annotations

import math

import numpy as np

from foldwise.arrays import IntArray
from foldwise.splits.split import Split, Splits
from foldwise.splits.subset import fewer_rows
from foldwise.studies.study import Method, Study
from foldwise.tuners.field import Look
from foldwise.tuners.schedule import ROWS, Halving, Schedule

LEAST_ROWS = 60  # to begin with, and 10 of each class
MOST_LOOKS = 2  # inner splits that a rung uses where fits are scored on their own test rows alone
MOST_RUNGS = 3
MANY = 36  # candidates for which one rung is enough; the full splits take most of the work then
# Splits of rows that may be exchanged: what a fit on fewer rows leaves over is as good a test as the split's own.


class Ladder:
    """The fits that a method's tunings may ask for, each as a candidate and a split."""

    def __init__(self, study: Study, method: Method, schedule: Schedule) -> None:
        self.study, self.method, self.schedule = study, method, schedule
        self._made: dict[tuple[int, Look], tuple[Splits, Split]] = {}
        self._rows: dict[str, tuple[Split, IntArray]] = {}

    def height(self, splits: Splits) -> int:
        """How many rungs there are below the full splits."""
        if not isinstance(self.schedule, Halving):
            return 0
        most = rungs_for(self.method.entrants)
        if self.schedule.resource != ROWS:
            return min(most, self.method.rungs)
        rows = min(len(split.train) for split in splits)
        return min(most, steps_down(rows, self._least, self.schedule.factor))

    def looks(self, splits: Splits) -> int:
        """Inner splits that the rungs below the full ones use: one, where a fit is scored on all rows left over."""
        is_scored_on_many = self._resource == ROWS and self._may_exchange(splits)
        return 1 if is_scored_on_many else min(MOST_LOOKS, len(splits))

    def split(self, splits: Splits, look: Look) -> Split:
        """The training rows of a look and the rows it is scored on."""
        if look.rung == 0 or self._resource != ROWS:
            return splits[look.fold]
        known = self._made.get((id(splits), look))
        if known is None:
            known = self._made[id(splits), look] = (splits, self._fewer(splits, look))  # kept, so its id stays its own
        return known[1]

    def candidate(self, candidate: int, look: Look) -> int:
        """The number under which the method has this candidate on the rung of a look."""
        return candidate if self._resource == ROWS else candidate + look.rung * self.method.entrants

    def share(self, splits: Splits, look: Look) -> float:
        """The part of the resource that a look takes."""
        if self._resource == ROWS:
            return len(self.split(splits, look).train) / len(splits[look.fold].train)
        assert isinstance(self.schedule, Halving)
        return float(self.schedule.factor) ** -look.rung

    def rows(self) -> dict[str, tuple[Split, IntArray]]:
        """Training sets that may be fitted, by name, with all the rows that some tuning scores them on."""
        if not self._rows:
            for splits in self.study.tunings(self.method):
                for split in self.splits(splits):
                    name = self.study.rows_name(split)
                    known = self._rows.get(name)
                    rows = split.test if known is None else np.union1d(known[1], split.test)
                    self._rows[name] = (split if known is None else known[0], rows)
        return self._rows

    def splits(self, splits: Splits) -> list[Split]:
        """All splits of one tuning, rung by rung."""
        low = [Look(k, at) for k in range(1, self.height(splits) + 1) for at in range(self.looks(splits))]
        return [*splits, *([self.split(splits, look) for look in low] if self._resource == ROWS else ())]

    @property
    def _resource(self) -> str:
        return self.schedule.resource if isinstance(self.schedule, Halving) else ROWS

    @property
    def _least(self) -> int:
        assert isinstance(self.schedule, Halving)
        return self.schedule.least or max(LEAST_ROWS, 10 * len(self.study.classes))

    def _may_exchange(self, splits: Splits) -> bool:
        return splits.is_exchangeable and self.study.time is None

    def _fewer(self, splits: Splits, look: Look) -> Split:
        assert isinstance(self.schedule, Halving)
        whole, study = splits[look.fold], self.study
        is_ordered = splits.is_ordered
        train = fewer_rows(
            whole.train,
            math.ceil(len(whole.train) / self.schedule.factor**look.rung),
            seed=study.seed,
            classes=study.target if study.classes else None,
            groups=study.groups,
            time=(np.arange(study.rows) if study.time is None else study.time) if is_ordered else None,
        )
        rest = whole.test
        if self._may_exchange(splits):
            rest = np.setdiff1d(np.union1d(whole.train, whole.test), train)
        return Split(train, rest, whole.repeat, whole.fold)


def steps_down(most: int, least: int, factor: float) -> int:
    """How often, up to the most rungs there are, `most` can be divided by the factor without falling below `least`.

    >>> steps_down(400, 40, 3)
    2
    """
    steps = 0
    while steps < MOST_RUNGS and math.ceil(most / factor ** (steps + 1)) >= least:
        steps += 1
    return steps


def rungs_for(candidates: int) -> int:
    """Rungs that so many candidates are worth: one, and another where the first would leave many.

    >>> rungs_for(2), rungs_for(60), rungs_for(216), rungs_for(2000)
    (0, 1, 2, 3)
    """
    return min(MOST_RUNGS, 1 + steps_down(candidates, MANY, 6)) if candidates > 2 else 0
