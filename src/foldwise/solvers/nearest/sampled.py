"""k-nearest neighbours that learn from a sample of the rows: one search of the sample answers every k."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray
from foldwise.data.dataset import Dataset
from foldwise.learners.sample import RowSample
from foldwise.solvers.family import FamilySolver, Given, given_by
from foldwise.solvers.steps import params_key

SHARED = ("n_neighbors", "weights")  # what one search answers all values of


class SampledNeighbours:
    """A sample of the built-in nearest neighbours, whose ties are broken by the order of rows.

    The search over all rows of a table (`neighbours.py`) would have to look far for the few rows of a sample.
    """

    name = "k-nn of a sample"
    is_exact = True

    def takes(self, estimator: Any, data: Dataset) -> bool:
        from foldwise.learners.estimators.nearest import NearestClassifier, NearestRegressor

        if type(estimator) is not RowSample or type(estimator.estimator) not in (NearestClassifier, NearestRegressor):
            return False
        final = estimator.estimator
        is_count = isinstance(final.n_neighbors, int | np.integer) and bool(final.n_neighbors >= 1)
        return is_count and final.weights in ("uniform", "distance")

    def shares(self, estimator: Any) -> Hashable:
        return params_key(_with(estimator, n_neighbors=1, weights="uniform"))

    def fit(self, estimators: Sequence[Any], X: Any, y: AnyArray, extra: dict[str, Any]) -> Any:
        most = max(one.estimator.n_neighbors for one in estimators)
        return _with(estimators[0], n_neighbors=most).fit(X, y, **extra)

    def answers(self, fitted: Any, estimators: Sequence[Any], X: Any, responses: Sequence[str]) -> list[Given | None]:
        model = fitted.estimator_
        found = model.kneighbors(X)
        return [
            given_by(_looked_up(model, found, {name: getattr(one.estimator, name) for name in SHARED}), X, responses)
            for one in estimators
        ]


def _with(sampled: RowSample, **parameters: Any) -> Any:
    from sklearn.base import clone

    return clone(sampled).set_params(**{f"estimator__{name}": value for name, value in parameters.items()})


def _looked_up(model: Any, found: tuple[AnyArray, AnyArray], parameters: dict[str, Any]) -> Any:
    """The model with fewer neighbours, which are the first of those found for the rows it will be asked."""
    made = copy.copy(model).set_params(**parameters)
    distance, near = (part[:, : made.n_neighbors] for part in found)
    made.kneighbors = lambda X, return_distance=True: (distance, near) if return_distance else near
    return made


SOLVERS = (FamilySolver(SampledNeighbours()),)
