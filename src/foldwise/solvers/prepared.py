"""Training parts as they look after the steps of a pipeline: prepared once for all candidates and learners."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from foldwise.arrays import IntArray
from foldwise.data.dataset import Dataset
from foldwise.learners.model import Recipe, make_recipe
from foldwise.solvers.fronts import copied, fit_front, is_kind, is_repeatable, settings

MOST_BYTES = 128 * 2**20  # of prepared tables that a process keeps


@dataclass(eq=False)
class Prepared:
    """Fitted steps, the training part behind them, and other rows that have passed them."""

    front: Any  # None where there are no steps
    X: Any
    seen: dict[bytes, Any] = field(default_factory=dict)
    size: int = 0
    steps: Any = None  # as they were given: what is told apart by its place in memory must not leave it

    def transform(self, rows: IntArray, data: Dataset) -> Any:
        """Other rows as they look after the steps; not to be written to."""
        key = _name(rows)
        found = self.seen.get(key)
        if found is None:
            table = data.take(rows)
            found = self.seen[key] = table if self.front is None else self.front.transform(table)
            self.size += bytes_of(found)
        return found


def prepared(front: tuple[tuple[str, Any], ...], train: IntArray, data: Dataset) -> Prepared | None:
    """The training part after these steps, fitted now if nobody has asked before; None where they fail or warn."""
    if not front:
        return Prepared(None, data.take(train))
    key = (_name(train), tuple(settings(step) for _, step in front))
    kept = _KEPT.setdefault(data, {})
    found = kept.pop(key, None) or _fitted(front, train, data)
    if found is not None:
        kept[key] = found  # the last asked for is the last to be dropped
        _forget(kept)
    return found


def fit_prepared(recipe: Recipe, data: Dataset, train: IntArray, seed: int) -> Any:
    """The model of a built-in learner behind its preparer; None where the plain fit must do it."""
    pipeline = recipe.seeded(seed)
    if not is_kind(pipeline, "Pipeline") or [name for name, _ in pipeline.steps] != ["prepare", "learner"]:
        return None
    front, core = pipeline.steps[0], pipeline.steps[1][1]
    found = prepared((front,), train, data) if is_repeatable(front[1]) else None
    return None if found is None else _behind(found, core, data, train)


def fit_keywords(core: Any, train: IntArray, data: Dataset) -> dict[str, Any]:
    """Row weights and groups as the plain loop hands them to this estimator."""
    if data.weights is None and data.groups is None:
        return {}
    recipe, extra = make_recipe(core), dict[str, Any]()
    if recipe.weights and data.weights is not None:
        extra[recipe.weights] = data.weights[train]
    if recipe.groups and data.groups is not None:
        extra[recipe.groups] = data.groups[train]
    return extra


def bytes_of(table: Any) -> int:
    """The memory of a table, near enough.

    >>> import numpy as np
    >>> bytes_of(np.zeros((3, 2)))
    48
    """
    if hasattr(table, "memory_usage"):
        return int(table.memory_usage(index=False).sum())
    parts = [getattr(table, name, None) for name in ("data", "indices", "indptr")] if hasattr(table, "tocsr") else []
    return sum(int(part.nbytes) for part in parts if part is not None) if parts else int(getattr(table, "nbytes", 0))


_KEPT: WeakKeyDictionary[Dataset, dict[Hashable, Prepared]] = WeakKeyDictionary()


def _name(rows: IntArray) -> bytes:
    return hashlib.blake2b(rows.tobytes(), digest_size=16).digest()


def _fitted(front: tuple[tuple[str, Any], ...], train: IntArray, data: Dataset) -> Prepared | None:
    """None where the plain loop has something to say about the steps: an error, or a warning for every fit."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            fitted, X = fit_front(front, data.take(train), data.y[train])
        except Exception:
            return None
    return None if caught else Prepared(fitted, X, size=bytes_of(X), steps=front)


def _forget(kept: dict[Hashable, Prepared]) -> None:
    """Drop the tables that were asked for longest ago, but never the last."""
    total = sum(one.size for one in list(kept.values()))
    for key in list(kept)[:-1]:
        if total <= MOST_BYTES:
            return
        dropped = kept.pop(key, None)
        total -= dropped.size if dropped else 0


def _behind(found: Prepared, core: Any, data: Dataset, train: IntArray) -> Any:
    from sklearn.base import clone
    from sklearn.pipeline import Pipeline

    model = clone(core).fit(copied(found.X), data.y[train], **fit_keywords(core, train, data))
    return Pipeline([("prepare", found.front), ("learner", model)])
