"""What solvers with one penalty share: training parts that ask for the same penalties are answered together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.batches import Group, by_rows
from foldwise.solvers.ridge.linear_scores import answer_of, has_every_class
from foldwise.solvers.solver import Answer, Job

Found = tuple[FloatArray, FloatArray]  # predictions (penalties x rows x targets); by penalty, how wrong they may be
DOUBT = 2e-11  # predictions that rounding may move by more, relative to the target, are left to the plain loop


class PenaltyPass(ABC):
    """All jobs that differ in training part and penalty alone; subclasses say how parts are answered."""

    def __init__(self, jobs: Sequence[Job], data: Dataset, Y: FloatArray, penalty_of: Callable[[Any], float]) -> None:
        self.jobs, self.data, self.Y = jobs, data, Y
        self.scale = float(np.abs(Y).max(initial=0.0)) or 1.0
        self._penalty_of, self._known = penalty_of, dict[int, float]()

    @abstractmethod
    def found(self, groups: list[Group], penalties: FloatArray) -> list[Found]:
        """Predictions of every group at every penalty (they ascend), and how wrong they may be."""

    def solve(self, places: Sequence[int]) -> Iterator[tuple[int, Answer | None]]:
        """Answers by place; training parts that cannot be fitted this way are left out."""
        alike: dict[tuple[float, ...], list[Group]] = {}
        for group in filter(self.is_able, by_rows(self.jobs, places)):
            alike.setdefault(tuple(sorted({self._penalty(at) for at in group.jobs})), []).append(group)
        for penalties, groups in alike.items():
            for group, found in zip(groups, self.found(groups, np.array(penalties)), strict=True):
                yield from self._handed(group, penalties, *found)

    def is_able(self, group: Group) -> bool:
        """Is there something to learn from, and to answer for?"""
        weights = self.data.weights
        is_weighed = weights is None or bool(weights[group.train].sum() > 0)
        return group.rows.size > 0 and group.train.size > 1 and is_weighed and has_every_class(self.data, group.train)

    def _handed(
        self, group: Group, penalties: tuple[float, ...], values: FloatArray, wrong: FloatArray
    ) -> Iterator[tuple[int, Answer | None]]:
        place = {penalty: at for at, penalty in enumerate(penalties)}
        is_sure = (np.isfinite(values).all(axis=(1, 2)) & (wrong <= DOUBT * self.scale)).tolist()
        for job in group.jobs:
            at = place[self._penalty(job)]
            yield job, answer_of(values[at], self.data, self.jobs[job].responses) if is_sure[at] else None

    def _penalty(self, at: int) -> float:
        estimator = self.jobs[at].estimator
        if id(estimator) not in self._known:
            self._known[id(estimator)] = self._penalty_of(estimator)
        return self._known[id(estimator)]
