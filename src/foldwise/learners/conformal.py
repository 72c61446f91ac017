"""Models that say how sure one prediction is: a model with those of the outer folds beside it.

`stats/cv_plus.py` has the arithmetic. The folds' models meet new rows through the same door as the model itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if

from foldwise.arrays import AnyArray, FloatArray
from foldwise.errors import BadInterval, BadLearner, InvalidOutput
from foldwise.stats.cv_plus import HeldOut, check_level, cross_conformal, cv_plus, proved_coverage

if TYPE_CHECKING:
    import pandas as pd


def _answers(name: str) -> Any:
    """A method that is there if the model has it."""
    return available_if(lambda outer: hasattr(outer.model, name))


class ConformalModel(BaseEstimator):
    """A fitted model, those that each left one outer fold out, and how far off these were on what they left out.

    All it is asked goes to `model`, but for intervals and sets. `scores[fold]` has a number for each row held out,
    `masses[fold]` how much each counts (None: all alike), `unit_counts[fold]` its rows, or its groups.
    """

    def __init__(
        self,
        model: Any,
        fold_models: Sequence[Any],
        scores: Sequence[FloatArray],
        masses: Sequence[FloatArray] | None,
        unit_counts: Sequence[int],
        unit: str = "row",
    ) -> None:
        self.model = model
        self.fold_models = fold_models
        self.scores = scores
        self.masses = masses
        self.unit_counts = unit_counts
        self.unit = unit

    def proved_coverage(self, level: float = 0.9) -> float:
        """The coverage that is proved at this level, whatever the data, if the same rows did not choose the method."""
        held = self._held
        return proved_coverage(check_level(level, held.units, held.unit), list(self.unit_counts))

    @property
    def _held(self) -> HeldOut:
        return HeldOut(list(self.scores), self.masses, int(sum(self.unit_counts)), self.unit)

    def fit(self, X: Any, y: Any = None) -> Any:
        raise BadLearner(
            f"{self!r} is the end of a study and cannot be fitted again", "Use result.refit(intervals=True)"
        )

    def predict(self, X: Any) -> Any:
        return self.model.predict(X)

    @_answers("predict_proba")
    def predict_proba(self, X: Any) -> Any:
        return self.model.predict_proba(X)

    @_answers("predict_log_proba")
    def predict_log_proba(self, X: Any) -> Any:
        return self.model.predict_log_proba(X)

    @_answers("decision_function")
    def decision_function(self, X: Any) -> Any:
        return self.model.decision_function(X)

    @_answers("score")
    def score(self, X: Any, y: Any) -> Any:
        return self.model.score(X, y)

    @property
    def classes_(self) -> Any:
        return self.model.classes_

    @property
    def n_features_in_(self) -> Any:
        return self.model.n_features_in_

    @property
    def feature_names_in_(self) -> Any:
        return self.model.feature_names_in_

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        return get_tags(self.model)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return f"{type(self).__name__}({self.model!r}, folds={len(self.fold_models)})"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self)}  # the picture of K models would fill the screen


class IntervalModel(ConformalModel):
    """A model of numbers that gives intervals for single rows; `result.refit(intervals=True)` makes it.

    >>> from sklearn.dummy import DummyRegressor
    >>> model = DummyRegressor(constant=1.0, strategy="constant").fit([[0]], [0])
    >>> IntervalModel(model, [model], [np.array([0.1, 0.2, 0.4])], None, [3]).predict_interval([[5]], level=0.75)
       low  high
    0  0.6   1.4
    """

    def predict_interval(self, X: Any, level: float = 0.9) -> pd.DataFrame:
        """An interval for each row of `X`: columns `low` and `high`.

        By CV+: the target of a new row lies in it with a probability of about `level`, over new tables and rows; proved
        is `proved_coverage(level)`. It is made of the folds' models, so it need not lie evenly about `predict(X)`.
        """
        import pandas as pd

        check_level(level, self._held.units, self.unit)  # before anything is predicted
        columns = [_numbers(model.predict(X)) for model in self.fold_models]
        low, high = cv_plus(np.column_stack(columns), self._held, level)
        return pd.DataFrame({"low": low, "high": high}, index=_index(X))

    def predict_set(self, X: Any, level: float = 0.9) -> Any:
        raise BadInterval("a model of numbers has intervals, not sets", "Use predict_interval(X)")


class SetModel(ConformalModel):
    """A model of classes that gives a set of classes for single rows; `result.refit(intervals=True)` makes it.

    `response`: what the scores are made of, "predict_proba" or "decision_function".
    """

    def __init__(
        self,
        model: Any,
        fold_models: Sequence[Any],
        scores: Sequence[FloatArray],
        masses: Sequence[FloatArray] | None,
        unit_counts: Sequence[int],
        unit: str = "row",
        response: str = "predict_proba",
    ) -> None:
        super().__init__(model, fold_models, scores, masses, unit_counts, unit)
        self.response = response

    def predict_set(self, X: Any, level: float = 0.9) -> pd.DataFrame:
        """Which classes each row of `X` may have: a column for each class, True where it is in the row's set.

        By cross-conformal prediction: the class of a new row is in the set with a probability of about `level`, over
        new tables and rows; proved is `proved_coverage(level)`. The predicted class is always in it.
        """
        import pandas as pd

        check_level(level, self._held.units, self.unit)
        classes = np.asarray(self.model.classes_)
        scores = [class_scores(model, self.response, X, classes) for model in self.fold_models]
        found = cross_conformal(np.stack(scores, axis=1), self._held, level)
        found |= np.asarray(self.model.predict(X))[:, None] == classes
        return pd.DataFrame(found, columns=classes.tolist(), index=_index(X))

    def predict_interval(self, X: Any, level: float = 0.9) -> Any:
        raise BadInterval("a model of classes has sets, not intervals", "Use predict_set(X)")


def class_scores(model: Any, response: str, X: Any, classes: AnyArray) -> FloatArray:
    """How strange each class is to a model, `scores[row, class]`: 1 - its probability, or its decision value negated.

    A class that the model has not met is the strangest.
    """
    ask = model.predict_proba if response == "predict_proba" else model.decision_function
    answer = np.asarray(ask(X), dtype=np.float64)
    known = np.asarray(model.classes_).tolist()
    if answer.ndim == 1:
        answer = np.column_stack([-answer, answer])
    if answer.shape[1] != len(known) or np.isnan(answer).any():
        raise InvalidOutput(f"{type(model).__name__}.{response} gave no number for each of {len(known)} classes")
    found = np.full((len(answer), len(classes)), 1.0 if response == "predict_proba" else np.inf)
    for place, label in enumerate(classes.tolist()):
        if label in known:
            own = answer[:, known.index(label)]
            found[:, place] = 1.0 - own if response == "predict_proba" else -own
    return found


def _numbers(answer: Any) -> FloatArray:
    values = np.asarray(answer, dtype=np.float64).ravel()
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise InvalidOutput(f"a fold's model predicts {values[row]} for row {row}")
    return values


def _index(X: Any) -> Any:
    """The labels of the rows, where they have some."""
    return X.index if hasattr(X, "index") and not callable(X.index) else None
