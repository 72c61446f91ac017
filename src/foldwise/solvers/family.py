"""A family: estimators of which one fit to a training set answers several candidates."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

import numpy as np

from foldwise.arrays import AnyArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.errors import InvalidOutput
from foldwise.learners.outputs import checked
from foldwise.solvers.solver import Answer, Answered, FitRequest, rows_digest
from foldwise.solvers.steps import FittedSteps, Parts, copied, fit_keywords, fit_steps, is_repeatable, take_apart

Item = TypeVar("Item")
PATIENCE = 2  # fits in a row that may fail before the rest is left to the plain loop


@dataclass(frozen=True, eq=False)
class ModelAnswer:
    """What a model would answer, and the classes it knows."""

    classes_: Any
    values: dict[str, AnyArray]


ModelAnswers = list[ModelAnswer | None]


class Family(Protocol):
    """What is known of one kind of estimator, apart from the steps before it."""

    @property
    def name(self) -> str: ...

    @property
    def is_exact(self) -> bool: ...

    def takes(self, estimator: Any, data: Dataset) -> bool:
        """Can it answer for this estimator?"""

    def shares(self, estimator: Any) -> Hashable:
        """Estimators with equal values here are answered by one fit."""

    def fit(self, estimators: Sequence[Any], X: Any, y: AnyArray, extra: dict[str, Any]) -> Any:
        """What all of these estimators need of a training set; `extra` are keywords of their fit."""

    def answers(self, fitted: Any, estimators: Sequence[Any], X: Any, responses: Sequence[str]) -> ModelAnswers:
        """What each of the estimators would answer for these rows."""


class Member(NamedTuple):
    """One estimator of a request, taken apart."""

    number: int  # of the request
    place: int  # in the request
    parts: Parts


@dataclass(frozen=True, eq=False)
class FamilySolver:
    """Answers a family of estimators, bare or behind the steps of a pipeline, which are fitted once too."""

    family: Family
    needs_steps: bool = False  # are bare estimators left to another solver?
    is_light: bool = False  # is a fit cheaper here even if it answers one estimator alone?
    is_same_alone: bool = False  # has an answer the same bits, whatever else is asked with it?
    apart: Callable[[Any], Parts | None] = take_apart
    batch: Literal["train"] = field(default="train", init=False)

    @property
    def name(self) -> str:
        return self.family.name

    @property
    def is_exact(self) -> bool:
        return self.family.is_exact

    def takes(self, estimator: Any, data: Dataset) -> bool:
        parts = self.apart(estimator)
        if parts is None or (self.needs_steps and not parts.steps):
            return False
        steps = [step for _, step in parts.steps]
        return self.family.takes(parts.estimator, data) and is_repeatable([*steps, parts.estimator])

    def shares(self, estimator: Any) -> Hashable:
        parts = self.apart(estimator)
        if parts is None:
            return None
        # without steps before it there is nothing more to share, and smaller batches spread better over workers
        return parts.key, None if parts.steps else self.family.shares(parts.estimator)

    def fits_for(self, estimators: Sequence[Any]) -> int:
        """How many fits of one training set answer all of these."""
        return len({self.family.shares(parts.estimator) for parts in map(self.apart, estimators) if parts is not None})

    def pays(self, requests: Sequence[FitRequest], data: Dataset) -> bool:
        """Is anything fitted for more than one estimator?"""
        if self.is_light:
            return True
        groups = self._by_steps(requests)
        if any(len(members) > 1 and members[0].parts.steps for members in groups):
            return True
        return sum(len(self._by_fit(members)) for members in groups) < sum(map(len, groups))

    def solve(self, requests: Sequence[FitRequest], data: Dataset) -> Iterator[Answered]:
        for members in self._by_steps(requests):
            training_set, failures = _learn(members[0].parts, requests[members[0].number].train, data), 0
            for fitted_once in self._by_fit(members):
                if training_set is None or failures >= PATIENCE:
                    break
                answered, trouble = self._solve_once(fitted_once, requests, training_set, data)
                # failures come early, but a warning comes after a whole fit, which must be done again
                is_failure = any(isinstance(what, Exception) for what in trouble)
                failures = 0 if answered else failures + (1 if is_failure else PATIENCE)
                yield from answered

    def _by_steps(self, requests: Sequence[FitRequest]) -> list[list[Member]]:
        """The estimators of one training set behind the same steps together."""
        digests: dict[int, bytes] = {}  # requests share arrays, so each is read once
        for request in requests:
            if id(request.train) not in digests:
                digests[id(request.train)] = rows_digest(request.train)
        members = [
            Member(number, place, parts)
            for number, request in enumerate(requests)
            for place, parts in enumerate(map(self.apart, request.estimators))
            if parts is not None
        ]
        return grouped(members, lambda member: (digests[id(requests[member.number].train)], member.parts.key))

    def _by_fit(self, members: list[Member]) -> list[list[Member]]:
        return grouped(members, lambda member: self.family.shares(member.parts.estimator))

    def _solve_once(
        self, members: list[Member], requests: Sequence[FitRequest], training_set: TrainingSet, data: Dataset
    ) -> tuple[list[Answered], list[Any]]:
        """Everything that one fit of the family answers; nothing where it fails or warns: the plain loop tells why."""
        all_answered: list[Answered] = []
        with quiet() as trouble:
            extra = fit_keywords(members[0].parts.estimator, training_set.train, data)
            estimators = [member.parts.estimator for member in members]
            fitted = self.family.fit(estimators, copied(training_set.table.X), training_set.y, extra)
        for of_request in grouped(members, lambda member: member.number) if not trouble else ():
            request = requests[of_request[0].number]
            with quiet() as trouble:
                estimators = [member.parts.estimator for member in of_request]
                X = training_set.table.transform(request.rows, data)
                answers = [
                    None if answer is None else _formed(training_set.restored(answer), request, data)
                    for answer in self.family.answers(fitted, estimators, X, request.responses)
                ]
            places = [member.place for member in of_request]
            if not trouble and any(answers):
                all_answered.append(_stacked(of_request[0].number, places, answers))
        return all_answered, trouble


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """A training set as the estimator sees it, and how other rows come to look the same."""

    train: IntArray
    table: FittedSteps
    y: AnyArray
    target: Any

    def restored(self, answer: ModelAnswer) -> ModelAnswer:
        """Predictions in the unit of the target."""
        if self.target is None:
            return answer
        values = self.target.inverse_transform(answer.values["predict"].reshape(-1, 1))[:, 0]
        return ModelAnswer(answer.classes_, {"predict": values})


def grouped(items: Iterable[Item], key: Callable[[Item], Hashable]) -> list[list[Item]]:
    """Items with equal keys together, in the order they came."""
    groups: dict[Hashable, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return list(groups.values())


def answer_of(model: Any, X: Any, responses: Sequence[str]) -> ModelAnswer:
    """What a fitted model answers."""
    return ModelAnswer(getattr(model, "classes_", None), {name: getattr(model, name)(X) for name in responses})


def answer_of_probabilities(classes: AnyArray, proba: AnyArray, responses: Sequence[str]) -> ModelAnswer:
    """What a classifier answers that picks the most probable class, the first of equals."""
    values = {"predict_proba": proba, "predict": classes.take(np.argmax(proba, axis=1), axis=0)}
    return ModelAnswer(classes, {name: values[name] for name in responses})


@contextmanager
def quiet() -> Iterator[list[Any]]:
    """Warnings and failures are collected; the plain loop will meet them again and say them in its words."""
    trouble: list[Any] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield trouble
        except Exception as problem:
            trouble.append(problem)
        trouble += caught


def _learn(parts: Parts, train: IntArray, data: Dataset) -> TrainingSet | None:
    """The training set after the steps; None where they fail or warn."""
    with quiet() as trouble:
        y = data.y[train]
        table = fit_steps(parts.steps, train, data)
        target = None
        if parts.target is not None:
            from sklearn.base import clone

            target = clone(parts.target).fit(y.reshape(-1, 1))
            y = target.transform(y.reshape(-1, 1))[:, 0]
    return None if trouble or table is None else TrainingSet(train, table, y, target)


def _formed(answer: ModelAnswer, request: FitRequest, data: Dataset) -> Answer | None:
    try:
        return {name: checked(answer, name, answer.values[name], data, request.rows) for name in request.responses}
    except InvalidOutput:
        return None


def _stacked(number: int, places: Sequence[int], answers: Sequence[Answer | None]) -> Answered:
    known = [(place, answer) for place, answer in zip(places, answers, strict=True) if answer is not None]
    names = known[0][1]
    return Answered(
        number, [place for place, _ in known], {name: np.stack([answer[name] for _, answer in known]) for name in names}
    )
