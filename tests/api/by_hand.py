"""What a study should find, by plain loops over scikit-learn and explicit rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

Pair = tuple[np.ndarray, np.ndarray]
Candidates = Sequence[dict[str, Any]]


class Counted(KNeighborsRegressor):
    """A learner that remembers how often it was fitted."""

    made: ClassVar[list[int]] = []

    def fit(self, X: Any, y: Any) -> Any:
        type(self).made.append(len(X))
        return super().fit(X, y)


class CountedClassifier(KNeighborsClassifier):
    made: ClassVar[list[int]] = []

    def fit(self, X: Any, y: Any) -> Any:
        type(self).made.append(len(X))
        return super().fit(X, y)


def grid(name: str, values: Sequence[Any]) -> list[dict[str, Any]]:
    return [{name: value} for value in values]


def row_losses(learner: Any, candidate: dict[str, Any], X: Any, y: Any, pair: Pair) -> np.ndarray:
    """Squared losses (0-1 losses of a classifier) on the test rows after a fit on the training rows."""
    train, test = pair
    answers = clone(learner).set_params(**candidate).fit(X[train], y[train]).predict(X[test])
    return (answers != y[test]).astype(float) if hasattr(learner, "predict_proba") else (answers - y[test]) ** 2


def score_table(learner: Any, candidates: Candidates, X: Any, y: Any, pairs: Sequence[Pair]) -> np.ndarray:
    """Mean losses[candidate, split]."""
    return np.array([[row_losses(learner, one, X, y, pair).mean() for pair in pairs] for one in candidates])


def tuned_losses(learner: Any, candidates: Candidates, X: Any, y: Any, pair: Pair, inner: Sequence[Pair]) -> np.ndarray:
    """Losses on the test rows of the candidate that is best on the inner splits."""
    best = score_table(learner, candidates, X, y, inner).mean(axis=1).argmin()
    return row_losses(learner, candidates[best], X, y, pair)


def pairs_of(splits: Any) -> list[Pair]:
    """Training and test rows of splits, as plain arrays."""
    return [(np.asarray(split.train), np.asarray(split.test)) for split in splits]


def labels_of(result: Any) -> np.ndarray:
    """Fold of every row: labels[repeat, row]."""
    outer = result.study.outer
    labels = np.full((outer.repeats, result.study.rows), -1)
    for split in outer:
        labels[split.repeat, split.test] = split.fold
    return labels


def without(labels: np.ndarray, *folds: int) -> np.ndarray:
    return np.flatnonzero(~np.isin(labels, folds))


def method_of(result: Any, name: str) -> dict[str, Any]:
    return next(method for method in result.to_dict()["methods"] if method["name"] == name)
