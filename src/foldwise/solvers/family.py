"""A family: estimators of which one fit to a training set answers several candidates."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

import numpy as np

from foldwise.arrays import AnyArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.errors import InvalidOutput
from foldwise.learners.outputs import checked
from foldwise.solvers.fitted_steps import FittedSteps, copied, fit_keywords, fit_steps
from foldwise.solvers.solver import Answer, FitRequest
from foldwise.solvers.steps import Parts, is_repeatable, params_key, take_apart

Item = TypeVar("Item")
PATIENCE = 2  # fits in a row that may fail before the rest is left to the plain loop


@dataclass(frozen=True, eq=False)
class Given:
    """What a model would answer, and the classes it knows."""

    classes_: Any
    values: dict[str, AnyArray]


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

    def answers(self, fitted: Any, estimators: Sequence[Any], X: Any, responses: Sequence[str]) -> list[Given | None]:
        """What each of the estimators would answer for these rows."""


@dataclass(frozen=True, eq=False)
class FamilySolver:
    """Answers a family of estimators, bare or behind the steps of a pipeline, which are fitted once too."""

    family: Family
    needs_steps: bool = False  # is there nothing to share but the steps before?
    is_light: bool = False  # is a fit cheaper here even if it answers one request alone?
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
        return _steps_key(parts), None if parts.steps else self.family.shares(parts.estimator)

    def fits_for(self, estimators: Sequence[Any]) -> int:
        """How many fits of one training set answer all of these."""
        return len({self.family.shares(parts.estimator) for parts in map(self.apart, estimators) if parts is not None})

    def pays(self, fits: Sequence[FitRequest], data: Dataset) -> bool:
        """Is anything fitted for more than one request?"""
        if self.is_light:
            return True
        batches = by_steps(fits, self.apart)
        if any(len(batch) > 1 and batch[0].parts.steps for batch in batches):
            return True
        return sum(len(self._by_shared(batch)) for batch in batches) < len(fits)

    def solve(self, fits: Sequence[FitRequest], data: Dataset) -> list[Answer | None]:
        answers: list[Answer | None] = [None] * len(fits)
        for batch in by_steps(fits, self.apart):
            for at, answer in self._solve_batch(batch, data):
                answers[at] = answer
        return answers

    def _by_shared(self, batch: list[Asked]) -> list[list[Asked]]:
        return grouped(batch, lambda asked: self.family.shares(asked.parts.estimator))

    def _solve_batch(self, batch: list[Asked], data: Dataset) -> Iterator[tuple[int, Answer]]:
        """All fits of one training set behind the same steps."""
        part, lost = learn(batch[0], data), 0
        for shared in self._by_shared(batch):
            if part is None or lost >= PATIENCE:
                return
            found, trouble = self._solve_shared(shared, part, data)
            # failures come early, but a warning comes after a whole fit, which must be done again
            lost = 0 if found else lost + (1 if any(isinstance(what, Exception) for what in trouble) else PATIENCE)
            yield from found

    def _solve_shared(
        self, shared: list[Asked], part: TrainingSet, data: Dataset
    ) -> tuple[list[tuple[int, Answer]], list[Any]]:
        """All fits answered by one fit of the family; none where it fails or warns, as the plain loop tells why."""
        found: list[tuple[int, Answer]] = []
        with quiet() as trouble:
            extra = fit_keywords(shared[0].parts.estimator, part.train, data)
            fitted = self.family.fit([asked.parts.estimator for asked in shared], copied(part.table.X), part.y, extra)
        for same in grouped(shared, lambda asked: asked.question) if not trouble else ():
            made: list[tuple[int, Answer]] = []
            with quiet() as trouble:
                made += self._answer(same, fitted, part, data)
            found += [] if trouble else made
        return found, trouble

    def _answer(self, same: list[Asked], fitted: Any, part: TrainingSet, data: Dataset) -> Iterator[tuple[int, Answer]]:
        """Fits of one such batch that ask for the same rows and responses."""
        fit = same[0].fit
        X = part.table.transform(fit.rows, data)
        givens = self.family.answers(fitted, [asked.parts.estimator for asked in same], X, fit.responses)
        for asked, given in zip(same, givens, strict=True):
            answer = None if given is None else _formed(part.restored(given), fit, data)
            if answer is not None:
                yield asked.at, answer


@dataclass(frozen=True, eq=False)
class Asked:
    """A fit, where its answer goes, and its estimator taken apart."""

    at: int
    fit: FitRequest
    parts: Parts
    question: Hashable


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """A training set as the estimator sees it, and how other rows come to look the same."""

    train: IntArray
    table: FittedSteps
    y: AnyArray
    target: Any

    def restored(self, given: Given) -> Given:
        """Predictions in the unit of the target."""
        if self.target is None:
            return given
        values = self.target.inverse_transform(given.values["predict"].reshape(-1, 1))[:, 0]
        return Given(given.classes_, {"predict": values})


def grouped(items: Iterable[Item], key: Callable[[Item], Hashable]) -> list[list[Item]]:
    """Items with equal keys together, in the order they came."""
    groups: dict[Hashable, list[Item]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return list(groups.values())


def given_by(model: Any, X: Any, responses: Sequence[str]) -> Given:
    """What a fitted model answers."""
    return Given(getattr(model, "classes_", None), {name: getattr(model, name)(X) for name in responses})


def probabilities_given(classes: AnyArray, proba: AnyArray, responses: Sequence[str]) -> Given:
    """Answers of a classifier that picks the most probable class, the first of equals."""
    values = {"predict_proba": proba, "predict": classes.take(np.argmax(proba, axis=1), axis=0)}
    return Given(classes, {name: values[name] for name in responses})


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


def learn(asked: Asked, data: Dataset) -> TrainingSet | None:
    train, parts = asked.fit.train, asked.parts
    with quiet() as trouble:
        y = data.y[train]
        table = fit_steps(parts.steps, train, data)
        target = None
        if parts.target is not None:
            from sklearn.base import clone

            target = clone(parts.target).fit(y.reshape(-1, 1))
            y = target.transform(y.reshape(-1, 1))[:, 0]
    return None if trouble or table is None else TrainingSet(train, table, y, target)


def _formed(given: Given, fit: FitRequest, data: Dataset) -> Answer | None:
    try:
        return {name: checked(given, name, given.values[name], data, fit.rows) for name in fit.responses}
    except InvalidOutput:
        return None


def by_steps(fits: Sequence[FitRequest], apart: Callable[[Any], Parts | None]) -> list[list[Asked]]:
    """Fits of one training set behind the same steps together."""
    names: dict[int, bytes] = {}  # arrays are shared between fits, so each is read once

    def name_of(rows: IntArray) -> bytes:
        if id(rows) not in names:
            names[id(rows)] = rows.tobytes()
        return names[id(rows)]

    asked = []
    for at, fit in enumerate(fits):
        parts = apart(fit.estimator)
        if parts is not None:
            asked.append(Asked(at, fit, parts, (name_of(fit.rows), fit.responses)))
    return grouped(asked, lambda one: (name_of(one.fit.train), _steps_key(one.parts)))


def _steps_key(parts: Parts) -> Hashable:
    return tuple(params_key(step) for _, step in parts.steps), params_key(parts.target)
