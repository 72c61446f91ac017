"""Levels of a tuning below full fits: on fewer training rows, or with less of a learner's own resource."""

from __future__ import annotations

import numpy as np

from foldwise.splits.split import Split, Splits
from foldwise.splits.subset import fewer_rows
from foldwise.studies.study import Method, Study
from foldwise.tuners.tuner import ROWS

LEAST_ROWS = 60  # on the smallest level, and 10 of each class
MOST_SPLITS = 2  # inner splits that a level uses where fits are scored only on their own test rows


class Levels:
    """The levels of one tuning of a method, each evaluation as a candidate and a split."""

    def __init__(self, study: Study, method: Method, splits: Splits) -> None:
        self.study, self.splits = study, splits
        self.tuner, self.listed = method.tuner, method.listed
        self._made: dict[tuple[int, int], Split] = {}
        self.count = self._count(method)

    def _count(self, method: Method) -> int:
        if self.tuner.resource != ROWS:
            return min(method.levels, self.tuner.most_levels(self.listed, 2**62, 1))
        rows = min((split.train_rows for split in self.splits), default=0)
        return self.tuner.most_levels(self.listed, rows, max(LEAST_ROWS, 10 * len(self.study.classes)))

    @property
    def level_splits(self) -> int:
        """Inner splits that the levels use: one, where a fit is scored on all rows left over."""
        is_scored_on_many = self.tuner.resource == ROWS and self._may_exchange
        return 1 if is_scored_on_many else min(MOST_SPLITS, len(self.splits))

    def split(self, at: int, level: int) -> Split:
        """The training rows of an evaluation and the rows it is scored on."""
        if level == 0 or self.tuner.resource != ROWS:
            return self.splits[at]
        if (at, level) not in self._made:
            self._made[at, level] = self._fewer(at, level)
        return self._made[at, level]

    def number(self, candidate: int, level: int) -> int:
        """The method's number of a listed candidate on a level."""
        return candidate if self.tuner.resource == ROWS else candidate + level * self.listed

    def share(self, at: int, level: int) -> float:
        """The share of a full fit's resource that an evaluation takes."""
        if self.tuner.resource == ROWS:
            return len(self.split(at, level).train) / len(self.splits[at].train)
        return self.tuner.share(level)

    def every_split(self) -> list[Split]:
        """All splits that a tuning may use, level by level."""
        low = [(at, level) for level in range(1, self.count + 1) for at in range(self.level_splits)]
        return [*self.splits, *([self.split(*one) for one in low] if self.tuner.resource == ROWS else ())]

    @property
    def _may_exchange(self) -> bool:
        return self.splits.is_exchangeable and self.study.time is None

    def _fewer(self, at: int, level: int) -> Split:
        whole, study = self.splits[at], self.study
        is_ordered = self.splits.is_ordered
        train = fewer_rows(
            whole.train,
            self.tuner.part(len(whole.train), level),
            seed=study.seed,
            classes=study.target if study.classes else None,
            groups=study.groups,
            time=(np.arange(study.rows) if study.time is None else study.time) if is_ordered else None,
        )
        rest = whole.test
        if self._may_exchange:
            rest = np.setdiff1d(np.union1d(whole.train, whole.test), train)
        return Split(train, rest, whole.repeat, whole.fold)
