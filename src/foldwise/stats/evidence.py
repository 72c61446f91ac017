"""The evidence for one method: all that an interval may be computed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, BoolArray, FloatArray, IntArray
from foldwise.shown import Shown

IN_TIME = ("time-ordered", "one test set in time")  # schemes whose test rows follow the training rows


@dataclass(frozen=True, eq=False)
class Evidence(Shown):
    """Losses of one method by split and by row, and how the splits were made.

    `fold_losses`: the mean of each split.
    `row_losses`: an array per split; None for a measure of a whole fold.
    `test_rows`: the row numbers that each split holds out.
    `train_counts`: how many rows each split trains on.
    `kind`: of splitter, a word.
    `is_partition`: whether every row is held out once in each repeat.
    `repeats`, `folds`: how often, and into how many.
    `loss`: the loss.
    `rows`: how many rows the table has.
    `is_stratified`: whether folds have the class shares of the table.
    `weights`, `groups`, `truth`: one value per row, or None.
    `scores`: of the positive class, an array per split, for an AUC.
    `seed`: names the random draws; the same seed gives the same answer.
    `stand_ins`: splits on which the baseline answered for a fit that failed.
    `time`: of each row, where it is not their order.
    `steps`: how far ahead forecasts go.

    >>> import foldwise as fw
    >>> seen = []
    >>> def compute(evidence, level):
    ...     seen.append(evidence)
    ...     return evidence.fold_losses.min(), evidence.fold_losses.max()
    >>> ends = fw.IntervalMethod("range of the folds", compute, assumes="nothing")
    >>> fw.risk("linear", "diabetes", outer=3, interval=ends, jobs=1)
    3163 (2668 to 3486, 95% range of the folds): the learner at 295 training rows
    >>> seen[0]
    Evidence(folds: 3, rows: 442, loss: Loss('squared'))
    """

    fold_losses: FloatArray
    row_losses: tuple[FloatArray, ...] | None
    test_rows: tuple[IntArray, ...]
    train_counts: tuple[int, ...]
    kind: str
    is_partition: bool
    repeats: int
    folds: int
    loss: Any
    rows: int
    is_stratified: bool = False
    weights: FloatArray | None = None
    groups: AnyArray | None = None
    truth: AnyArray | None = None
    scores: tuple[FloatArray, ...] | None = None
    seed: int = 0
    stand_ins: int = 0
    time: IntArray | None = None
    steps: int = 1

    def __repr__(self) -> str:
        return f"Evidence({self.scheme}: {len(self.fold_losses)}, rows: {self.rows}, loss: {self.loss})"

    @property
    def scheme(self) -> str:
        """The name of the splitting scheme in the rules for intervals."""
        if self.kind in ("time", "time_holdout"):
            return "time-ordered" if len(self.fold_losses) > 1 else "one test set in time"
        if len(self.fold_losses) == 1:
            return "one test set"
        if self.kind == "loo":
            return "leave-one-out"
        if self.kind == "bootstrap":
            return "bootstrap"
        if self.kind in ("monte_carlo", "holdout"):
            return "random splits"
        return "folds" if self.is_partition else "given splits"

    @property
    def is_weighted(self) -> bool:
        """Do rows have weights?"""
        return self.weights is not None

    @property
    def is_zero_one(self) -> bool:
        """Is every loss 0 or 1?"""
        return bool(self.loss.name == "zero_one")

    @property
    def is_auc(self) -> bool:
        """Is the loss 1 - AUC?"""
        return self.loss.name == "roc_auc" and self.scores is not None

    @property
    def mean_train_rows(self) -> float:
        """Mean training rows of a split."""
        return float(np.mean(self.train_counts))

    @property
    def test_train_ratio(self) -> float:
        """Test rows / training rows, on average."""
        return float(np.mean([len(rows) for rows in self.test_rows]) / self.mean_train_rows)

    @cached_property
    def unit_weights(self) -> FloatArray:
        """The weight of each independent unit that was tested, a row or a whole group, in the risk: they sum to 1."""
        return self._by_unit([np.ones(len(rows)) for rows in self.test_rows])

    @cached_property
    def unit_deviations(self) -> FloatArray | None:
        """How far each of those units moves the risk away from its mean: they sum to 0."""
        if self.row_losses is None:
            return None
        risk = self.fold_losses.mean()
        return self._by_unit([losses - risk for losses in self.row_losses])

    def _by_unit(self, numbers: Sequence[FloatArray]) -> FloatArray:
        """The mean over splits of weighted means of numbers[split][row], taken apart into the units' terms."""
        terms, is_tested = self._terms(numbers)
        if self.groups is None:
            return terms[is_tested]
        units, unit = np.unique(self.groups[is_tested], return_inverse=True)
        return np.bincount(unit, weights=terms[is_tested], minlength=len(units)).astype(np.float64)

    def _terms(self, numbers: Sequence[FloatArray]) -> tuple[FloatArray, BoolArray]:
        """The term of each row in such a mean, and whether the row was tested at all."""
        terms, is_tested = np.zeros(self.rows), np.zeros(self.rows, bool)
        for rows, values in zip(self.test_rows, numbers, strict=True):
            weights = np.ones(len(rows)) if self.weights is None else self.weights[rows]
            # a row may be tested in several splits, never twice in one
            terms[rows] += values * weights / (weights.sum() * len(self.test_rows))
            is_tested[rows] = True
        return terms, is_tested

    @property
    def is_ordered(self) -> bool:
        """Do the rows follow each other in time?"""
        return self.scheme in IN_TIME

    @cached_property
    def series(self) -> FloatArray | None:
        """Losses in the order of time, one for each time that was tested, whose mean is the risk; None without rows.

        Rows of one time are taken together, each with its weight in the risk.
        """
        if self.row_losses is None:
            return None
        risk = float(self.fold_losses.mean())
        terms, is_tested = self._terms([losses - risk for losses in self.row_losses])
        time = np.arange(self.rows) if self.time is None else self.time
        times, place = np.unique(time[is_tested], return_inverse=True)
        sums = np.bincount(place, weights=terms[is_tested], minlength=len(times))
        return np.asarray(risk + len(times) * sums, np.float64)

    @cached_property
    def by_row(self) -> FloatArray:
        """Loss of every row in every repeat: losses[repeat, row]."""
        assert self.row_losses is not None
        table = np.full((self.repeats, self.rows), np.nan)
        for split, (rows, losses) in enumerate(zip(self.test_rows, self.row_losses, strict=True)):
            table[split // self.folds, rows] = losses
        return table

    @cached_property
    def fold_of_row(self) -> IntArray:
        """Fold of every row in every repeat: folds[repeat, row]."""
        table = np.full((self.repeats, self.rows), -1)
        for split, rows in enumerate(self.test_rows):
            table[split // self.folds, rows] = split % self.folds
        return table
