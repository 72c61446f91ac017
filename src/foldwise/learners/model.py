"""Fitting an estimator and asking the model: the one place where scikit-learn objects run."""

from __future__ import annotations

import inspect
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.learners.cloning import cloned
from foldwise.learners.early_stopping import stops_early, with_rounds_found
from foldwise.learners.outputs import checked

RESPONSES = ("predict", "predict_proba", "decision_function")
THREADS = {"n_jobs", "n_thread", "n_threads", "nthread", "nthreads", "num_thread", "num_threads", "thread_count"}


@dataclass(frozen=True, eq=False)
class Fitting:
    """An estimator ready to be fitted many times: which keywords it takes is found out once."""

    estimator: Any
    seeds: tuple[str, ...]  # parameters named random_state that the user left unset
    weights: str | None  # keyword by which it takes row weights
    groups: str | None
    stops: bool = False  # does it find its rounds on rows held out of its training rows?

    def fit(self, data: Dataset, train: IntArray, seed: int) -> Any:
        """A model of these rows; the estimator stays as it was."""
        model = cloned(self.seeded(seed))
        if self.stops:
            model = with_rounds_found(model, data, train, seed)
        extra: dict[str, Any] = {}
        if self.weights and data.weights is not None:
            extra[self.weights] = data.weights[train]
        if self.groups and data.groups is not None:
            extra[self.groups] = data.groups[train]
        if takes_steps(self.estimator):
            extra["steps"] = steps_of(data)[train]
        return model.fit(data.take(train), data.y[train], **extra)

    def seeded(self, seed: int) -> Any:
        """The estimator, not fitted, with its seeds set; not to be touched, as it shares what has none."""
        seeds = {name: (seed + at) % (2**31 - 1) for at, name in enumerate(self.seeds)}
        made = self.estimator
        for name, value in seeds.items():
            made = _with(made, name.split("__"), value)
            if made is None:
                return cloned(self.estimator).set_params(**seeds)
        return made


def _with(estimator: Any, path: list[str], value: int) -> Any:
    """A shallow copy with one parameter changed, much faster than a clone; None where the path is no plain one."""
    made, (head, *rest) = copy(estimator), path
    is_chain = type(estimator).__name__ == "Pipeline" and any(name == head for name, _ in estimator.steps)
    if not is_chain and head not in vars(estimator):
        return None
    if not rest:
        setattr(made, head, value)
        return made
    inside = _with(dict(estimator.steps)[head] if is_chain else getattr(estimator, head), rest, value)
    if is_chain:
        made.steps = [(name, inside if name == head else step) for name, step in estimator.steps]
    else:
        setattr(made, head, inside)
    return None if inside is None else made


def make_fitting(estimator: Any, *, threads: int | None = None) -> Fitting:
    """`threads`: for learners that would else take all there are, whatever the limits of their process."""
    parameters = estimator.get_params(deep=True)
    unsaid = {
        f"{name}__{word}".removeprefix("__"): value
        for name, part in {"": estimator, **parameters}.items()
        for word, value in _unsaid(part, threads)
    }
    if unsaid:
        from sklearn.base import clone

        estimator = clone(estimator).set_params(**unsaid)
    seeds = [name for name, value in parameters.items() if value is None and name.split("__")[-1] == "random_state"]
    return Fitting(
        estimator,
        seeds=tuple(sorted(seeds)),
        weights=_keyword(estimator, "sample_weight"),
        groups=_keyword(estimator, "groups"),
        stops=stops_early(estimator),
    )


def _unsaid(part: Any, threads: int | None) -> Iterator[tuple[str, Any]]:
    """What CatBoost and LightGBM are told where nobody has: no logs in the working directory, so many threads."""
    package = type(part).__module__.partition(".")[0]
    if package not in ("catboost", "lightgbm") or not hasattr(part, "get_params") or isinstance(part, type):
        return
    told = {name for name, value in part.get_params().items() if value is not None}
    if package == "catboost" and "allow_writing_files" not in told:
        yield "allow_writing_files", False
    if threads is not None and not told & THREADS:
        yield ("thread_count" if package == "catboost" else "n_jobs"), threads


def takes_weights(estimator: Any) -> bool:
    return _keyword(estimator, "sample_weight") is not None


def takes_groups(estimator: Any) -> bool:
    return _keyword(estimator, "groups") is not None


def takes_steps(estimator: Any) -> bool:
    """Does it learn from the places of the rows in time?"""
    return getattr(estimator, "takes_steps", False) is True


def steps_of(data: Dataset) -> IntArray:
    """The place of each row in time, those of one time sharing it; without times, the place in the table."""
    return np.arange(data.rows) if data.time is None else np.unique(data.time, return_inverse=True)[1]


def responses_of(estimator: Any, task: str) -> tuple[str, ...]:
    """Which responses its models will have, found before any fit."""
    if task == "regression":
        return ("predict",)
    return tuple(name for name in RESPONSES if hasattr(estimator, name))


def respond(
    model: Any, data: Dataset, rows: IntArray, responses: Sequence[str], *, table: Any = None
) -> dict[str, AnyArray]:
    """What the model answers for these rows, checked: class codes, values, one column per class.

    `table`: these rows as they are given to the model, where they are not as in the data.
    """
    table = data.take(rows) if table is None else table
    steps = {"steps": steps_of(data)[rows]} if takes_steps(model) else {}
    return {name: checked(model, name, getattr(model, name)(table, **steps), data, rows) for name in responses}


@contextmanager
def seeded_world(seed: int) -> Iterator[None]:
    """Global random numbers that depend on the fit alone, put back as they were afterwards."""
    with kept_random_numbers():
        seed_world(seed)
        yield


@contextmanager
def kept_random_numbers() -> Iterator[None]:
    """Global random numbers go on afterwards where they were: once around many fits, as this takes longer than some."""
    ours, generator, numpys = random.getstate(), np.random.mtrand.get_bit_generator(), np.random.get_state()
    try:
        yield
    finally:
        random.setstate(ours)
        if np.random.mtrand.get_bit_generator() is not generator:
            np.random.mtrand.set_bit_generator(generator)
        np.random.set_state(numpys)


def seed_world(seed: int) -> None:
    """Let global random numbers depend on this seed alone; whoever calls it keeps what they were."""
    random.seed(seed)
    np.random.seed(seed % 2**32)


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
    if word == "groups" and type(estimator).__name__ != "RowSample":
        return word if hasattr(estimator, "cv") else None  # scikit-learn's search objects give groups to their splitter
    return word if nested is not None and hasattr(nested, "fit") and _keyword(nested, word) == word else None
