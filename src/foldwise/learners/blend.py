"""A learner made of learners: a weighted mean of what its members predict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.errors import BadLearner
from foldwise.learners.answering import AnswersByModel
from foldwise.learners.model import Fitting, respond
from foldwise.learners.named import Named
from foldwise.losses.loss import Loss
from foldwise.stats import simplex
from foldwise.studies.members import WEIGHTS, as_columns

if TYPE_CHECKING:
    from sklearn.utils import Tags

Members = Mapping[str, Any] | Sequence[Any]
REACH = 1.0  # times the targets' range, beyond its ends: as far as a blend believes a member


def blend(members: Members, **options: Any) -> Blend:
    """A learner that tunes its members on inner splits and answers with a weighted mean of what they predict.

    `members`: two or more learners, in a list or by name in a dictionary. `options`: `inner`, `tuner`, `budget` and
    `rule` as in `fw.tune`; `loss`, `seed` and `jobs` for a fit on its own. The weights are not negative, sum to one,
    and have the smallest loss on the members' out-of-fold predictions.

    >>> blend(["ridge", "k-nn"])
    Blend(members=['ridge', 'k-nn'])
    """
    if isinstance(members, str) or not isinstance(members, Mapping | Sequence):
        raise BadLearner(f"fw.blend needs several learners, not {members!r}", "Give them as a dictionary by name")
    if len(members) < 2:
        raise BadLearner(f"fw.blend needs two or more learners, not {len(members)}", "Give them as a dictionary")
    return Blend(members, **options)


class Blend(AnswersByModel):
    """A learner that answers with a weighted mean of the predictions of other learners.

    After `fit`: `candidates_` (what each member chose), `weights_` (of the members), `model_` (fitted) and `fits_`.

    `members`, `inner`, `tuner`, `budget`, `rule`, `loss`, `seed`, `jobs`: as in `fw.blend`.

    >>> import foldwise as fw
    >>> blend = fw.blend(["linear", "k-nn:small"]).fit([[at] for at in range(30)], list(range(30)))
    >>> round(blend.weights_["linear"], 3), blend.predict([[7]]).round(1).tolist()
    (1.0, [7.0])
    """

    candidates_: dict[str, dict[str, Any]]
    weights_: dict[str, float]

    def __init__(
        self,
        members: Members,
        *,
        inner: Any = None,
        tuner: Any = None,
        budget: Any = None,
        rule: str | None = None,
        loss: Any = None,
        seed: int = 0,
        jobs: int | None = 1,
    ) -> None:
        self.members = members
        self.inner = inner
        self.tuner = tuner
        self.budget = budget
        self.rule = rule
        self.loss = loss
        self.seed = seed
        self.jobs = jobs

    @property
    def estimators(self) -> list[Any]:
        """The members that are estimators; built-in ones are known by their names alone."""
        members = self.members.values() if isinstance(self.members, Mapping) else self.members
        return [member for member in members if hasattr(member, "get_params") and not isinstance(member, Named)]

    def _may_answer(self, name: str) -> bool:
        return all(hasattr(estimator, name) for estimator in self.estimators)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        kinds = {get_tags(estimator).estimator_type for estimator in self.estimators}
        tags.estimator_type = kinds.pop() if len(kinds) == 1 else None
        if hasattr(self, "model_"):
            tags.estimator_type = "classifier" if hasattr(self, "classes_") else "regressor"
        if self.estimators and tags.estimator_type is not None:
            name = f"{tags.estimator_type}_tags"
            setattr(tags, name, getattr(get_tags(self.estimators[0]), name))
        tags.target_tags.required = True
        return tags


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
            self._fit_classes(X, y, sample_weight)
            return self
        beyond = np.inf if self.reach is None else self.reach * (y.max() - y.min())
        self.range_ = (float(y.min() - beyond), float(y.max() + beyond))
        X = np.clip(X, *self.range_)
        if self.score == "pinball":
            self.weights_ = simplex.quantile(X, y, self.quantile, sample_weight)
        else:
            self.weights_ = simplex.least_squares(X, y, sample_weight)
        return self

    def _fit_classes(self, X: FloatArray, y: AnyArray, sample_weight: FloatArray | None) -> None:
        self.classes_ = np.unique(self.classes)
        codes = {label: code for code, label in enumerate(self.classes)}
        shares, true = self._shares(X), np.array([codes[label] for label in np.asarray(y).tolist()], np.int64)
        if self.score == "log":
            self.weights_ = simplex.mixture(shares[np.arange(len(y)), :, true], sample_weight)
            return
        table = np.moveaxis(shares, 1, 2).reshape(-1, shares.shape[1])
        weights = None if sample_weight is None else np.repeat(sample_weight, len(self.classes))
        self.weights_ = simplex.least_squares(table, np.eye(len(self.classes))[true].ravel(), weights)

    def predict(self, X: FloatArray) -> AnyArray:
        if self.classes is None:
            return np.asarray(np.clip(X, *self.range_) @ self.weights_)
        return np.asarray(self.classes_[np.argmax(self.predict_proba(X), axis=1)])

    def predict_proba(self, X: FloatArray) -> FloatArray:
        order = [list(self.classes).index(label) for label in self.classes_.tolist()]  # sorted, as everywhere else
        return np.asarray(np.einsum("rmc,m->rc", self._shares(X), self.weights_)[:, order])

    def _shares(self, X: FloatArray) -> FloatArray:
        """Probabilities[row, member, class], the first class being what the others leave."""
        others = np.asarray(X).reshape(len(X), -1, len(self.classes) - 1)
        return np.concatenate([np.maximum(1 - others.sum(axis=2, keepdims=True), 0.0), others], axis=2)


class BlendedModel(BaseEstimator):  # type: ignore[misc]
    """Fitted models and the weighted mean of what they answer.

    `fit` fits the models again on other rows, and weighs them as before.
    """

    def __init__(self, models: Mapping[str, Any], final: Any, classes: Any = None) -> None:
        self.models = models
        self.final = final
        self.classes = classes

    @property
    def weights_(self) -> dict[str, float]:
        """The weight of each model."""
        return dict(zip(self.models, self.final.weights_.tolist(), strict=True))

    @property
    def classes_(self) -> AnyArray:
        if self.classes is None:
            raise AttributeError("a regression has no classes")
        return np.asarray(self.final.classes_)

    def fit(self, X: Any, y: Any) -> BlendedModel:
        from sklearn.base import clone

        self.models = {name: clone(model).fit(X, y) for name, model in self.models.items()}
        return self

    def predict(self, X: Any) -> AnyArray:
        return np.asarray(self.final.predict(self._columns(X)))

    def __getattr__(self, name: str) -> Any:
        if name != "predict_proba" or self.__dict__.get("classes") is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return lambda X: np.asarray(self.final.predict_proba(self._columns(X)))

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
        return np.hstack([as_columns(self._answer(model, X)) for model in self.models.values()])

    def _answer(self, model: Any, X: Any) -> AnyArray:
        """What a model predicts; of classes the probabilities, a column for each in our order."""
        if self.classes is None:
            return np.asarray(model.predict(X)).ravel()
        shares, known = np.asarray(model.predict_proba(X)), model.classes_.tolist()
        in_order = np.zeros((len(shares), len(self.classes)))
        for code, label in enumerate(list(self.classes)):
            if label in known:
                in_order[:, code] = shares[:, known.index(label)]
        return in_order


def weighted_mean(data: Dataset, loss: Loss) -> WeightedMean:
    """The mean whose weights have the smallest loss of this kind, or one close to it that has slopes to follow."""
    if data.classes:
        return WeightedMean(classes=list(data.classes), score="log" if loss.name == "log" else "brier")
    quantile = 0.5 if loss.name == "absolute" else loss.quantile
    if quantile is None:
        return WeightedMean(reach=REACH)
    return WeightedMean(reach=REACH, score="pinball", quantile=quantile)


def fit_final(fitting: Fitting, data: Dataset, rows: IntArray, columns: FloatArray, seed: int) -> Any:
    """A weighted mean fitted to what the members predicted for these rows."""
    return fitting.fit(_level_one(data, rows, columns), np.arange(len(rows)), seed)


def respond_final(
    model: Any, data: Dataset, rows: IntArray, columns: FloatArray, responses: Sequence[str]
) -> dict[str, AnyArray]:
    """The responses of a weighted mean for these rows, and the weights of the members."""
    answers = respond(model, _level_one(data, rows, columns), np.arange(len(rows)), responses)
    return {**answers, WEIGHTS: np.tile(model.weights_, (len(rows), 1))}


def _level_one(data: Dataset, rows: IntArray, columns: FloatArray) -> Dataset:
    """The members' predictions as a table of their own."""
    names = tuple(f"member {at}" for at in range(columns.shape[1]))
    weights = None if data.weights is None else data.weights[rows]
    kinds, y = ("number",) * len(names), data.y[rows]
    return replace(data, X=columns, names=names, kinds=kinds, y=y, weights=weights, groups=None, time=None, strata=None)
