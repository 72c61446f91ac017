"""A family: estimators of which one fit to a training part answers several candidates."""

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
from foldwise.solvers.fronts import Parts, copied, is_repeatable, settings, take_apart
from foldwise.solvers.prepared import Prepared, fit_keywords, prepared
from foldwise.solvers.solver import Answer, Job

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

    def takes(self, core: Any, data: Dataset) -> bool:
        """Can it answer for this estimator?"""

    def shares(self, core: Any) -> Hashable:
        """Estimators with equal values here are answered by one fit."""

    def fit(self, cores: Sequence[Any], X: Any, y: AnyArray, extra: dict[str, Any]) -> Any:
        """What all of these estimators need of a training part; `extra` are keywords of their fit."""

    def answers(self, fitted: Any, cores: Sequence[Any], X: Any, responses: Sequence[str]) -> list[Given | None]:
        """What each of the estimators would answer for these rows."""


@dataclass(frozen=True, eq=False)
class FamilySolver:
    """Answers a family of estimators, bare or behind the steps of a pipeline, which are fitted once too."""

    family: Family
    needs_front: bool = False  # is there nothing to share but the steps before?
    is_light: bool = False  # is a fit cheaper here even if it answers one job alone?
    apart: Callable[[Any], Parts | None] = take_apart
    unit: Literal["train"] = field(default="train", init=False)

    @property
    def name(self) -> str:
        return self.family.name

    @property
    def is_exact(self) -> bool:
        return self.family.is_exact

    def takes(self, estimator: Any, data: Dataset) -> bool:
        parts = self.apart(estimator)
        if parts is None or (self.needs_front and not parts.front):
            return False
        steps = [step for _, step in parts.front]
        return self.family.takes(parts.core, data) and is_repeatable([*steps, parts.core])

    def shares(self, estimator: Any) -> Hashable:
        parts = self.apart(estimator)
        if parts is None:
            return None
        # without steps before it there is nothing more to share, and smaller passes spread better over workers
        return _front_key(parts), None if parts.front else self.family.shares(parts.core)

    def fits_for(self, estimators: Sequence[Any]) -> int:
        """How many fits of one training part answer all of these."""
        return len({self.family.shares(parts.core) for parts in map(self.apart, estimators) if parts is not None})

    def pays(self, jobs: Sequence[Job], data: Dataset) -> bool:
        """Is anything fitted for more than one job?"""
        if self.is_light:
            return True
        passes = _by_front(jobs, self.apart)
        if any(len(batch) > 1 and batch[0].parts.front for batch in passes):
            return True
        return sum(len(self._by_core(batch)) for batch in passes) < len(jobs)

    def solve(self, jobs: Sequence[Job], data: Dataset) -> list[Answer | None]:
        answers: list[Answer | None] = [None] * len(jobs)
        for batch in _by_front(jobs, self.apart):
            for at, answer in self._pass(batch, data):
                answers[at] = answer
        return answers

    def _by_core(self, batch: list[_Asked]) -> list[list[_Asked]]:
        return grouped(batch, lambda asked: self.family.shares(asked.parts.core))

    def _pass(self, batch: list[_Asked], data: Dataset) -> Iterator[tuple[int, Answer]]:
        """All jobs of one training part and one front."""
        part, lost = _learn(batch[0], data), 0
        for group in self._by_core(batch):
            if part is None or lost >= PATIENCE:
                return
            found, trouble = self._group(group, part, data)
            # failures come early, but a warning comes after a whole fit, which must be done again
            lost = 0 if found else lost + (1 if any(isinstance(what, Exception) for what in trouble) else PATIENCE)
            yield from found

    def _group(self, group: list[_Asked], part: _Part, data: Dataset) -> tuple[list[tuple[int, Answer]], list[Any]]:
        """All jobs answered by one fit of the family; none where it fails or warns, as the plain loop tells why."""
        found: list[tuple[int, Answer]] = []
        with quiet() as trouble:
            extra = fit_keywords(group[0].parts.core, part.train, data)
            fitted = self.family.fit([asked.parts.core for asked in group], copied(part.table.X), part.y, extra)
        for same in grouped(group, lambda asked: asked.question) if not trouble else ():
            made: list[tuple[int, Answer]] = []
            with quiet() as trouble:
                made += self._answer(same, fitted, part, data)
            found += [] if trouble else made
        return found, trouble

    def _answer(self, same: list[_Asked], fitted: Any, part: _Part, data: Dataset) -> Iterator[tuple[int, Answer]]:
        """All jobs of a group that ask for the same rows and responses."""
        job = same[0].job
        X = part.table.transform(job.rows, data)
        givens = self.family.answers(fitted, [asked.parts.core for asked in same], X, job.responses)
        for asked, given in zip(same, givens, strict=True):
            answer = None if given is None else _formed(part.restored(given), job, data)
            if answer is not None:
                yield asked.at, answer


@dataclass(frozen=True, eq=False)
class _Asked:
    """A job, where its answer goes, and its estimator taken apart."""

    at: int
    job: Job
    parts: Parts
    question: Hashable


@dataclass(frozen=True, eq=False)
class _Part:
    """A training part as the core sees it, and how other rows come to look the same."""

    train: IntArray
    table: Prepared
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


def _learn(asked: _Asked, data: Dataset) -> _Part | None:
    train, parts = asked.job.train, asked.parts
    with quiet() as trouble:
        y = data.y[train]
        table = prepared(parts.front, train, data)
        target = None
        if parts.target is not None:
            from sklearn.base import clone

            target = clone(parts.target).fit(y.reshape(-1, 1))
            y = target.transform(y.reshape(-1, 1))[:, 0]
    return None if trouble or table is None else _Part(train, table, y, target)


def _formed(given: Given, job: Job, data: Dataset) -> Answer | None:
    try:
        return {name: checked(given, name, given.values[name], data, job.rows) for name in job.responses}
    except InvalidOutput:
        return None


def _by_front(jobs: Sequence[Job], apart: Callable[[Any], Parts | None]) -> list[list[_Asked]]:
    """Jobs of one training part and one front together."""
    names: dict[int, bytes] = {}  # arrays are shared between jobs, so each is read once

    def name_of(rows: IntArray) -> bytes:
        if id(rows) not in names:
            names[id(rows)] = rows.tobytes()
        return names[id(rows)]

    asked = []
    for at, job in enumerate(jobs):
        parts = apart(job.estimator)
        if parts is not None:
            asked.append(_Asked(at, job, parts, (name_of(job.rows), job.responses)))
    return grouped(asked, lambda one: (name_of(one.job.train), _front_key(one.parts)))


def _front_key(parts: Parts) -> Hashable:
    return tuple(settings(step) for _, step in parts.front), settings(parts.target)
