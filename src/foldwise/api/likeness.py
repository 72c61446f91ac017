"""Tables like a given one, drawn from a model of it: what is true of them is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.errors import BadStudy
from foldwise.losses.loss import label_array
from foldwise.questions.method import MethodAnswer

NEIGHBOURS, DISTINCT = 5, 20  # towards how many rows a row is moved; values from which on a column is moved at all
WINDOW = 0.1  # share of the rows that residuals and classes are drawn from
LEAST_TESTED = 20


@dataclass(frozen=True, eq=False)
class World:
    """Where tables like `data` come from: its rows, moved a little, and targets by a model and what it leaves.

    `model` is fitted to all rows. `told` and `truth` are what the models of the outer splits told of rows that they had
    not seen, and what was true of them: a number or the score of the second class, or the class that was called.
    """

    data: Dataset
    model: Any
    told: AnyArray
    truth: AnyArray
    has_scores: bool

    def __repr__(self) -> str:
        return f"World({self.data!r}, like {self.data.rows} rows, {len(self.told)} of them tested)"

    def draw(self, rows: int, rng: np.random.Generator, name: str) -> Dataset:
        """A table of this many independent rows."""
        at = rng.integers(self.data.rows, size=rows)
        X = self._moved(at, rng)
        target = self._target(X, rng)
        labels = target if self.data.task == "regression" else label_array(self.data.classes)[target]
        return replace(
            self.data,
            X=X,
            y=np.asarray(labels).astype(self.data.y.dtype, copy=False),
            groups=None,
            time=None,
            weights=None if self.data.weights is None else self.data.weights[at],
            strata=None,
            fingerprint=f"{self.data.fingerprint} like {name}",
            notes=(),
            row_labels=None,
        )

    def _target(self, X: Any, rng: np.random.Generator) -> AnyArray:
        if self.data.task != "regression" and not self.has_scores:
            return self._classes_like_called(self._called(X), rng)
        fitted = self._score(X)
        place = np.searchsorted(self._fitted_rows, fitted) * len(self.told) // self.data.rows
        window = max(LEAST_TESTED // 2, int(WINDOW * len(self.told))) // 2
        near = np.clip(place + rng.integers(-window, window + 1, len(fitted)), 0, len(self.told) - 1)
        drawn = self._by_told[near]
        if self.data.task != "regression":
            return np.asarray(self.truth[drawn])
        found = fitted + self._residuals[drawn]
        if (self.data.y >= 0).all():
            found = np.maximum(found, 0.0)
        return np.asarray(np.rint(found) if _is_whole(self.data.y) else found)

    @cached_property
    def _by_told(self) -> IntArray:
        """Tested rows in the order of what was told of them."""
        return np.argsort(self.told, kind="stable")

    @cached_property
    def _fitted_rows(self) -> FloatArray:
        """What the model says of the rows of the table, sorted: by its place there a number is matched with others."""
        return np.sort(self._score(self.data.take(np.arange(self.data.rows))))

    @cached_property
    def _residuals(self) -> FloatArray:
        left = self.truth - self.told
        return np.asarray(left - left.mean())

    def _score(self, X: Any) -> FloatArray:
        if self.data.task == "regression":
            return np.asarray(self.model.predict(X), np.float64).ravel()
        return np.asarray(self.model.predict_proba(X), np.float64)[:, 1]

    def _called(self, X: Any) -> IntArray:
        place = {label: code for code, label in enumerate(self.data.classes)}
        return np.array([place[label] for label in np.asarray(self.model.predict(X)).tolist()])

    def _classes_like_called(self, called: IntArray, rng: np.random.Generator) -> AnyArray:
        """Classes of tested rows that were called the same."""
        found = np.empty(len(called), np.int64)
        for code in np.unique(called).tolist():
            pool = np.flatnonzero(self.told == code)
            pool = pool if len(pool) else np.arange(len(self.told))
            is_code = called == code
            found[is_code] = self.truth[rng.choice(pool, int(is_code.sum()))]
        return found

    def _moved(self, at: IntArray, rng: np.random.Generator) -> Any:
        """These rows, their numbers moved a part of the way towards one of the nearest rows."""
        X = self.data.take(at)
        if self._near is None:
            return X
        near = self._near[at, rng.integers(self._near.shape[1], size=len(at))]
        numbers, share = self._numbers, rng.random(len(at))[:, None]
        moved = numbers[at] + share * (numbers[near] - numbers[at])
        moved = np.where(np.isnan(moved), numbers[at], moved)
        for place, column in enumerate(self._continuous):
            values = moved[:, place]
            if isinstance(X, np.ndarray):
                X[:, column] = np.rint(values) if _is_whole(numbers[:, place]) else values
            else:
                name = X.columns[column]
                X[name] = (np.rint(values) if _is_whole(numbers[:, place]) else values).astype(X[name].dtype)
        return X

    @cached_property
    def _continuous(self) -> list[int]:
        """Columns of numbers with many values."""
        X = self.data.X
        if isinstance(X, np.ndarray):
            width = X.shape[1] if X.dtype.kind == "f" and X.ndim == 2 else 0
            return [at for at in range(width) if len(np.unique(X[:, at])) > DISTINCT]
        if not hasattr(X, "iloc") or self.data.is_series:
            return []
        kinds = [getattr(dtype, "kind", "O") for dtype in X.dtypes]
        numpy = [isinstance(dtype, np.dtype) for dtype in X.dtypes]
        columns = [at for at, kind in enumerate(kinds) if kind in "fiu" and numpy[at]]
        return [at for at in columns if X.iloc[:, at].nunique() > DISTINCT]

    @cached_property
    def _numbers(self) -> FloatArray:
        X = self.data.X
        columns = X[:, self._continuous] if isinstance(X, np.ndarray) else X.iloc[:, self._continuous].to_numpy()
        return np.asarray(columns, np.float64)

    @cached_property
    def _near(self) -> IntArray | None:
        """The nearest other rows of each row, by all numbers on one scale."""
        if not self._continuous or self.data.rows <= NEIGHBOURS:
            return None
        from sklearn.neighbors import NearestNeighbors

        scaled = self._numbers - np.nanmean(self._numbers, axis=0)
        scaled = np.nan_to_num(scaled / np.maximum(np.nanstd(self._numbers, axis=0), 1e-12))
        found = NearestNeighbors(n_neighbors=NEIGHBOURS + 1).fit(scaled).kneighbors(scaled, return_distance=False)
        return np.asarray(found[:, 1:])


def make_world(data: Dataset, method: MethodAnswer, model: Any) -> World:
    """The world of a table by one method of its study: its model of all rows, and its out-of-fold answers."""
    if data.groups is not None or method.study.outer.is_ordered:
        raise BadStudy(
            "rows of groups or in the order of time are not simulated: the simulated rows are independent",
            "docs/coverage.md has grouped problems, docs/time-order.md series",
        )
    folds = [method.out_of_fold(at) for at in range(len(method.study.outer) // method.study.outer.repeats)]
    offers = set.intersection(*(set(fold.responses) for fold in folds))
    has_scores = data.task == "binary" and hasattr(model, "predict_proba") and "predict_proba" in offers
    response = "predict_proba" if has_scores else "predict"
    if response not in offers:
        raise BadStudy(f"{method.method.name} gave no predictions to simulate from", "Compare another learner too")
    told = [np.asarray(fold.responses[response])[:, 1] if has_scores else fold.responses[response] for fold in folds]
    tested = np.concatenate([fold.split.test for fold in folds])
    if len(tested) < LEAST_TESTED:
        raise BadStudy(f"{len(tested)} tested rows are too few to draw others like them", "Use folds")
    return World(data, model, np.concatenate(told), data.target[tested], has_scores)


def _is_whole(values: AnyArray) -> bool:
    known = values[np.isfinite(values)]
    return bool((known == np.rint(known)).all())
