"""An honest learner that can be told to misbehave: where, how, and in which fits."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from foldwise.arrays import AnyArray, FloatArray
from foldwise.errors import BadLearner, nearest
from foldwise.testing.faults import FAULTS, Fault, Moment

STAGES = ("fit", "predict")


class Saboteur(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What the two saboteurs share: the knobs, and a ridge fit with the penalty `strength`.

    `fault` names one of `FAULTS`; None is an honest learner, and the numbers of a fault with
    the status "ok" are the same. `stage` is "fit" or "predict".

    A learner cannot see folds, so fits are chosen by what they are made of: by the candidate
    (`at_strength`), and by the training rows, told by their first column. The fault happens only
    where all of `with_rows` and none of `without_rows` are trained on; where the first column
    numbers the rows, `without_rows=(3,)` means the fits that hold row 3 out.

    `strength`: the penalty.
    `fault`: a name.
    `stage`: when it happens.
    `at_strength`: at this candidate only.
    `with_rows`, `without_rows`: values of the first column.
    `seconds`: how long a fault that hangs does so.
    `megabytes`: what one that eats memory takes.

    >>> from foldwise.testing import FAULTS
    >>> "exception" in FAULTS
    True
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
        self.fault_ = self._fault() if self._is_meant(table) else None
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

    def _fault(self) -> Fault | None:
        if self.stage not in STAGES:
            raise BadLearner(f"a saboteur has no stage {self.stage!r}", nearest(self.stage, STAGES))
        if self.fault is not None and self.fault not in FAULTS:
            raise BadLearner(f"a saboteur has no fault {self.fault!r}", nearest(self.fault, FAULTS))
        return FAULTS[self.fault] if self.fault is not None else None

    def _is_meant(self, table: FloatArray) -> bool:
        rows = table[:, 0]
        is_there = np.isin(self.with_rows, rows).all() and not np.isin(self.without_rows, rows).any()
        return bool(is_there) and self.at_strength in (None, self.strength)


class SaboteurRegressor(RegressorMixin, Saboteur):  # type: ignore[misc]
    """Ridge regression, or the named fault.

    `strength`, `fault`, `stage`, `at_strength`, `with_rows`, `without_rows`, `seconds`, `megabytes`: as in
    `Saboteur`.

    >>> SaboteurRegressor(fault="exception").fit([[0.0], [1.0]], [0.0, 1.0])
    Traceback (most recent call last):
    ValueError: the saboteur was here
    """

    def fit(self, X: Any, y: Any) -> SaboteurRegressor:
        self._fit(X, np.asarray(y, dtype=float))
        return self

    def predict(self, X: Any) -> Any:
        return self._answer("predict", self._values(X))


class SaboteurClassifier(ClassifierMixin, Saboteur):  # type: ignore[misc]
    """Ridge regression on the classes, its values made probabilities, or the named fault.

    `strength`, `fault`, `stage`, `at_strength`, `with_rows`, `without_rows`, `seconds`, `megabytes`: as in
    `Saboteur`.

    >>> SaboteurClassifier(fault=None).fit([[0.0], [1.0]], ["a", "b"]).predict([[0.0], [1.0]]).tolist()
    ['a', 'b']
    """

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
