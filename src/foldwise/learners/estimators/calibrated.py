"""Probabilities for classifiers that have none; loads scikit-learn, so import it only when it is used."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.stats.sigmoid import platt, sigmoid

Parts = list[tuple[IntArray, IntArray]]


class Calibrated(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """The classifier, its decision values turned into probabilities by a sigmoid (Platt, 1999).

    The sigmoid of each class is fitted to decision values of rows held out: stratified folds of the training rows,
    of whole groups where groups are given. The classifier itself is then fitted to all training rows. The label is the
    most probable class. A class too rare for folds leaves the training rows' own decision values, which are too sure.

    >>> from sklearn.svm import SVC
    >>> model = Calibrated(SVC()).fit(np.arange(12.0)[:, None], np.repeat(["a", "b"], 6))
    >>> model.predict(np.array([[0.0], [11.0]])).tolist()
    ['a', 'b']
    """

    def __init__(self, estimator: Any, folds: int = 3) -> None:
        self.estimator = estimator
        self.folds = folds

    def _validate_params(self) -> None:
        if isinstance(self.folds, bool) or not isinstance(self.folds, int | np.integer) or self.folds < 2:
            raise ValueError(f"The 'folds' parameter must be a whole number from 2 on. Got {self.folds!r}.")

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Calibrated:
        """Fit the sigmoids to rows held out, and the classifier to all rows."""
        self._validate_params()
        labels, codes = np.unique(np.asarray(y), return_inverse=True)
        weights = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        values = np.empty((len(codes), 1 if len(labels) == 2 else len(labels)))
        for train, test in held_out_parts(codes, self.folds, groups):
            values[test] = _columns(self._fitted(X, y, train, weights), _rows(X, test))
        self.estimator_ = self._fitted(X, y, None, weights)
        self.classes_, self.n_features_in_ = self.estimator_.classes_, X.shape[1]
        known = [1] if len(labels) == 2 else range(len(labels))
        found = [platt(values[:, at], codes == code, weights) for at, code in enumerate(known)]
        self.slopes_, self.offsets_ = np.array(found).T
        return self

    def _fitted(self, X: Any, y: Any, rows: IntArray | None, weights: FloatArray | None) -> Any:
        if rows is not None:
            X, y, weights = _rows(X, rows), np.asarray(y)[rows], None if weights is None else weights[rows]
        return clone(self.estimator).fit(X, y, **({} if weights is None else {"sample_weight": weights}))

    def predict(self, X: Any) -> AnyArray:
        """The most probable class."""
        return np.asarray(np.asarray(self.classes_)[np.argmax(self.predict_proba(X), axis=1)])

    def predict_proba(self, X: Any) -> FloatArray:
        """A column for each class; of several classes the sigmoids are scaled to sum to one."""
        check_is_fitted(self, "estimator_")
        found = sigmoid(_columns(self.estimator_, X) * self.slopes_ + self.offsets_)
        if len(self.classes_) == 2:
            return np.hstack([1.0 - found, found])
        total = found.sum(axis=1, keepdims=True)
        even = np.full_like(found, 1 / found.shape[1])
        return np.asarray(np.divide(found, total, out=even, where=total > 0))

    def decision_function(self, X: Any) -> AnyArray:
        """The decision values of the classifier itself."""
        check_is_fitted(self, "estimator_")
        return np.asarray(self.estimator_.decision_function(X))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimator_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own = get_tags(self.estimator)
        for name in ("classifier_tags", "target_tags", "input_tags"):
            setattr(tags, name, getattr(own, name))
        return tags


def held_out_parts(codes: IntArray, folds: int, groups: Any) -> Parts:
    """As many stratified folds, up to a number, as leave every class among the training rows of each.

    >>> [test.tolist() for _, test in held_out_parts(np.array([0, 0, 1, 1]), 3, None)]
    [[0, 2], [1, 3]]
    """
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    counts = np.bincount(codes)
    rarest = int(counts.min())
    most = rarest if groups is None else min(rarest, len(np.unique(groups)))
    for count in range(min(folds, most), 1, -1):
        maker = StratifiedKFold(count) if groups is None else StratifiedGroupKFold(count)
        parts = list(maker.split(np.zeros(len(codes)), codes, groups))
        if all(len(np.unique(codes[train])) == len(counts) and len(test) for train, test in parts):
            return parts
    every = np.arange(len(codes))
    return [(every, every)]


def _columns(model: Any, X: Any) -> FloatArray:
    """Decision values with a column for each class, or one column where there are two."""
    values = np.asarray(model.decision_function(X), np.float64)
    return values[:, None] if values.ndim == 1 else values


def _rows(X: Any, rows: IntArray) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
