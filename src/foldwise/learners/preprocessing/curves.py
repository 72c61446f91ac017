"""Columns of numbers bent into smooth curves."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import SplineTransformer
from sklearn.utils.validation import check_is_fitted, validate_data

from foldwise.arrays import FloatArray

FEWEST = 4  # different values a column must have to be bent


class Curves(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Each column, and cubic splines of it with knots at its quantiles; columns of few values stay straight.

    Beyond the outer knots curves go on as straight lines.

    >>> Curves(n_knots=3).fit_transform(np.arange(8.0).reshape(-1, 1)).shape
    (8, 5)
    """

    def __init__(self, n_knots: int = 6) -> None:
        self.n_knots = n_knots

    def _validate_params(self) -> None:
        if not isinstance(self.n_knots, int | np.integer) or self.n_knots < 2:
            raise ValueError(f"The 'n_knots' parameter must be a whole number from 2 on. Got {self.n_knots!r}.")

    def fit(self, X: Any, y: Any = None) -> Curves:
        """Place the knots of every column at its quantiles, each place once."""
        self._validate_params()
        table = validate_data(self, X, dtype=np.float64)
        shares = np.linspace(0.0, 1.0, self.n_knots)
        self.knots_: list[FloatArray | None] = []
        for column in table.T:
            knots = np.unique(np.quantile(column, shares))
            self.knots_.append(knots if len(knots) >= 2 and len(np.unique(column)) >= FEWEST else None)
        return self

    def transform(self, X: Any) -> FloatArray:
        """The columns, and beside them their splines."""
        check_is_fitted(self, "knots_")
        table = validate_data(self, X, dtype=np.float64, reset=False)
        bent = [_bent(table[:, [at]], knots) for at, knots in enumerate(self.knots_) if knots is not None]
        return np.column_stack([table, *bent])


def _bent(column: FloatArray, knots: FloatArray) -> FloatArray:
    """Splines of one column; only the knots are learnt, so they alone are kept."""
    places = knots[:, None]
    splines = SplineTransformer(knots=places, degree=3, extrapolation="linear", include_bias=False).fit(places)
    return splines.transform(column)  # type: ignore[no-any-return]
