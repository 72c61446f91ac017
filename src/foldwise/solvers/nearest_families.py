"""k-nearest neighbours as families: behind steps that learn from each training set, and of a sample of the rows."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.data.dataset import Dataset
from foldwise.learners.sample import RowSample
from foldwise.solvers.family import FamilySolver, ModelAnswer, ModelAnswers, answer_of
from foldwise.solvers.nearest import NeighboursSolver, is_known
from foldwise.solvers.scaling import numbers
from foldwise.solvers.solver import FitRequest
from foldwise.solvers.steps import params_key

SHARED = ("n_neighbors", "weights")  # what one search answers all values of


class PreparedNeighbours:
    """Nearest neighbours in the table that the steps make of each training set.

    Steps that do more than scale (missing values, categories, dates) learn something else from every training set. No
    other solver has such a twin: only what the training rows alone decide to the last bit may be worked out on a
    table with the rows asked for below them.
    """

    name = "k-nn behind steps"
    is_exact = True

    def takes(self, estimator: Any, data: Dataset) -> bool:
        return is_known(estimator, data.task)

    def shares(self, estimator: Any) -> Hashable:
        return NeighboursSolver().shares(estimator)

    def fit(self, estimators: Sequence[Any], X: Any, y: AnyArray, extra: dict[str, Any]) -> tuple[FloatArray, AnyArray]:
        if not isinstance(X, np.ndarray) or X.ndim != 2:
            raise TypeError("the steps make no dense table")
        return X, y

    def answers(
        self, fitted: tuple[FloatArray, AnyArray], estimators: Sequence[Any], X: Any, responses: Sequence[str]
    ) -> ModelAnswers:
        learnt, y = fitted
        is_regression = is_known(estimators[0], "regression")
        classes, values = (None, y) if is_regression else np.unique(y, return_inverse=True)
        table = _table(np.concatenate([learnt, X]), np.concatenate([values, np.repeat(values[:1], len(X))]), classes)
        if numbers(table) is None:
            raise TypeError("the steps make no finite numbers")
        train, rows = np.arange(len(y)), np.arange(len(y), table.rows)
        answers: ModelAnswers = [None] * len(estimators)
        request = FitRequest(tuple(estimators), train, rows, tuple(responses))
        for _, places, arrays in NeighboursSolver().solve([request], table):
            if classes is not None and "predict" in arrays:
                arrays["predict"] = classes[arrays["predict"]]
            for at, place in enumerate(places):
                answers[place] = ModelAnswer(classes, {name: values[at] for name, values in arrays.items()})
        return answers


def _table(X: FloatArray, y: AnyArray, classes: AnyArray | None) -> Dataset:
    names = tuple(f"column {at}" for at in range(X.shape[1]))
    task, labels = ("regression", ()) if classes is None else ("classification", tuple(range(len(classes))))
    kinds = ("number",) * len(names)
    return Dataset(X, names, kinds, y, task, labels, None, None, None, None, fingerprint="")


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
        most = max(sampled.estimator.n_neighbors for sampled in estimators)
        return _with(estimators[0], n_neighbors=most).fit(X, y, **extra)

    def answers(self, fitted: Any, estimators: Sequence[Any], X: Any, responses: Sequence[str]) -> ModelAnswers:
        neighbours = fitted.estimator_.kneighbors(X)
        shared = [{name: getattr(sampled.estimator, name) for name in SHARED} for sampled in estimators]
        return [answer_of(_looked_up(fitted.estimator_, neighbours, own), X, responses) for own in shared]


def _with(sampled: RowSample, **parameters: Any) -> Any:
    from sklearn.base import clone

    return clone(sampled).set_params(**{f"estimator__{name}": value for name, value in parameters.items()})


def _looked_up(model: Any, neighbours: tuple[AnyArray, AnyArray], parameters: dict[str, Any]) -> Any:
    """The model with fewer neighbours, which are the first of those found for the rows it will be asked."""
    fewer = copy.copy(model).set_params(**parameters)
    distance, near = (part[:, : fewer.n_neighbors] for part in neighbours)
    fewer.kneighbors = lambda X, return_distance=True: (distance, near) if return_distance else near
    return fewer


SOLVERS = (
    FamilySolver(SampledNeighbours()),
    FamilySolver(PreparedNeighbours(), needs_steps=True, is_light=True),  # one fit made again has the same digits
)
