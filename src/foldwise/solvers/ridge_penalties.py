"""What solvers with one penalty share: training sets that ask for the same penalties are answered together."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.solver import Answer, Answered, FitRequest, RequestPart

Predictions = tuple[FloatArray, FloatArray]  # penalties x rows x targets; and by penalty, how wrong they may be
DOUBT = 2e-11  # predictions that rounding may move by more, relative to the target, are left to the plain loop
CLOSE = 1e-11  # scores this close to a tie may come out either way
HANDED = 2_000_000  # predictions of one training set that are handed on at a time


class PenaltyBatch(ABC):
    """All fits that differ in training set and penalty alone; subclasses say how they are answered."""

    most_at_once = math.inf  # predictions; fewer where training sets share nothing that would be computed again

    def __init__(self, data: Dataset, Y: FloatArray, penalty_of: Callable[[Any], float]) -> None:
        self.data, self.Y = data, Y
        self.scale = float(np.abs(Y).max(initial=0.0)) or 1.0
        self._penalty_of = penalty_of
        self._known: dict[int, FloatArray] = {}  # most requests hold the same estimators

    @abstractmethod
    def predictions(self, requests: list[FitRequest], penalties: FloatArray) -> list[Predictions]:
        """Predictions for every training set at every penalty (they ascend)."""

    def solve(self, parts: Sequence[RequestPart]) -> Iterator[Answered]:
        """All penalties of a training set in one array; training sets that cannot be fitted this way are left out."""
        alike: dict[tuple[float, ...], list[RequestPart]] = {}
        for part in parts:
            if self.is_able(part.request):
                alike.setdefault(tuple(np.unique(self._penalties(part.request))), []).append(part)
        for penalties, every in alike.items():
            for some in self._in_groups(every, len(penalties) * self.Y.shape[1]):
                predictions = self.predictions([part.request for part in some], np.array(penalties))[::-1]
                for part in some:  # none is held while the next ones are made
                    yield from self._answered(part, np.array(penalties), *predictions.pop())

    def is_able(self, request: FitRequest) -> bool:
        """Is there something to learn from, and to answer for?"""
        weights, train = self.data.weights, request.train
        is_weighed = weights is None or bool(weights[train].sum() > 0)
        return request.rows.size > 0 and train.size > 1 and is_weighed and _has_every_class(self.data, train)

    def _penalties(self, request: FitRequest) -> FloatArray:
        """The penalty of every estimator."""
        name = id(request.estimators)
        if name not in self._known:
            self._known[name] = np.array([self._penalty_of(estimator) for estimator in request.estimators])
        return self._known[name]

    def _answered(
        self, part: RequestPart, penalties: FloatArray, values: FloatArray, wrong: FloatArray
    ) -> Iterator[Answered]:
        wanted = np.searchsorted(penalties, self._penalties(part.request))
        is_sure = np.isfinite(values).all(axis=(1, 2)) & (wrong <= DOUBT * self.scale)
        sure = np.flatnonzero(is_sure[wanted])
        step = max(HANDED // values[:1].size, 1)
        for start in range(0, sure.size, step):  # a copy of all of very many numbers would be twice the answers
            known, responses = self._responses(part.request, values, wanted, sure[start : start + step])
            if known:
                yield Answered(part.number, [part.places[at] for at in known], responses)

    def _responses(
        self, request: FitRequest, values: FloatArray, wanted: IntArray, sure: IntArray
    ) -> tuple[list[int], Answer]:
        """The estimators that are answered, and their responses."""
        if self.data.task == "regression":
            return sure.tolist(), {"predict": values[wanted[sure], :, 0]}
        answers = [(at, _classified(values[wanted[at]], request.responses)) for at in sure.tolist()]
        known = [(at, answer) for at, answer in answers if answer is not None]
        names = request.responses if known else ()
        return [at for at, _ in known], {name: np.stack([answer[name] for _, answer in known]) for name in names}

    def _in_groups(self, parts: list[RequestPart], width: int) -> Iterator[list[RequestPart]]:
        """Those whose predictions, so many for each row, are held at one time."""
        group: list[RequestPart] = []
        size = 0
        for part in parts:
            if group and size + part.request.rows.size * width > self.most_at_once:
                yield group
                group, size = [], 0
            group.append(part)
            size += part.request.rows.size * width
        yield group


def score_targets(data: Dataset) -> FloatArray:
    """What a linear model is fitted to, one column each: the numbers, or -1 and 1 for two classes or for each class."""
    if data.task == "regression":
        return np.asarray(data.y, np.float64)[:, None]
    if len(data.classes) == 2:
        return np.where(data.codes == 1, 1.0, -1.0)[:, None]
    return np.where(data.codes[:, None] == np.arange(len(data.classes)), 1.0, -1.0)


def _has_every_class(data: Dataset, train: IntArray) -> bool:
    """Are all classes among the training rows? A missing one changes what is fitted."""
    return data.task == "regression" or bool(np.bincount(data.codes[train], minlength=len(data.classes)).all())


def _classified(scores: FloatArray, responses: tuple[str, ...]) -> Answer | None:
    """Answers of a classifier from scores (rows x targets); None where a class hangs on the last digits."""
    is_binary = scores.shape[1] == 1
    answer: Answer = {}
    if "predict" in responses:
        ranked = np.sort(scores, axis=1)
        gaps = np.abs(scores[:, 0]) if is_binary else ranked[:, -1] - ranked[:, -2]
        if (gaps <= CLOSE).any():
            return None
        answer["predict"] = (scores[:, 0] > 0 if is_binary else np.argmax(scores, axis=1)).astype(np.int64)
    if "decision_function" in responses:
        answer["decision_function"] = scores[:, 0] if is_binary else scores
    return answer
