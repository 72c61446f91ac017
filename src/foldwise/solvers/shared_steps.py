"""Any estimator behind the steps of a pipeline: the steps are fitted once per training set."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from foldwise.arrays import AnyArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.family import FamilySolver, ModelAnswers, answer_of
from foldwise.solvers.steps import copied, params_key


class Anything:
    """Estimators fitted one by one, as the plain loop does it, on a table that is prepared once."""

    name = "shared steps"
    is_exact = True

    def takes(self, estimator: Any, data: Dataset) -> bool:
        return hasattr(estimator, "fit")

    def shares(self, estimator: Any) -> Hashable:
        return params_key(estimator)

    def fit(self, estimators: Sequence[Any], X: Any, y: AnyArray, extra: dict[str, Any]) -> Any:
        from sklearn.base import clone

        return clone(estimators[0]).fit(X, y, **extra)

    def answers(self, fitted: Any, estimators: Sequence[Any], X: Any, responses: Sequence[str]) -> ModelAnswers:
        return [answer_of(fitted, copied(X), responses)] * len(estimators)


SOLVERS = (FamilySolver(Anything(), needs_steps=True),)
