"""An honest learner that can be told to misbehave: where, how, and in which fits."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from faults import FAULTS, Moment
from foldwise.arrays import AnyArray, FloatArray


class Saboteur(BaseEstimator):
    """What the two saboteurs share: a ridge regression with the penalty `strength`, and a fault of `FAULTS` or None.

    A learner cannot see folds, so fits are chosen by their candidate (`at_strength`) and by the first column of their
    training rows: the fault happens only where all of `with_rows` and none of `without_rows` are trained on. Where the
    first column numbers the rows, `without_rows=(3,)` means the fits that hold row 3 out.
    """

    def __init__(
        self,
        strength: float = 1.0,
        *,
        fault: str | None = None,
        stage: str = "fit",
        at_strength: float | None = None,
        with_rows: tuple[float, ...] = (),
        without_rows: tuple[float, ...] = (),
        seconds: float = 600.0,
        megabytes: float = 1500.0,
    ) -> None:
        self.strength = strength
        self.fault = fault
        self.stage = stage
        self.at_strength = at_strength
        self.with_rows = with_rows
        self.without_rows = without_rows
        self.seconds = seconds
        self.megabytes = megabytes

    def _fit(self, X: Any, target: FloatArray) -> None:
        table = _numbers(X)
        self.n_features_in_ = table.shape[1]
        self.fault_ = FAULTS[self.fault] if self.fault is not None and self._is_meant(table) else None
        if self.stage == "fit":
            self._misbehave(X)
        self.center_, self.level_ = table.mean(axis=0), target.mean(axis=0)
        centred = table - self.center_
        penalty = self.strength * np.eye(table.shape[1])
        self.coef_ = np.linalg.solve(centred.T @ centred + penalty, centred.T @ (target - self.level_))

    def _values(self, X: Any) -> FloatArray:
        table = _numbers(X)
        if self.stage == "predict":
            self._misbehave(X)
        values: FloatArray = (table - self.center_) @ self.coef_ + self.level_
        return values

    def _misbehave(self, X: Any) -> None:
        if self.fault_ is not None and self.fault_.act is not None:
            self.fault_.act(Moment(self.seconds, self.megabytes, X))

    def _answer(self, response: str, answer: AnyArray) -> Any:
        if self.fault_ is None or self.fault_.spoil is None or response not in self.fault_.responses:
            return answer
        return self.fault_.spoil(answer)

    def _is_meant(self, table: FloatArray) -> bool:
        rows = table[:, 0]
        is_there = np.isin(self.with_rows, rows).all() and not np.isin(self.without_rows, rows).any()
        return bool(is_there) and self.at_strength in (None, self.strength)


class SaboteurRegressor(RegressorMixin, Saboteur):
    """Ridge regression, or the named fault."""

    def fit(self, X: Any, y: Any) -> SaboteurRegressor:
        self._fit(X, np.asarray(y, dtype=float))
        return self

    def predict(self, X: Any) -> Any:
        return self._answer("predict", self._values(X))


class SaboteurClassifier(ClassifierMixin, Saboteur):
    """Ridge regression on the classes, its values made probabilities, or the named fault."""

    def fit(self, X: Any, y: Any) -> SaboteurClassifier:
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self._fit(X, np.eye(self.classes_.size)[codes])
        return self

    def predict(self, X: Any) -> Any:
        return self._answer("predict", self.classes_[self._values(X).argmax(axis=1)])

    def predict_proba(self, X: Any) -> Any:
        values = np.exp(self._values(X))
        return self._answer("predict_proba", values / values.sum(axis=1, keepdims=True))


def _numbers(X: Any) -> FloatArray:
    """A copy of the table, which the fault may spoil."""
    return np.array(X.toarray() if hasattr(X, "toarray") else X, dtype=float, order="C")
