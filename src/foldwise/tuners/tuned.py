"""A tuned learner is a learner: it tries candidates on inner splits, then fits the chosen one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from foldwise.errors import BadLearner
from foldwise.outlines.schedule import Schedule, tuner_text
from foldwise.recipes.learner import Learner
from foldwise.spaces.parameter import Range
from foldwise.spaces.space import Space, make_space
from foldwise.tuners.inputs import read_table

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.utils import Tags


def tune(
    estimator: Any,
    *,
    space: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    inner: Any = None,
    tuner: str | Schedule | None = None,
    budget: int | str | None = None,
    rule: str | None = None,
    stop: str | None = None,
    loss: Any = None,
    simpler: Mapping[str, str] | None = None,
    seed: int = 0,
    jobs: int | None = 1,
    refit: bool = True,
    **parameters: Any,
) -> Tuned:
    """A learner that tunes these parameters of an estimator on inner splits.

    `tuner` says how candidates are found (grid, random, pruned, racing, halving, hyperband, tpe, gp, cmaes), `budget`
    how many, or in which time ("10 min"), and `stop="noise"` when a search may end before.
    A list or range for `loss`, `simpler`, `seed`, `jobs` or `refit` belongs to the space if the estimator has a
    parameter of that name, as histogram boosting has `loss`; several losses to judge it by then go to `Tuned` itself.

    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> tune(KNeighborsRegressor(), n_neighbors=range(1, 31))
    Tuned(estimator=KNeighborsRegressor(), space={'n_neighbors': range(1, 31)})
    """
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        raise BadLearner(
            f"fw.tune needs an estimator object, not {estimator!r}",
            "Give an instance, such as fw.tune(Ridge(), alpha=[0.1, 1.0])",
        )
    words = {"loss": loss, "simpler": simpler, "seed": seed, "jobs": jobs, "refit": refit}
    meant = [word for word, value in words.items() if _is_values(value) and _has_parameter(estimator, word)]
    parameters |= {word: words.pop(word) for word in meant}
    space = _joined(space, parameters) if parameters else space
    tuned = Tuned(estimator, space, inner=inner, tuner=tuner, budget=budget, rule=rule, stop=stop, **words)
    tuned.full_space()  # a misspelt parameter is told now, not after an hour
    return tuned


def _is_values(value: Any) -> bool:
    """Values to try; a list of lists is a cost matrix."""
    is_matrix = isinstance(value, list | tuple) and all(isinstance(row, list | tuple) for row in value)
    return isinstance(value, list | tuple | range | Range) and not is_matrix


def _has_parameter(estimator: Any, word: str) -> bool:
    known = estimator.get_params(deep=True)
    return word in known or sum(name.endswith(f"__{word}") for name in known) == 1


def _joined(space: Any, parameters: Mapping[str, Any]) -> Any:
    """The parameters beside the space, in every block of a conditional one."""
    if isinstance(space, list | tuple):
        return [{**block, **parameters} for block in space]
    return {**(space or {}), **parameters}


def _model_has(name: str) -> Any:
    def check(tuned: Tuned) -> bool:
        return hasattr(getattr(tuned, "model_", tuned.estimator), name)

    return available_if(check)


class Tuned(MetaEstimatorMixin, BaseEstimator):
    """An estimator that chooses its own hyper-parameters when it is fitted.

    On its own it tunes on 5 folds; inside `compare` and `risk` on theirs, unless `inner`
    is given. After `fit`: `candidate_` (what was chosen), `selection_score_`, `scores_`
    (a data frame: candidates x folds), `guarantee_` (for a development set and a bounded
    loss), `model_` (fitted). `refit=False` keeps the model of the training part of a
    development split, for which the guarantee holds.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tuned = Tuned(KNeighborsClassifier(), {"n_neighbors": [1, 100]}, inner=0.2).fit(X, y)
    >>> tuned.candidate_, tuned.fits_
    ({'n_neighbors': 1}, 3)
    >>> round(tuned.guarantee_.excess, 2)
    0.54
    """

    def __init__(
        self,
        estimator: Any,
        space: Any = None,
        *,
        inner: Any = None,
        tuner: str | Schedule | None = None,
        budget: int | str | None = None,
        rule: str | None = None,
        stop: str | None = None,
        loss: Any = None,
        simpler: Mapping[str, str] | None = None,
        seed: int = 0,
        jobs: int | None = 1,
        refit: bool = True,
    ) -> None:
        self.estimator = estimator
        self.space = space
        self.inner = inner
        self.tuner = tuner
        self.budget = budget
        self.rule = rule
        self.stop = stop
        self.loss = loss
        self.simpler = simpler
        self.seed = seed
        self.jobs = jobs
        self.refit = refit

    def full_space(self) -> Space:
        """The space with every parameter checked against the estimator."""
        return make_space(self.space, None, self.estimator, simpler=self.simpler)

    def as_learner(self, name: str) -> Learner:
        """The same wish as a plain value, for a study."""
        return Learner(
            name,
            self.estimator,
            self.full_space(),
            inner=self.inner,
            tuner=tuner_text(self.tuner),
            budget=self.budget,
            rule=self.rule,
            stop=self.stop,
        )

    # Weights can be routed, though they are taken as scikit-learn's search objects take them: by keyword.
    __metadata_request__fit = {"sample_weight": None}

    def fit(self, X: Any, y: Any = None, groups: Any = None, **roles: Any) -> Tuned:
        """Tune on inner splits of these rows and fit the chosen candidate.

        `sample_weight` reaches the fits and the losses; groups stay whole in every inner split.
        """
        from foldwise.questions.tuning import tune_on

        weights = roles.pop("sample_weight", None)
        if roles:
            raise TypeError(f"Tuned.fit() got an unexpected keyword argument {next(iter(roles))!r}")
        outcome = tune_on(self, X, y, weights=weights, groups=groups)
        self.candidate_: dict[str, Any] = outcome.candidate
        self.scores_: pd.DataFrame = outcome.scores
        self.selection_score_: float = outcome.selection_score
        self.guarantee_ = outcome.guarantee
        self.model_ = outcome.model
        self.fits_: int = outcome.fits
        self._met_frame: bool = outcome.is_frame
        for name in ("classes_", "n_features_in_", "feature_names_in_"):
            if hasattr(self.model_, name):
                setattr(self, name, getattr(self.model_, name))
        return self

    @_model_has("predict")
    def predict(self, X: Any) -> Any:
        check_is_fitted(self, "model_")
        return self.model_.predict(self._as_met(X))

    @_model_has("predict_proba")
    def predict_proba(self, X: Any) -> Any:
        check_is_fitted(self, "model_")
        return self.model_.predict_proba(self._as_met(X))

    @_model_has("predict_log_proba")
    def predict_log_proba(self, X: Any) -> Any:
        check_is_fitted(self, "model_")
        return self.model_.predict_log_proba(self._as_met(X))

    @_model_has("decision_function")
    def decision_function(self, X: Any) -> Any:
        check_is_fitted(self, "model_")
        return self.model_.decision_function(self._as_met(X))

    @_model_has("score")
    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The score of the chosen model, as scikit-learn defines it for its kind."""
        check_is_fitted(self, "model_")
        extra = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self.model_.score(self._as_met(X), y, **extra))

    def _as_met(self, X: Any) -> Any:
        # Categories 1 and 2 became text in fit: given as numbers, an encoder would not know them again.
        return read_table(X) if self._met_frame else X

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        own = get_tags(self.estimator)
        tags.estimator_type = own.estimator_type
        tags.classifier_tags = own.classifier_tags
        tags.regressor_tags = own.regressor_tags
        tags.target_tags = replace(own.target_tags, required=True, multi_output=False)
        tags.input_tags = own.input_tags
        return tags
