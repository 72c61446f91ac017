"""A column that is empty in the training rows; loads scikit-learn, so import it only when it is used."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from foldwise.arrays import FloatArray


class EmptyColumnFiller(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Make columns without any training value zero, and leave every other missing value as it is.

    Histogram boosting learns from missing values, but cannot bin a column that has nothing else.

    >>> EmptyColumnFiller().fit([[np.nan, 1.0]]).transform([[5.0, np.nan]]).tolist()
    [[0.0, nan]]
    """

    is_empty_: Any

    def fit(self, X: Any, y: Any = None) -> EmptyColumnFiller:
        table = validate_data(self, X, dtype=np.float64, ensure_all_finite=False)
        self.is_empty_ = np.isnan(table).all(axis=0)
        return self

    def transform(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        table = validate_data(self, X, dtype=np.float64, ensure_all_finite=False, reset=False, copy=True)
        table[:, self.is_empty_] = 0.0
        return table  # type: ignore[no-any-return]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
