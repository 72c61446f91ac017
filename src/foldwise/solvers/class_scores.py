"""From the scores of classes to answers, many training parts at once, each score with how wrong it may be."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.batches import Group, by_rows
from foldwise.solvers.solver import Answer, Job

DOUBT = 2e-11  # answers that rounding may move by more are left to the plain loop
CHUNK = 2_000_000  # numbers held at a time
TRIAL = 4  # training parts of which one must be answered for the others to be tried
EPSILON = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class Scores:
    """What every class has to say for every row asked of some training parts."""

    values: FloatArray  # parts x rows x classes
    wrong: FloatArray  # how far rounding may have moved them
    shift: FloatArray | float = 0.0  # what the model's own scores have on top, the same for all classes
    shift_wrong: FloatArray | float = 0.0


class ClassPass(ABC):
    """All jobs that differ in training part and one setting; subclasses say how the classes are scored."""

    def __init__(self, jobs: Sequence[Job], data: Dataset, width: int) -> None:
        self.jobs, self.data, self.width, self.classes = jobs, data, width, len(data.classes)
        self.order = np.argsort(np.array(data.classes))  # scikit-learn has its classes sorted
        self._known: dict[int, Any] = {}

    @abstractmethod
    def setting(self, estimator: Any) -> Any:
        """The value of the setting that candidates differ in."""

    @abstractmethod
    def scores(self, groups: Sequence[Group], settings: Sequence[Any]) -> Iterator[Scores]:
        """Scores at every setting, of training parts that ask for the same number of rows."""

    @abstractmethod
    def size(self, rows: int) -> int:
        """How many numbers a training part takes that asks for so many rows."""

    def solve(self, places: Sequence[int]) -> Iterator[tuple[int, Answer | None]]:
        alike: dict[tuple[int, tuple[Any, ...]], list[Group]] = {}
        for group in by_rows(self.jobs, places):
            if group.rows.size and group.train.size > 1:
                settings = tuple(dict.fromkeys(self._setting(at) for at in group.jobs))
                alike.setdefault((group.rows.size, settings), []).append(group)
        for (rows, settings), groups in alike.items():
            step = max(CHUNK // (self.size(rows) + self.data.rows), 1)
            first = list(self._chunk(groups[:TRIAL], settings))
            yield from first
            for start in range(TRIAL, len(groups) if first else 0, step):
                yield from self._chunk(groups[start : start + step], settings)

    def _chunk(self, groups: list[Group], settings: tuple[Any, ...]) -> Iterator[tuple[int, Answer | None]]:
        asked: dict[Any, list[tuple[int, int]]] = {}
        for at, group in enumerate(groups):
            for job in group.jobs:
                asked.setdefault(self._setting(job), []).append((at, job))
        with np.errstate(all="ignore"):
            for setting, scores in zip(settings, self.scores(groups, settings), strict=True):
                yield from self._handed(scores, asked[setting])

    def _handed(self, scores: Scores, asked: list[tuple[int, int]]) -> Iterator[tuple[int, Answer | None]]:
        names = {name for _, job in asked for name in self.jobs[job].responses}
        made = {name: _MAKERS[name](scores, self.order) for name in names}
        for at, job in asked:
            responses = self.jobs[job].responses
            if all(made[name][1][at] for name in responses):
                yield job, {name: made[name][0][at] for name in responses}

    def _setting(self, at: int) -> Any:
        estimator = self.jobs[at].estimator
        if id(estimator) not in self._known:
            self._known[id(estimator)] = self.setting(estimator)
        return self._known[id(estimator)]


def _predicted(scores: Scores, order: IntArray) -> tuple[AnyArray, list[bool]]:
    """The class with the highest score, the first of equals; sure where no other comes near."""
    values, wrong = scores.values[..., order], scores.wrong[..., order]
    best = np.argmax(values, axis=-1)
    lead = np.take_along_axis(values, best[..., None], -1) - values
    doubt = np.take_along_axis(wrong, best[..., None], -1) + wrong
    np.put_along_axis(lead, best[..., None], 1.0, -1)
    np.put_along_axis(doubt, best[..., None], 0.0, -1)
    is_sure = (lead >= doubt) & np.isfinite(scores.values)  # equal scores without any rounding are equal
    return order[best].astype(np.int64), np.asarray(is_sure.all(axis=(1, 2))).tolist()


def _probabilities(scores: Scores, order: IntArray) -> tuple[AnyArray, list[bool]]:
    powers = np.exp(scores.values - scores.values.max(axis=-1, keepdims=True))
    shares = powers / powers.sum(axis=-1, keepdims=True)
    heavy = shares * scores.wrong
    moved = heavy * (1 - shares) + shares * (heavy.sum(axis=-1, keepdims=True) - heavy)
    is_sure = np.isfinite(scores.values) & (moved <= DOUBT)
    return shares, np.asarray(is_sure.all(axis=(1, 2))).tolist()


def _decided(scores: Scores, order: IntArray) -> tuple[AnyArray, list[bool]]:
    """The scores themselves; of two classes, by how much the second leads."""
    values, wrong = scores.values, scores.wrong
    if values.shape[-1] == 2:
        values, wrong = values[..., 1] - values[..., 0], wrong.sum(axis=-1)
    else:
        values, wrong = values + scores.shift, wrong + scores.shift_wrong
    flat = np.abs(values).reshape(len(values), -1)
    worst = wrong.reshape(len(values), -1).max(axis=1)
    is_sure = np.isfinite(flat).all(axis=1) & (worst <= DOUBT * np.maximum(flat.max(axis=1), 1.0))
    return values, is_sure.tolist()


_MAKERS = {"predict": _predicted, "predict_proba": _probabilities, "decision_function": _decided}


def rounding(rows: int) -> float:
    """How far off, relative to what is summed, a sum over so many rows may be."""
    return EPSILON * (2 + math.sqrt(rows) / 8)
