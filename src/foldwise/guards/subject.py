"""What the checks look at: the data, the splits and the learners of a study, before any fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.data.dataset import Dataset
from foldwise.data.equal_rows import in_deviations
from foldwise.data.features import Feature, features
from foldwise.learners.learner import Learner
from foldwise.splits.split import Splits
from foldwise.studies.study import Study

Answer = TypeVar("Answer")
MOST_CLASSES = 5


@dataclass(frozen=True, eq=False)
class Subject:
    """A study before its fits."""

    data: Dataset
    study: Study
    learners: tuple[Learner, ...]

    @property
    def outer(self) -> Splits:
        return self.study.outer

    @cached_property
    def target(self) -> FloatArray:
        """The target as numbers: values, or the codes of classes."""
        return np.asarray(self.data.target, dtype=np.float64)

    @property
    def is_regression(self) -> bool:
        return self.data.task == "regression"

    @cached_property
    def outcomes(self) -> tuple[FloatArray, ...]:
        """What a straight line may be fitted to: the target, or 0 and 1 for each of the commonest classes."""
        if self.is_regression:
            scaled = in_deviations(self.target)
            return (np.zeros(self.data.rows) if scaled is None else scaled,)
        codes = self.target.astype(np.int64)
        common = np.argsort(-np.bincount(codes), kind="stable")[: 1 if len(self.data.classes) == 2 else MOST_CLASSES]
        return tuple((codes == code).astype(np.float64) for code in common)

    def with_columns(self, columns: tuple[Feature, ...]) -> Subject:
        """The same without the other features."""
        if len(columns) == len(self.columns):
            return self
        found = Subject(self.data, self.study, self.learners)
        found.__dict__["columns"] = columns
        return found

    def once(self, work: Callable[[Subject], Answer]) -> Answer:
        """What several checks ask for, worked out by the first of them."""
        if work not in self._worked_out:
            self._worked_out[work] = work(self)
        found: Answer = self._worked_out[work]
        return found

    @cached_property
    def _worked_out(self) -> dict[Callable[[Subject], Any], Any]:
        return {}

    @cached_property
    def columns(self) -> tuple[Feature, ...]:
        """Every feature; none where the table is sparse or of documents alone."""
        return tuple(features(self.data))
