"""Forests: the first T trees of a forest are the forest of T trees with the same seed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.family import FamilySolver, ModelAnswer, answer_of_probabilities
from foldwise.solvers.steps import is_kind, params_key_without
from foldwise.solvers.trees.grown import grow

CLASSIFIERS = ("RandomForestClassifier", "ExtraTreesClassifier")
REGRESSORS = ("RandomForestRegressor", "ExtraTreesRegressor")


@dataclass(frozen=True)
class Forests:
    """The largest forest is grown; its trees are added up in order, as scikit-learn does."""

    name: str = "forests"
    is_exact: bool = True

    def takes(self, estimator: Any, data: Dataset) -> bool:
        if not is_kind(estimator, *CLASSIFIERS, *REGRESSORS) or estimator.warm_start or estimator.oob_score:
            return False
        trees = estimator.n_estimators
        return isinstance(trees, int | np.integer) and not isinstance(trees, bool) and int(trees) >= 1

    def shares(self, estimator: Any) -> Hashable:
        return params_key_without(estimator, "n_estimators")

    def fit(self, estimators: Sequence[Any], X: Any, y: AnyArray, extra: dict[str, Any]) -> Any:
        return grow(estimators[0], max(int(estimator.n_estimators) for estimator in estimators), X, y, extra)

    def answers(
        self, fitted: Any, estimators: Sequence[Any], X: Any, responses: Sequence[str]
    ) -> list[ModelAnswer | None]:
        wanted = {int(estimator.n_estimators) for estimator in estimators}
        table, found = _as_trees_see_it(X), dict[int, ModelAnswer]()
        fitted.forest.estimators_[0].apply(table)  # looks for what trees refuse, on behalf of all
        for trees, total in _running_totals(fitted.trees, table):
            if trees in wanted:
                found[trees] = _mean_given(fitted.forest, total / trees, responses)
        return [found[int(estimator.n_estimators)] for estimator in estimators]


def _mean_given(forest: Any, mean: FloatArray, responses: Sequence[str]) -> ModelAnswer:
    if is_kind(forest, *CLASSIFIERS):
        return answer_of_probabilities(forest.classes_, mean, responses)
    return ModelAnswer(None, {"predict": mean[:, 0]})


def _running_totals(trees: Sequence[Any], table: Any) -> Iterator[tuple[int, FloatArray]]:
    total: Any = 0.0
    for count, tree in enumerate(trees, start=1):
        total = total + tree.predict(table)
        yield count, total


def _as_trees_see_it(X: Any) -> Any:
    """Single-precision numbers, converted once for all trees."""
    if hasattr(X, "tocsr"):
        return X.tocsr().astype(np.float32)
    return np.ascontiguousarray(np.asarray(X), dtype=np.float32)


SOLVERS = (FamilySolver(Forests(), is_light=True),)
