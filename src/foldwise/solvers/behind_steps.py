"""Nearest neighbours behind any preprocessing: the steps are fitted once, then one search answers all candidates."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.family import Asked, FamilySolver, Given, TrainingSet, by_steps, grouped, learn, quiet
from foldwise.solvers.fitted_steps import numbers
from foldwise.solvers.nearest.neighbours import SOLVERS as NEAREST
from foldwise.solvers.shared_steps import Anything
from foldwise.solvers.solver import Answer, FitRequest, Solver


@dataclass(frozen=True, eq=False)
class BehindSteps(FamilySolver):
    """Has `solver` answer for the bare estimators, on the table that the steps make of each training set.

    Steps that do more than scale (missing values, categories, dates) learn something else from every training set, so
    that there is one such table for each. What the solver leaves is fitted one by one behind the same steps.
    """

    solver: Solver = field(kw_only=True)

    @property
    def name(self) -> str:
        return f"{self.solver.name} behind steps"

    @property
    def is_exact(self) -> bool:
        return self.solver.is_exact

    def takes(self, estimator: Any, data: Dataset) -> bool:
        parts = self.apart(estimator) if super().takes(estimator, data) else None
        return parts is not None and self.solver.takes(parts.estimator, _plain(data))

    def pays(self, fits: Sequence[FitRequest], data: Dataset) -> bool:
        return True  # also for one fit: what is made again on its own goes the same way

    def fits_for(self, estimators: Sequence[Any]) -> int:
        return len({self._shared(parts.estimator) for parts in map(self.apart, estimators) if parts is not None})

    def solve(self, fits: Sequence[FitRequest], data: Dataset) -> list[Answer | None]:
        answers: list[Answer | None] = [None] * len(fits)
        for batch in by_steps(fits, self.apart):
            for at, answer in self._closed(batch, data):
                answers[at] = answer
        left = [at for at, answer in enumerate(answers) if answer is None]
        for at, behind in zip(left, super().solve([fits[at] for at in left], data) if left else (), strict=True):
            answers[at] = behind
        return answers

    def _shared(self, estimator: Any) -> Hashable:
        return self.solver.shares(estimator)

    def _closed(self, batch: list[Asked], data: Dataset) -> Iterator[tuple[int, Answer]]:
        """Answers for one training set; nothing where the steps make no table of numbers of it."""
        part = learn(batch[0], data)
        if part is None:
            return
        for same in grouped(batch, lambda asked: asked.question):
            table = _stacked(part, same[0].fit.rows, data)
            if table is not None:
                for alike in grouped(same, lambda asked: self._shared(asked.parts.estimator)):
                    yield from self._answers(alike, part, table)

    def _answers(self, alike: list[Asked], part: TrainingSet, table: Dataset) -> Iterator[tuple[int, Answer]]:
        train = np.arange(len(part.y))
        rows = np.arange(len(part.y), table.rows)
        fits = [FitRequest(asked.parts.estimator, train, rows, asked.fit.responses) for asked in alike]
        if not all(self.solver.takes(fit.estimator, table) for fit in fits):
            return
        found: list[Answer | None] = []
        with quiet() as trouble:
            found += self.solver.solve(fits, table)
        for asked, answer in zip(alike, found, strict=True) if not trouble else ():
            if answer is not None:
                yield asked.at, part.restored(Given(None, answer)).values


_PLAIN: WeakKeyDictionary[Dataset, Dataset] = WeakKeyDictionary()


def _plain(data: Dataset) -> Dataset:
    """A table of numbers with this target, to ask a solver whether it knows an estimator at all."""
    if data not in _PLAIN:
        _PLAIN[data] = _table(np.zeros((data.rows, 1)), data.y, data, data.weights)
    return _PLAIN[data]


def _stacked(part: TrainingSet, rows: IntArray, data: Dataset) -> Dataset | None:
    """The training rows and the rows asked for below one another, after the steps; None where they are no numbers."""
    with quiet() as trouble:
        above, below = part.table.X, part.table.transform(rows, data)
    if trouble or not all(isinstance(table, np.ndarray) and table.ndim == 2 for table in (above, below)):
        return None
    weights = None if data.weights is None else data.weights[np.concatenate([part.train, rows])]
    made = _table(np.concatenate([above, below]), np.concatenate([part.y, data.y[rows]]), data, weights)
    return made if numbers(made) is not None else None


def _table(X: FloatArray, y: Any, data: Dataset, weights: FloatArray | None) -> Dataset:
    names = tuple(f"column {at}" for at in range(X.shape[1]))
    kinds = ("number",) * X.shape[1]
    return Dataset(X, names, kinds, y, data.task, data.classes, None, None, weights, None, fingerprint="")


# Only what the training rows alone decide to the last bit: the sums of ridge, lasso and logistic would be taken over
# the rows asked for too.
SOLVERS = tuple(BehindSteps(Anything(), needs_steps=True, solver=solver) for solver in NEAREST)
