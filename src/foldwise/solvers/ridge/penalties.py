"""What solvers with one penalty share: training sets that ask for the same penalties are answered together."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.batches import BlockPart, SplitFits, by_split
from foldwise.solvers.ridge.linear_scores import answer_of, has_every_class
from foldwise.solvers.solver import Answer, BlockAnswer, FitRequest

Found = tuple[FloatArray, FloatArray]  # predictions (penalties x rows x targets); by penalty, how wrong they may be
DOUBT = 2e-11  # predictions that rounding may move by more, relative to the target, are left to the plain loop
HANDED = 2_000_000  # predictions of one training set that are handed on at a time


class PenaltyBatch(ABC):
    """All fits that differ in training set and penalty alone; subclasses say how they are answered."""

    most_at_once = math.inf  # predictions; fewer where training sets share nothing that would be computed again

    def __init__(
        self, fits: Sequence[FitRequest], data: Dataset, Y: FloatArray, penalty_of: Callable[[Any], float]
    ) -> None:
        self.fits, self.data, self.Y = fits, data, Y
        self.scale = float(np.abs(Y).max(initial=0.0)) or 1.0
        self._penalty_of, self._known = penalty_of, dict[int, float]()
        self._of_blocks: dict[int, list[float]] = {}

    @abstractmethod
    def found(self, splits: list[SplitFits], penalties: FloatArray) -> list[Found]:
        """Predictions of every split at every penalty (they ascend), and how wrong they may be."""

    def solve(self, places: Sequence[int]) -> Iterator[tuple[int, Answer | None]]:
        """Answers by place; training sets that cannot be fitted this way are left out."""
        alike: dict[tuple[float, ...], list[SplitFits]] = {}
        for split in filter(self.is_able, by_split(self.fits, places)):
            alike.setdefault(tuple(sorted({self._penalty(at) for at in split.fits})), []).append(split)
        for penalties, every in alike.items():
            for splits in self._in_groups(every, len(penalties) * self.Y.shape[1]):
                for split, found in zip(splits, self.found(splits, np.array(penalties)), strict=True):
                    yield from self._handed(split, penalties, *found)

    def solve_parts(self, parts: Sequence[BlockPart]) -> Iterator[BlockAnswer]:
        """The same for blocks: all penalties of a training set in one array."""
        alike: dict[tuple[float, ...], list[tuple[BlockPart, SplitFits]]] = {}
        for part in parts:
            block = part.block
            split = SplitFits(block.train, block.rows, list(range(len(block.estimators))))
            if self.is_able(split):
                alike.setdefault(tuple(sorted(set(self._penalties(block.estimators)))), []).append((part, split))
        for penalties, every in alike.items():
            owners = {id(split): part for part, split in every}
            for splits in self._in_groups([split for _, split in every], len(penalties) * self.Y.shape[1]):
                answers = self.found(splits, np.array(penalties))[::-1]
                for split in splits:  # none is held while the next ones are made
                    yield from self._handed_block(owners[id(split)], penalties, *answers.pop())

    def _handed_block(
        self, part: BlockPart, penalties: tuple[float, ...], values: FloatArray, wrong: FloatArray
    ) -> Iterator[BlockAnswer]:
        block = part.block
        wanted = np.searchsorted(np.array(penalties), self._penalties(block.estimators))
        is_sure = np.isfinite(values).all(axis=(1, 2)) & (wrong <= DOUBT * self.scale)
        sure = np.flatnonzero(is_sure[wanted])
        step = max(HANDED // values[:1].size, 1)
        for start in range(0, sure.size, step):  # a copy of all of very many numbers would be twice the answers
            yield from self._handed_some(part, values, wanted, sure[start : start + step])

    def _handed_some(
        self, part: BlockPart, values: FloatArray, wanted: IntArray, sure: IntArray
    ) -> Iterator[BlockAnswer]:
        block = part.block
        if self.data.task == "regression":
            found: Answer = {"predict": values[wanted[sure], :, 0]}
        else:
            answers = [(at, answer_of(values[wanted[at]], self.data, block.responses)) for at in sure.tolist()]
            known = [(at, answer) for at, answer in answers if answer is not None]
            sure = np.array([at for at, _ in known], np.int64)
            names = block.responses if known else ()
            found = {name: np.stack([answer[name] for _, answer in known]) for name in names}
        if sure.size:
            yield part.number, [part.places[at] for at in sure.tolist()], found

    def _penalties(self, estimators: tuple[Any, ...]) -> list[float]:
        """The penalty of every estimator; most blocks hold the same ones."""
        if id(estimators) not in self._of_blocks:
            self._of_blocks[id(estimators)] = [self._penalty_of(estimator) for estimator in estimators]
        return self._of_blocks[id(estimators)]

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

    def _in_groups(self, splits: list[SplitFits], width: int) -> Iterator[list[SplitFits]]:
        """Splits whose predictions, so many for each row, are held at one time."""
        group: list[SplitFits] = []
        size = 0
        for split in splits:
            if group and size + split.rows.size * width > self.most_at_once:
                yield group
                group, size = [], 0
            group.append(split)
            size += split.rows.size * width
        yield group
