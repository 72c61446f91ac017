"""Forests: the first T trees of a forest are the forest of T trees with the same seed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.family import FamilySolver, Given, probabilities_given
from foldwise.solvers.steps import is_kind, params_key_without

CLASSIFIERS = ("RandomForestClassifier", "ExtraTreesClassifier")
REGRESSORS = ("RandomForestRegressor", "ExtraTreesRegressor")

TREES = ("DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor")


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
        from sklearn.base import clone

        largest = clone(estimators[0]).set_params(n_estimators=max(estimator.n_estimators for estimator in estimators))
        if is_kind(getattr(largest, "estimator", None), *TREES):
            kind: Any = type(largest.estimator)
            largest.estimator = _light(kind)()
        return largest.fit(X, y, **extra)

    def answers(self, fitted: Any, estimators: Sequence[Any], X: Any, responses: Sequence[str]) -> list[Given | None]:
        wanted = {int(estimator.n_estimators) for estimator in estimators}
        method = "predict_proba" if is_kind(fitted, *CLASSIFIERS) else "predict"
        found: dict[int, Given] = {}
        for trees, total in _running_totals(fitted.estimators_, _as_trees_see_it(X), method):
            if trees in wanted:
                found[trees] = _mean_given(fitted, total / trees, responses)
        return [found[int(estimator.n_estimators)] for estimator in estimators]


@cache
def _light(kind: Any) -> Any:
    """The same tree, which knows the names of its parameters: a forest asks every tree for them, again and again."""
    names = tuple(kind().get_params())

    class Light(kind):  # type: ignore[misc]
        def get_params(self, deep: bool = True) -> dict[str, Any]:
            return {name: getattr(self, name) for name in names}

        def set_params(self, **parameters: Any) -> Any:
            for name, value in parameters.items():
                setattr(self, name, value)
            return self

        def __sklearn_clone__(self) -> Any:
            return type(self)(**self.get_params())

    return Light


def _mean_given(forest: Any, mean: FloatArray, responses: Sequence[str]) -> Given:
    if is_kind(forest, *CLASSIFIERS):
        return probabilities_given(forest.classes_, mean, responses)
    return Given(None, {"predict": mean})


def _running_totals(trees: Sequence[Any], table: Any, method: str) -> Iterator[tuple[int, FloatArray]]:
    total: Any = 0.0
    for count, tree in enumerate(trees, start=1):
        # the first tree looks for what trees refuse, on behalf of all
        total = total + getattr(tree, method)(table, check_input=count == 1)
        yield count, total


def _as_trees_see_it(X: Any) -> Any:
    """Single-precision numbers, converted once for all trees."""
    if hasattr(X, "tocsr"):
        return X.tocsr().astype(np.float32)
    return np.ascontiguousarray(np.asarray(X), dtype=np.float32)


SOLVERS = (FamilySolver(Forests()),)
