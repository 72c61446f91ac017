"""Pipelines with principal components: the first k of the largest decomposition are those of k components."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.family import FamilySolver, ModelAnswers, answer_of, quiet
from foldwise.solvers.steps import Parts, copied, is_kind, params_key, params_key_without, take_apart


@dataclass(frozen=True, eq=False)
class Decomposed:
    """A training set decomposed once: the largest PCA, its scores, and the models on the first k of them."""

    pca: Any
    models: dict[Hashable, Any] = field(default_factory=dict)

    def first(self, count: int) -> Any:
        """The PCA of fewer components, with the numbers it would have come to itself."""
        small = copy(self.pca)
        small.n_components = small.n_components_ = count
        for name in ("components_", "explained_variance_"):
            setattr(small, name, np.array(getattr(self.pca, name)[:count]))
        return small

    def training_scores(self, X: Any, scores: Any, count: int, way: str | None) -> Any:
        """The full decomposition has the scores of the training rows at hand, the other one projects the rows."""
        return scores[:, :count].copy(order="K") if way == "full" else self.first(count).transform(X)


@dataclass(frozen=True)
class Components:
    """The estimator is a pipeline of a PCA and the learner behind it."""

    name: str = "principal components"
    is_exact: bool = True

    def takes(self, estimator: Any, data: Dataset) -> bool:
        pca, count = estimator.steps[0][1], estimator.steps[0][1].n_components
        if not pca.copy or hasattr(data.X, "tocsr") or pca.svd_solver not in ("auto", "full", "covariance_eigh"):
            return False
        if not isinstance(count, int | np.integer) or isinstance(count, bool) or count < 1:
            return False
        # judged by half the rows, as a training set will have at least so many
        return pca.svd_solver != "auto" or _way(pca, (data.rows // 2, data.columns), int(count)) is not None

    def shares(self, estimator: Any) -> Hashable:
        return params_key_without(estimator.steps[0][1], "n_components")

    def fit(self, estimators: Sequence[Any], X: Any, y: AnyArray, extra: dict[str, Any]) -> Decomposed:
        from sklearn.base import clone

        one = estimators[0].steps[0][1]
        if hasattr(X, "tocsr"):
            raise TypeError("sparse tables are decomposed in another way")
        counts = {count for count in map(_count, estimators) if _way(one, X.shape, count)}
        way = _way(one, X.shape, max(counts))
        pca = clone(one).set_params(n_components=max(counts), svd_solver=way)
        scores = pca.fit_transform(copied(X))
        parts = Decomposed(pca)
        keywords = {name.removeprefix("learner__"): values for name, values in extra.items()}
        for estimator in estimators:
            if _count(estimator) in counts and params_key(estimator) not in parts.models:
                table = parts.training_scores(X, scores, _count(estimator), way)
                with quiet() as trouble:
                    model = clone(estimator.steps[1][1]).fit(table, y, **keywords)
                if trouble:
                    break  # the plain loop says why, and does the rest too
                parts.models[params_key(estimator)] = model
        return parts

    def answers(self, fitted: Decomposed, estimators: Sequence[Any], X: Any, responses: Sequence[str]) -> ModelAnswers:
        tables: dict[int, Any] = {}
        given: ModelAnswers = []
        for estimator in estimators:
            model, count = fitted.models.get(params_key(estimator)), _count(estimator)
            if model is not None and count not in tables:
                tables[count] = fitted.first(count).transform(X)
            given.append(None if model is None else answer_of(model, copied(tables[count]), responses))
        return given


def apart_at_components(estimator: Any) -> Parts | None:
    """The steps before the PCA, and a pipeline of the PCA and all that comes after it."""
    from sklearn.pipeline import Pipeline

    parts = take_apart(estimator)
    places = [] if parts is None else [at for at, (_, step) in enumerate(parts.steps) if is_kind(step, "PCA")]
    if parts is None or len(places) != 1:
        return None
    before, pca, between = parts.steps[: places[0]], parts.steps[places[0]][1], parts.steps[places[0] + 1 :]
    learner = Pipeline([*between, ("learner", parts.estimator)]) if between else parts.estimator
    return Parts(before, parts.target, Pipeline([("pca", pca), ("learner", learner)]))


def _count(estimator: Any) -> int:
    return int(estimator.steps[0][1].n_components)


def _way(pca: Any, shape: tuple[int, int], count: int) -> str | None:
    """How scikit-learn would decompose; None where it draws random numbers or refuses."""
    rows, columns = shape
    if count > min(shape):
        return None
    if pca.svd_solver != "auto":
        return str(pca.svd_solver)
    if columns <= 1_000 and rows >= 10 * columns:
        return "covariance_eigh"
    return "full" if max(shape) <= 500 or count >= 0.8 * min(shape) else None


SOLVERS = (FamilySolver(Components(), apart=apart_at_components),)
