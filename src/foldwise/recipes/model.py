"""Fitting an estimator and asking the model: the one place where scikit-learn objects run."""

from __future__ import annotations

import inspect
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.errors import InvalidOutput

RESPONSES = ("predict", "predict_proba", "decision_function")


@dataclass(frozen=True, eq=False)
class Recipe:
    """An estimator ready to be fitted many times: which keywords it takes is found out once."""

    estimator: Any
    seeds: tuple[str, ...]  # parameters named random_state that the user left unset
    weights: str | None  # keyword by which it takes row weights
    groups: str | None

    def fit(self, data: Dataset, train: IntArray, seed: int) -> Any:
        """A model of these rows; the estimator stays as it was."""
        from sklearn.base import clone

        model = clone(self.estimator)
        if self.seeds:
            model.set_params(**{name: (seed + at) % (2**31 - 1) for at, name in enumerate(self.seeds)})
        extra: dict[str, Any] = {}
        if self.weights and data.weights is not None:
            extra[self.weights] = data.weights[train]
        if self.groups and data.groups is not None:
            extra[self.groups] = data.groups[train]
        return model.fit(data.take(train), data.y[train], **extra)


def make_recipe(estimator: Any) -> Recipe:
    parameters = estimator.get_params(deep=True)
    seeds = [name for name, value in parameters.items() if value is None and name.split("__")[-1] == "random_state"]
    return Recipe(
        estimator,
        seeds=tuple(sorted(seeds)),
        weights=_keyword(estimator, "sample_weight"),
        groups=_keyword(estimator, "groups"),
    )


def takes_weights(estimator: Any) -> bool:
    return _keyword(estimator, "sample_weight") is not None


def takes_groups(estimator: Any) -> bool:
    return _keyword(estimator, "groups") is not None


def offers(estimator: Any, task: str) -> tuple[str, ...]:
    """Which responses its models will have, found before any fit."""
    if task == "regression":
        return ("predict",)
    return tuple(name for name in RESPONSES if hasattr(estimator, name))


def respond(model: Any, data: Dataset, rows: IntArray, responses: Sequence[str]) -> dict[str, AnyArray]:
    """What the model answers for these rows, checked: class codes, values, one column per class."""
    table = data.take(rows)
    return {name: _checked(model, name, getattr(model, name)(table), data, rows.size) for name in responses}


@contextmanager
def seeded_world(seed: int) -> Iterator[None]:
    """Global random numbers that depend on the fit alone, put back as they were afterwards."""
    ours, numpys = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed % 2**32)
    try:
        yield
    finally:
        random.setstate(ours)
        np.random.set_state(numpys)


def _keyword(estimator: Any, word: str) -> str | None:
    """The keyword of `fit` that takes row weights or groups; in a pipeline, that of the last step."""
    steps = getattr(estimator, "steps", None)
    if isinstance(steps, list) and steps and isinstance(steps[-1], tuple):
        name, last = steps[-1][0], steps[-1][1]
        inner = _keyword(last, word) if hasattr(last, "fit") else None
        return f"{name}__{inner}" if inner else None
    signature = inspect.signature(estimator.fit).parameters
    if word in signature:
        return word
    takes_all = any(part.kind is part.VAR_KEYWORD for part in signature.values())
    nested = getattr(estimator, "estimator", getattr(estimator, "regressor", None))
    if not takes_all:
        return None
    if word == "groups":  # scikit-learn's search objects hand groups to their splitter
        return word if hasattr(estimator, "cv") else None
    return word if nested is not None and hasattr(nested, "fit") and _keyword(nested, word) == word else None


def _checked(model: Any, name: str, answer: Any, data: Dataset, rows: int) -> AnyArray:
    answer = np.asarray(answer)
    if answer.dtype.kind == "c":
        raise InvalidOutput(f"{name} gave complex numbers")
    if name == "predict":
        if answer.ndim == 2 and answer.shape[1] == 1:
            answer = answer[:, 0]
        if answer.shape != (rows,):
            raise InvalidOutput(f"predict gave an array of shape {answer.shape} for {rows} rows")
        return _checked_values(answer) if data.task == "regression" else _codes(answer, data.classes)
    if name == "predict_proba":
        return _checked_probabilities(model, answer, data, rows)
    return _checked_decision(model, answer, data, rows)


def _checked_values(answer: AnyArray) -> FloatArray:
    try:
        values = answer.astype(np.float64)
    except (TypeError, ValueError) as reason:
        raise InvalidOutput(f"predict gave {answer.dtype} values, not numbers") from reason
    _refuse_unfinished("predict", values)
    return values


def _checked_probabilities(model: Any, answer: AnyArray, data: Dataset, rows: int) -> FloatArray:
    place = _codes(np.asarray(model.classes_), data.classes)
    if answer.shape != (rows, place.size):
        raise InvalidOutput(f"predict_proba gave shape {answer.shape} for {rows} rows and {place.size} classes")
    answer = answer.astype(np.float64)
    _refuse_unfinished("predict_proba", answer)
    if answer.size and (answer.min() < 0 or answer.max() > 1 + 1e-9):
        raise InvalidOutput(f"predict_proba gave values from {answer.min():.3g} to {answer.max():.3g}, outside [0, 1]")
    if not np.allclose(answer.sum(axis=1), 1.0, atol=1e-4):
        raise InvalidOutput("predict_proba gave rows that do not sum to one")
    whole = np.zeros((rows, len(data.classes)))  # a class missing from the training rows keeps its column
    whole[:, place] = answer
    return whole


def _checked_decision(model: Any, answer: AnyArray, data: Dataset, rows: int) -> FloatArray:
    place = _codes(np.asarray(model.classes_), data.classes)
    answer = answer.astype(np.float64)
    _refuse_unfinished("decision_function", answer)
    if len(data.classes) == 2 and answer.shape == (rows,) and place.size == 2:
        return answer if place[1] == 1 else -answer
    if place.size != len(data.classes) or answer.shape != (rows, place.size):
        raise InvalidOutput(f"decision_function gave shape {answer.shape} for {rows} rows, {len(data.classes)} classes")
    whole = np.empty_like(answer)
    whole[:, place] = answer
    return whole


def _refuse_unfinished(name: str, values: FloatArray) -> None:
    if not np.isfinite(values).all():
        raise InvalidOutput(f"{name} gave {int((~np.isfinite(values)).sum())} values that are NaN or infinite")


def _codes(labels: AnyArray, classes: tuple[Any, ...]) -> IntArray:
    """Labels as positions in the data's classes."""
    known = np.array(classes, dtype=object if isinstance(classes[0], str) else None)
    order = np.argsort(known)
    if known.dtype == object:
        labels = labels.astype(object)
    try:
        place = np.clip(np.searchsorted(known, labels, sorter=order), 0, known.size - 1)
    except TypeError as reason:
        raise InvalidOutput(f"the model answered with labels of type {labels.dtype}") from reason
    codes = order[place]
    strange = known[codes] != labels
    if strange.any():
        raise InvalidOutput(f"the model answered with the unknown label {labels[strange][0]!r}")
    return codes.astype(np.int64)
