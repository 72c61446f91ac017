"""What solvers with one penalty share: training sets that ask for the same penalties are answered together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.batches import SplitFits, by_split
from foldwise.solvers.ridge.linear_scores import answer_of, has_every_class
from foldwise.solvers.solver import Answer, FitRequest

Found = tuple[FloatArray, FloatArray]  # predictions (penalties x rows x targets); by penalty, how wrong they may be
DOUBT = 2e-11  # predictions that rounding may move by more, relative to the target, are left to the plain loop


class PenaltyBatch(ABC):
    """All fits that differ in training set and penalty alone; subclasses say how they are answered."""

    def __init__(
        self, fits: Sequence[FitRequest], data: Dataset, Y: FloatArray, penalty_of: Callable[[Any], float]
    ) -> None:
        self.fits, self.data, self.Y = fits, data, Y
        self.scale = float(np.abs(Y).max(initial=0.0)) or 1.0
        self._penalty_of, self._known = penalty_of, dict[int, float]()

    @abstractmethod
    def found(self, splits: list[SplitFits], penalties: FloatArray) -> list[Found]:
        """Predictions of every split at every penalty (they ascend), and how wrong they may be."""

    def solve(self, places: Sequence[int]) -> Iterator[tuple[int, Answer | None]]:
        """Answers by place; training sets that cannot be fitted this way are left out."""
        alike: dict[tuple[float, ...], list[SplitFits]] = {}
        for split in filter(self.is_able, by_split(self.fits, places)):
            alike.setdefault(tuple(sorted({self._penalty(at) for at in split.fits})), []).append(split)
        for penalties, splits in alike.items():
            for split, found in zip(splits, self.found(splits, np.array(penalties)), strict=True):
                yield from self._handed(split, penalties, *found)

    def is_able(self, split: SplitFits) -> bool:
        """Is there something to learn from, and to answer for?"""
        weights = self.data.weights
        is_weighed = weights is None or bool(weights[split.train].sum() > 0)
        return split.rows.size > 0 and split.train.size > 1 and is_weighed and has_every_class(self.data, split.train)

    def _handed(
        self, split: SplitFits, penalties: tuple[float, ...], values: FloatArray, wrong: FloatArray
    ) -> Iterator[tuple[int, Answer | None]]:
        place = {penalty: at for at, penalty in enumerate(penalties)}
        is_sure = (np.isfinite(values).all(axis=(1, 2)) & (wrong <= DOUBT * self.scale)).tolist()
        for fit in split.fits:
            at = place[self._penalty(fit)]
            yield fit, answer_of(values[at], self.data, self.fits[fit].responses) if is_sure[at] else None

    def _penalty(self, at: int) -> float:
        estimator = self.fits[at].estimator
        if id(estimator) not in self._known:
            self._known[id(estimator)] = self._penalty_of(estimator)
        return self._known[id(estimator)]
