"""Final learners, which combine the predictions of others, and the model that a combination comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.learners.model import Fitting, respond
from foldwise.losses.loss import Loss
from foldwise.stats import simplex
from foldwise.studies.stacking import WEIGHTS, as_columns

PENALTIES = tuple(10.0**power for power in range(-4, 5))
REACH = 1.0  # times the targets' range, beyond its ends: as far as a blend believes a member


class WeightedMean(BaseEstimator):  # type: ignore[misc]
    """A mean of predictions, with weights that are not negative, sum to one and have the smallest loss.

    Its columns are the members' predictions or, with `classes`, their probabilities of all classes but the first.
    With `reach`, a prediction counts as at most that share of the targets' range beyond its ends: one member that is
    wild on one row cannot spoil the mean.

    >>> means = WeightedMean().fit(np.array([[0.0, 4.0], [1.0, 1.0]]), np.array([1.0, 1.0]))
    >>> means.weights_, means.predict(np.array([[2.0, 6.0]]))
    (array([0.75, 0.25]), array([3.]))
    """

    def __init__(
        self, *, classes: Any = None, score: str = "squared", quantile: float = 0.5, reach: float | None = None
    ) -> None:
        self.classes = classes
        self.score = score
        self.quantile = quantile
        self.reach = reach

    def fit(self, X: FloatArray, y: AnyArray, sample_weight: FloatArray | None = None) -> WeightedMean:
        """Find the weights; the rows are those of the target."""
        if self.classes is not None:
            self.classes_ = np.unique(self.classes)
        elif self.reach is not None:
            beyond = self.reach * (y.max() - y.min())
            self.range_ = (float(y.min() - beyond), float(y.max() + beyond))
            X = np.clip(X, *self.range_)
        if self.score == "pinball":
            self.weights_ = simplex.quantile(X, y, self.quantile, sample_weight)
        elif self.score == "log":
            shares, true = self._shares(X), self._codes(y)
            self.weights_ = simplex.mixture(shares[np.arange(len(y)), :, true], sample_weight)
        elif self.classes is not None:
            shares, true = self._shares(X), self._codes(y)
            aims = np.eye(len(self.classes))[true]
            weights = None if sample_weight is None else np.repeat(sample_weight, len(self.classes))
            self.weights_ = simplex.least_squares(
                np.moveaxis(shares, 1, 2).reshape(-1, shares.shape[1]), aims.ravel(), weights
            )
        else:
            self.weights_ = simplex.least_squares(X, y, sample_weight)
        return self

    def predict(self, X: FloatArray) -> AnyArray:
        if self.classes is None:
            ends = getattr(self, "range_", None)  # models of version 0.1 have none
            return np.asarray((X if ends is None else np.clip(X, *ends)) @ self.weights_)
        return np.asarray(self.classes_[np.argmax(self.predict_proba(X), axis=1)])

    def predict_proba(self, X: FloatArray) -> FloatArray:
        order = [list(self.classes).index(label) for label in self.classes_.tolist()]  # sorted, as everywhere else
        return np.asarray(np.einsum("rmc,m->rc", self._shares(X), self.weights_)[:, order])

    def _shares(self, X: FloatArray) -> FloatArray:
        """Probabilities[row, member, class], the first class being what the others leave."""
        others = np.asarray(X).reshape(len(X), -1, len(self.classes) - 1)
        return np.concatenate([np.maximum(1 - others.sum(axis=2, keepdims=True), 0.0), others], axis=2)

    def _codes(self, y: AnyArray) -> IntArray:
        place = {label: code for code, label in enumerate(self.classes)}
        return np.array([place[label] for label in np.asarray(y).tolist()], np.int64)


class CombinedModel(BaseEstimator):  # type: ignore[misc]
    """Fitted models and the final learner that combines what they answer.

    `fit` fits the models again on other rows, and combines them as before.
    """

    def __init__(self, models: Mapping[str, Any], final: Any, responses: Sequence[str], classes: Any = None) -> None:
        self.models = models
        self.final = final
        self.responses = responses
        self.classes = classes

    @property
    def weights_(self) -> dict[str, float]:
        """The weight of each model, where the final learner has such weights."""
        found = shown_weights(getattr(self.final, "estimator", self.final), len(self.models))
        return {} if found is None else dict(zip(self.models, found.tolist(), strict=True))

    @property
    def classes_(self) -> AnyArray:
        if self.classes is None:
            raise AttributeError("a regression has no classes")
        return np.asarray(self.final.classes_)

    def fit(self, X: Any, y: Any) -> CombinedModel:
        from sklearn.base import clone

        self.models = {name: clone(model).fit(X, y) for name, model in self.models.items()}
        return self

    def predict(self, X: Any) -> AnyArray:
        return np.asarray(self.final.predict(self._columns(X)))

    def __getattr__(self, name: str) -> Any:
        # Only a final learner that has them gives probabilities or decision values.
        if name not in ("predict_proba", "decision_function") or "final" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        answer = getattr(self.final, name)
        return lambda X: np.asarray(answer(self._columns(X)))

    def score(self, X: Any, y: Any) -> float:
        """The share of right answers, or R squared."""
        from sklearn.metrics import accuracy_score, r2_score

        return float((r2_score if self.classes is None else accuracy_score)(y, self.predict(X)))

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "regressor" if self.classes is None else "classifier"
        return tags

    def _columns(self, X: Any) -> FloatArray:
        pairs = zip(self.models.values(), self.responses, strict=True)
        return np.hstack([as_columns(self._in_order(model, name, X), name) for model, name in pairs])

    def _in_order(self, model: Any, name: str, X: Any) -> AnyArray:
        """What a model answers, one column per class in our order."""
        answer = np.asarray(getattr(model, name)(X))
        if self.classes is None:
            return answer.ravel()
        known = model.classes_.tolist()
        if answer.ndim == 1:
            return answer if known[1] == list(self.classes)[1] else -answer
        whole = np.zeros((len(answer), len(self.classes)))
        for code, label in enumerate(list(self.classes)):
            if label in known:
                whole[:, code] = answer[:, known.index(label)]
        return whole


def final_learner(combines: Literal["stack", "blend"], data: Dataset, loss: Loss) -> Any:
    """The final learner where none is given: weights on the simplex to blend, ridge or logistic regression to stack."""
    from sklearn.linear_model import LogisticRegression, RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if combines == "stack":
        if data.task == "regression":
            return make_pipeline(StandardScaler(), RidgeCV(PENALTIES))
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    if data.task == "regression":
        q = 0.5 if loss.name == "absolute" else loss.quantile
        given: dict[str, Any] = {} if q is None else {"score": "pinball", "quantile": q}
        return WeightedMean(reach=REACH, **given)
    return WeightedMean(classes=list(data.classes), score="log" if loss.name == "log" else "brier")


def fit_final(fitting: Fitting, data: Dataset, rows: IntArray, columns: FloatArray, seed: int) -> Any:
    """A final learner fitted on what its members predicted for these rows."""
    return fitting.fit(_level_one(data, rows, columns), np.arange(len(rows)), seed)


def respond_final(
    model: Any, data: Dataset, rows: IntArray, columns: FloatArray, responses: Sequence[str], members: int
) -> dict[str, AnyArray]:
    """The responses of a final learner for these rows, and the weights of the members, if it has any."""
    found = respond(model, _level_one(data, rows, columns), np.arange(len(rows)), responses)
    weights = shown_weights(model, members)
    return found if weights is None else {**found, WEIGHTS: np.tile(weights, (len(rows), 1))}


def shown_weights(model: Any, members: int) -> FloatArray | None:
    """How much each member counts in a linear final learner; None where there is no one number per member."""
    scale, last = 1.0, model
    if isinstance(steps := getattr(model, "steps", None), list):
        scaler, last = steps[0][1], steps[-1][1]
        if len(steps) != 2 or not hasattr(scaler, "scale_"):
            return None
        scale = scaler.scale_
    weights = getattr(last, "weights_", getattr(last, "coef_", None))
    if weights is None or np.size(weights) != members or np.ndim(weights) > 2:
        return None
    return np.asarray(np.ravel(weights) / scale, dtype=np.float64)


def _level_one(data: Dataset, rows: IntArray, columns: FloatArray) -> Dataset:
    """The members' predictions as a table of their own."""
    names = tuple(f"member {at}" for at in range(columns.shape[1]))
    return replace(
        data,
        X=columns,
        names=names,
        kinds=("number",) * len(names),
        y=data.y[rows],
        weights=None if data.weights is None else data.weights[rows],
        groups=None,
        time=None,
        strata=None,
    )
