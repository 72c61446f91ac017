"""The seasonal naive forecast; loads scikit-learn, so import it only when it is used."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from foldwise.arrays import FloatArray, IntArray


class SeasonalNaive(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """The target one period earlier or, where that is no training row, the last one before it in the same season.

    `steps` are the places of the rows in time, whole numbers. Without them the rows that are fitted are in the order of
    time, one step each, and those that are predicted follow on them. Rows of one step share the mean of their targets;
    where there is no earlier row of the season, the mean of all training targets is predicted. The table is not used.

    >>> model = SeasonalNaive(period=3).fit(np.zeros((5, 1)), np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    >>> model.predict(np.zeros((4, 1))).tolist()
    [3.0, 4.0, 5.0, 3.0]
    """

    takes_steps = True

    def __init__(self, period: int = 1) -> None:
        self.period = period

    def _validate_params(self) -> None:
        if isinstance(self.period, bool) or not isinstance(self.period, int | np.integer) or self.period < 1:
            raise ValueError(f"The 'period' parameter must be a whole number from 1 on. Got {self.period!r}.")

    def fit(self, X: Any, y: Any, steps: IntArray | None = None) -> SeasonalNaive:
        """Keep the targets by their steps."""
        self._validate_params()
        target = np.asarray(y, np.float64)
        given = np.arange(len(target)) if steps is None else np.asarray(steps, np.int64)
        self.steps_, place = np.unique(given, return_inverse=True)
        self.values_ = np.bincount(place, weights=target) / np.bincount(place)
        self.mean_ = float(target.mean())
        return self

    def predict(self, X: Any, steps: IntArray | None = None) -> FloatArray:
        """The value of the season before, from training targets alone."""
        check_is_fitted(self, "steps_")
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        asked = self.steps_[-1] + 1 + np.arange(rows) if steps is None else np.asarray(steps, np.int64)
        made, is_open = np.full(rows, self.mean_), np.ones(rows, bool)
        sought = asked - self.period
        while (is_open & (sought >= self.steps_[0])).any():
            place = np.minimum(np.searchsorted(self.steps_, sought), len(self.steps_) - 1)
            is_found = is_open & (self.steps_[place] == sought)
            made[is_found] = self.values_[place[is_found]]
            is_open, sought = is_open & ~is_found, sought - self.period
        return made
