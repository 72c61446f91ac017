"""A learner that cannot take many rows learns from a sample of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from foldwise.arrays import AnyArray, IntArray


def _has(name: str) -> Any:
    def check(sampled: RowSample) -> bool:
        return hasattr(getattr(sampled, "estimator_", sampled.estimator), name)

    return available_if(check)


class RowSample(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """The estimator, fitted to at most `max_rows` rows drawn at random, classes in their proportions.

    >>> from sklearn.dummy import DummyRegressor
    >>> model = RowSample(DummyRegressor(), max_rows=2, random_state=0).fit(np.zeros((9, 1)), np.arange(9.0))
    >>> model.rows_
    2
    """

    def __init__(self, estimator: Any, max_rows: int = 2_000, random_state: Any = None) -> None:
        self.estimator = estimator
        self.max_rows = max_rows
        self.random_state = random_state

    def _validate_params(self) -> None:
        if not isinstance(self.max_rows, int | np.integer) or self.max_rows < 1:
            raise ValueError(f"The 'max_rows' parameter must be a whole number from 1 on. Got {self.max_rows!r}.")

    def fit(self, X: Any, y: Any, **roles: Any) -> RowSample:
        """Fit a copy of the estimator to the sample, and to its weights where there are some."""
        self._validate_params()
        rows = np.arange(len(y))
        if len(y) > self.max_rows:
            kinds = np.asarray(y) if is_classifier(self.estimator) else np.zeros(len(y))
            rows = draw_rows(kinds, self.max_rows, check_random_state(self.random_state))
        roles = {name: np.asarray(value)[rows] for name, value in roles.items() if value is not None}
        table = X.iloc[rows] if hasattr(X, "iloc") else X[rows]
        self.estimator_ = clone(self.estimator).fit(table, np.asarray(y)[rows], **roles)
        self.rows_ = len(rows)
        for name in ("classes_", "n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def predict(self, X: Any) -> Any:
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict(X)

    @_has("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict_proba(X)

    @_has("decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        check_is_fitted(self, "estimator_")
        return self.estimator_.decision_function(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own = get_tags(self.estimator)
        for name in ("estimator_type", "classifier_tags", "regressor_tags", "target_tags", "input_tags"):
            setattr(tags, name, getattr(own, name))
        return tags


def sampled_rows(estimator: Any) -> int | None:
    """How many rows a learner samples, as it is or at the end of a pipeline; None where it takes all."""
    steps = getattr(estimator, "steps", None)
    last = steps[-1][1] if isinstance(steps, list) and steps else estimator
    return int(last.max_rows) if isinstance(last, RowSample) else None


def draw_rows(kinds: AnyArray, count: int, rng: Any) -> IntArray:
    """So many rows in data order, each kind in its proportion and with at least one.

    >>> draw_rows(np.array([0] * 8 + [1]), 3, np.random.RandomState(0))[-1]
    np.int64(8)
    """
    order = rng.permutation(len(kinds))
    place = np.empty(len(kinds))
    for kind in np.unique(kinds):
        own = order[kinds[order] == kind]
        place[own] = (np.arange(len(own)) + 0.5) / len(own)
        place[own[0]] = -1.0
    chosen = order[np.argsort(place[order], kind="stable")[:count]]
    return np.sort(chosen).astype(np.int64)
