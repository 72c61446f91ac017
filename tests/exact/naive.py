"""Nested cross-validation as a textbook writes it: plain loops over scikit-learn, nothing shared, nothing clever.

The truth that Foldwise is held against. It takes explicit splits, and knows the aligned schemes from fold labels alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.metrics import log_loss, mean_absolute_error, mean_squared_error

Pair = tuple[np.ndarray, np.ndarray]
Judge = Callable[..., float]  # (model, X, y, weights) -> mean loss

LINES = {7: (0, 1, 3), 13: (0, 1, 3, 9)}


def squared(model: Any, X: Any, y: Any, weights: Any = None) -> float:
    return float(mean_squared_error(y, model.predict(X), sample_weight=weights))


def absolute(model: Any, X: Any, y: Any, weights: Any = None) -> float:
    return float(mean_absolute_error(y, model.predict(X), sample_weight=weights))


def zero_one(model: Any, X: Any, y: Any, weights: Any = None) -> float:
    return float(np.average(model.predict(X) != y, weights=weights))


def log(model: Any, X: Any, y: Any, weights: Any = None) -> float:
    return float(log_loss(y, model.predict_proba(X), labels=model.classes_, sample_weight=weights))


@dataclass
class Answer:
    """What the loops found, fold by fold, and on all rows."""

    losses: list[float] = field(default_factory=list)
    chosen: list[dict[str, Any]] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    training: list[float] = field(default_factory=list)
    final: dict[str, Any] | None = None
    final_score: float | None = None

    @property
    def risk(self) -> float:
        return float(np.mean(self.losses))


@dataclass
class Loops:
    """The loops over given data with one judge; `word` is the keyword by which fits take the weights."""

    X: Any
    y: Any
    judge: Judge
    weights: Any = None
    word: str | None = None

    def fit(self, estimator: Any, candidate: dict[str, Any], train: np.ndarray) -> Any:
        extra = {self.word: self.weights[train]} if self.word else {}
        return clone(estimator).set_params(**candidate).fit(self.X[train], self.y[train], **extra)

    def loss(self, model: Any, rows: np.ndarray) -> float:
        return self.judge(model, self.X[rows], self.y[rows], None if self.weights is None else self.weights[rows])

    def table(self, estimator: Any, candidates: Sequence[dict[str, Any]], pairs: Sequence[Pair]) -> np.ndarray:
        """table[candidate, split]: mean loss on the test rows."""
        return np.array([[self.loss(self.fit(estimator, c, train), test) for train, test in pairs] for c in candidates])

    def nested(
        self,
        estimator: Any,
        candidates: Sequence[dict[str, Any]],
        outer: Sequence[Pair],
        inner: Sequence[Sequence[Pair]],
        final: Sequence[Pair] | None = None,
        choose: Callable[[np.ndarray], int] = lambda table: int(np.argmin(table.mean(axis=1))),
    ) -> Answer:
        """Tune on the inner splits of every outer split, refit, judge; then tune on all rows."""
        answer = Answer()
        for (train, test), pairs in zip(outer, inner, strict=True):
            table = self.table(estimator, candidates, pairs)
            candidate = candidates[choose(table)]
            model = self.fit(estimator, candidate, train)
            answer.losses.append(self.loss(model, test))
            answer.training.append(self.loss(model, train))
            answer.chosen.append(candidate)
            answer.scores.append(float(table.mean(axis=1).min()))
        if final is not None:
            table = self.table(estimator, candidates, final)
            answer.final, answer.final_score = candidates[choose(table)], float(table.mean(axis=1).min())
        return answer

    def plain(self, estimator: Any, outer: Sequence[Pair]) -> list[float]:
        """Cross-validation of an untuned learner."""
        return [self.loss(self.fit(estimator, {}, train), test) for train, test in outer]


def folds(labels: Any) -> list[Pair]:
    """One fold per label, the smallest first."""
    return [(np.flatnonzero(labels != label), np.flatnonzero(labels == label)) for label in np.unique(labels)]


def aligned(labels: Any) -> tuple[list[list[Pair]], list[Pair]]:
    """Inner splits of each fold and the final splits: lines for 7 and 13 folds, pairs for any other number."""
    names = list(np.unique(labels))
    k = len(names)
    if k not in LINES:
        inner = [[_without(labels, [names[i], names[j]], [names[j]]) for j in range(k) if j != i] for i in range(k)]
        return inner, folds(labels)
    lines = [{(point + step) % k for point in LINES[k]} for step in range(k)]
    inner = [
        [_without(labels, [names[p] for p in line], [names[p] for p in line - {i}]) for line in lines if i in line]
        for i in range(k)
    ]
    return inner, [_without(labels, [names[p] for p in line], [names[p] for p in line]) for line in lines]


def inside(splitter: Any, train: np.ndarray, X: Any, y: Any = None, groups: Any = None) -> list[Pair]:
    """A scikit-learn splitter on some rows, in row numbers of all data."""
    parts = [None if values is None else values[train] for values in (X, y, groups)]
    return [(train[a], train[b]) for a, b in splitter.split(*parts)]


def splits_of(result: Any) -> tuple[list[Pair], list[list[Pair]], list[Pair]]:
    """Outer, inner and final splits from `result.splits()`, for the schemes that Foldwise draws at random."""
    frame = result.splits()
    outer_frame = frame[frame["level"] == "outer"]
    outer = [_pair(part) for _, part in outer_frame.groupby(["repeat", "fold"], sort=False)]
    inner_frame, final_frame = frame[frame["level"] == "inner"], frame[frame["level"] == "final"]
    inner = [
        [_pair(part) for _, part in own.groupby("inner_fold", sort=False)]
        for _, own in inner_frame.groupby(["repeat", "fold"], sort=False)
    ]
    return outer, inner, [_pair(part) for _, part in final_frame.groupby("inner_fold", sort=False)]


def labels_of(outer: Sequence[Pair], rows: int) -> np.ndarray:
    """Fold numbers from outer splits that cut the rows into parts."""
    labels = np.full(rows, -1)
    for number, (_, test) in enumerate(outer):
        assert (labels[test] == -1).all()
        labels[test] = number
    assert (labels >= 0).all()
    return labels


def assert_same(result: Any, name: str, answer: Answer, *, names: dict[str, str] | None = None) -> None:
    """The method's risk, fold losses, choices, scores and final tuning are those of the loops, to 1e-10."""
    method = next(method for method in result.to_dict()["methods"] if method["name"] == name)
    assert method["status"] == "ok"
    close = {"rtol": 1e-10, "atol": 1e-10}
    assert [fold["candidate"] for fold in method["folds"]] == [_named(c, names) for c in answer.chosen]
    np.testing.assert_allclose([fold["loss"] for fold in method["folds"]], answer.losses, **close)
    np.testing.assert_allclose([fold["selection_score"] for fold in method["folds"]], answer.scores, **close)
    np.testing.assert_allclose(method["risk"], answer.risk, **close)
    if method["train_risk"] is not None:
        np.testing.assert_allclose(method["train_risk"], np.mean(answer.training), **close)
        np.testing.assert_allclose(method["gap"], answer.risk - np.mean(answer.training), **close)
    if answer.final is not None:
        assert result.candidate(name) == _named(answer.final, names)
        np.testing.assert_allclose(method["selection_score"], answer.final_score, **close)


def _named(candidate: dict[str, Any], names: dict[str, str] | None) -> dict[str, Any]:
    """The candidate under the names the user gave."""
    return {(names or {}).get(name, name): value for name, value in candidate.items()}


def _without(labels: Any, held: list[Any], tested: list[Any]) -> Pair:
    return np.flatnonzero(~np.isin(labels, held)), np.flatnonzero(np.isin(labels, tested))


def _pair(part: pd.DataFrame) -> Pair:
    rows, kind = part["row"].to_numpy(), part["part"].to_numpy()
    return rows[kind == "train"], rows[kind == "test"]
