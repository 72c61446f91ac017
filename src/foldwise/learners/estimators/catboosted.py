"""CatBoost as a plain scikit-learn estimator: silent, on one thread, and without files of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from foldwise.arrays import AnyArray

NEEDS = "catboost"  # imported when it is fitted; its version is part of what a store rests on


class _CatBoosted(BaseEstimator):  # type: ignore[misc]
    """What both share; CatBoost gets columns of text or categories as such."""

    _kind = ""

    def __init__(
        self,
        iterations: int = 100,
        learning_rate: float = 0.1,
        depth: int = 6,
        l2_leaf_reg: float = 3.0,
        random_state: Any = None,
    ) -> None:
        self.iterations = iterations
        self.learning_rate = learning_rate
        self.depth = depth
        self.l2_leaf_reg = l2_leaf_reg
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Grow the trees."""
        self._validate_params()
        import catboost

        self.n_features_in_ = X.shape[1]
        self.model_ = getattr(catboost, self._kind)(
            **self._parameters(), thread_count=1, allow_writing_files=False, logging_level="Silent"
        )
        self.mean_ = None
        try:
            self.model_.fit(X, np.asarray(y), sample_weight=sample_weight, cat_features=_categories(X))
        except catboost.CatBoostError as problem:
            if "features are either constant or ignored" not in str(problem):
                raise
            # There is nothing to split on, which CatBoost takes for a mistake.
            self.mean_ = np.atleast_1d(np.average(self._aims(np.asarray(y)), axis=0, weights=sample_weight))
        return self

    def _validate_params(self) -> None:
        for name in ("iterations", "learning_rate", "depth", "l2_leaf_reg"):
            value, most = getattr(self, name), {"depth": 16, "learning_rate": 1}.get(name, np.inf)
            kind = int | np.integer if name in ("iterations", "depth") else int | float | np.number
            if isinstance(value, bool) or not isinstance(value, kind) or not 0 < value <= most:
                words = "a whole number" if name in ("iterations", "depth") else "a number"
                top = "" if np.isinf(most) else f" and at most {most}"
                raise ValueError(f"The '{name}' parameter must be {words} above 0{top}. Got {value!r}.")

    def _parameters(self) -> dict[str, Any]:
        values = self.get_params(deep=False)
        values["random_seed"] = values.pop("random_state")
        return {name: value for name, value in values.items() if value is not None}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


class CatBoostedRegressor(RegressorMixin, _CatBoosted):  # type: ignore[misc]
    """Boosted symmetric trees for numbers."""

    _kind = "CatBoostRegressor"

    def predict(self, X: Any, rounds: int = 0) -> AnyArray:
        """Predictions of the first `rounds` trees, or of all."""
        check_is_fitted(self)
        if self.mean_ is not None:
            return np.repeat(self.mean_, X.shape[0])
        return np.asarray(self.model_.predict(X, ntree_end=rounds, thread_count=1))

    def _aims(self, y: AnyArray) -> AnyArray:
        return y


class CatBoostedClassifier(ClassifierMixin, _CatBoosted):  # type: ignore[misc]
    """Boosted symmetric trees for classes."""

    _kind = "CatBoostClassifier"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Grow the trees on the places of the classes."""
        self.classes_, places = np.unique(np.asarray(y), return_inverse=True)
        return super().fit(X, places, sample_weight)

    def predict_proba(self, X: Any, rounds: int = 0) -> AnyArray:
        """Probabilities of the first `rounds` trees, or of all."""
        check_is_fitted(self)
        if self.mean_ is not None:
            return np.tile(self.mean_, (X.shape[0], 1))
        return np.asarray(self.model_.predict_proba(X, ntree_end=rounds, thread_count=1))

    def _aims(self, y: AnyArray) -> AnyArray:
        return np.asarray(np.eye(len(self.classes_))[y])

    def predict(self, X: Any, rounds: int = 0) -> AnyArray:
        """The most probable class."""
        best = np.argmax(self.predict_proba(X, rounds), axis=1)
        return np.asarray(np.asarray(self.classes_)[best])


def _categories(X: Any) -> list[int]:
    """Places of the columns that hold no numbers."""
    if not hasattr(X, "dtypes"):
        return []
    return [at for at, kind in enumerate(X.dtypes) if getattr(kind, "kind", "O") not in "biuf"]
