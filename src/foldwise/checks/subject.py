"""What the checks before the fits look at: the data, the splits and the learners of a study."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.equal_rows import in_deviations
from foldwise.data.features import features
from foldwise.plans.runnable import RunnableStudy

Fact = TypeVar("Fact")
MOST_CLASSES = 5
MOST_COLUMNS, MOST_LABELS = 60, 30  # of a design
MOST_NAMED = 3


class Subject:
    """A study before its fits, with the facts that several checks need, each worked out once."""

    def __init__(self, runnable: RunnableStudy) -> None:
        self.runnable, self.data = runnable, runnable.data
        self.study, self.learners, self.outer = runnable.study, runnable.learners, runnable.study.outer
        self.columns = tuple(features(self.data))  # none where the table is sparse or of documents alone
        self.is_regression = self.data.task == "regression"
        self.target = np.asarray(self.data.target, dtype=np.float64)  # values, or the codes of classes
        self._facts: dict[Callable[[Subject], Any], Any] = {}

    @cached_property
    def codes(self) -> IntArray:
        """The codes of the classes."""
        return np.asarray(self.data.codes, dtype=np.int64)

    @cached_property
    def outcomes(self) -> tuple[FloatArray, ...]:
        """What a straight line may be fitted to: the target, or 0 and 1 for each of the commonest classes."""
        if self.is_regression:
            scaled = in_deviations(self.target)
            return (np.zeros(self.data.rows) if scaled is None else scaled,)
        commonest = np.argsort(-np.bincount(self.codes), kind="stable")
        most = 1 if len(self.data.classes) == 2 else MOST_CLASSES
        return tuple((self.codes == code).astype(np.float64) for code in commonest[:most])

    def fact(self, work: Callable[[Subject], Fact]) -> Fact:
        """What several checks ask for, worked out by the first of them."""
        if work not in self._facts:
            self._facts[work] = work(self)
        fact: Fact = self._facts[work]
        return fact


class Design(NamedTuple):
    """Columns of numbers, the feature that each belongs to, and the outcomes of the same rows."""

    matrix: FloatArray
    owners: tuple[str, ...]
    outcomes: tuple[FloatArray, ...]

    def residuals(self, *, without: str = "") -> list[FloatArray]:
        """What ridge regression on all features but one leaves of each outcome."""
        matrix = self.matrix[:, [not without or owner != without for owner in self.owners]]
        gram = matrix.T @ matrix
        gram[np.diag_indices(len(gram))] += 1e-6 * len(matrix)
        return [outcome - matrix @ np.linalg.solve(gram, matrix.T @ outcome) for outcome in self.outcomes]


def make_design(subject: Subject, rows: IntArray | slice) -> Design:
    """The design of these rows: numbers in standard deviations, and 0 or 1 for each label but one."""
    outcomes = tuple(outcome[rows] for outcome in subject.outcomes)
    parts, owners = [np.ones((len(outcomes[0]), 1))], [""]
    width = min(MOST_COLUMNS, max(1, len(outcomes[0]) // 10))
    for column in subject.columns:
        if len(owners) > width or column.distinct < 2:
            continue
        if column.is_number:
            scaled = in_deviations(column.values[rows])
            if scaled is None:
                continue
            part = scaled[:, None]
        elif column.distinct <= MOST_LABELS:
            part = (column.codes[rows, None] == np.arange(1, int(column.codes.max()) + 1)).astype(np.float64)
        else:
            continue
        parts.append(part)
        owners += [column.name] * part.shape[1]
    return Design(np.hstack(parts), tuple(owners), outcomes)


def quoted(names: Iterable[str]) -> str:
    """The first names, and how many more there are."""
    quotes = [repr(name) for name in names]
    more = f" and {len(quotes) - MOST_NAMED} more" if len(quotes) > MOST_NAMED else ""
    return ", ".join(quotes[:MOST_NAMED]) + more
