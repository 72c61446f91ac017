"""What learners that find a model when they are fitted share: the model answers for them."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from foldwise.learners.inputs import read_table

if TYPE_CHECKING:
    import pandas as pd

    from foldwise.arrays import AnyArray


def model_has(name: str) -> Any:
    """A method that is there if the model has it; before a fit, if it will."""

    def check(learner: AnswersByModel) -> bool:
        return hasattr(learner.model_, name) if hasattr(learner, "model_") else learner._may_answer(name)

    return available_if(check)


class AnswersByModel(MetaEstimatorMixin, BaseEstimator, metaclass=ABCMeta):
    """A learner whose `model_`, once it is found, is asked in its place."""

    # Weights can be routed, though they are taken as scikit-learn's search objects take them: by keyword.
    __metadata_request__fit = {"sample_weight": None}
    model_: Any
    fits_: int
    _met_frame: bool

    def fit(self, X: Any, y: Any = None, groups: Any = None, **roles: Any) -> Any:
        """Tune on inner splits of these rows, and fit what was chosen on all of them.

        `sample_weight` reaches the fits and the losses; groups stay whole in every inner split.

        `X`: the features.
        `y`: the target.
        `groups`: the group of each row.
        `roles`: such as `sample_weight`.
        """
        weights = roles.pop("sample_weight", None)
        if roles:
            raise TypeError(f"{type(self).__name__}.fit() got an unexpected keyword argument {next(iter(roles))!r}")
        # The one import upwards: to be fitted alone is to run a study, and learners know none until then.
        from foldwise.api.alone import fit_alone

        found = fit_alone(self, X, y, weights=weights, groups=groups)
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)  # of an earlier fit, which may have met another table or another task
        for name, value in found.items():
            setattr(self, name, value)
        for name in ("classes_", "n_features_in_", "feature_names_in_"):
            if hasattr(self.model_, name):
                setattr(self, name, getattr(self.model_, name))
        return self

    @abstractmethod
    def _may_answer(self, name: str) -> bool:
        """Before a fit: will the model have this method?"""

    @model_has("predict")
    def predict(self, X: Any) -> Any:
        return self._asked("predict", X)

    @model_has("predict_proba")
    def predict_proba(self, X: Any) -> Any:
        return self._asked("predict_proba", X)

    @model_has("predict_log_proba")
    def predict_log_proba(self, X: Any) -> Any:
        return self._asked("predict_log_proba", X)

    @model_has("decision_function")
    def decision_function(self, X: Any) -> Any:
        return self._asked("decision_function", X)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of right answers, or R squared.

        `X`: the features.
        `y`: the target.
        `sample_weight`: the weight of each row.
        """
        from sklearn.metrics import accuracy_score, r2_score

        judge = accuracy_score if hasattr(self, "classes_") else r2_score
        return float(judge(y, self.predict(X), sample_weight=sample_weight))

    def _asked(self, name: str, X: Any, *more: Any, **keywords: Any) -> Any:
        check_is_fitted(self, "model_")
        # Categories 1 and 2 became text in fit: given as numbers, an encoder would not know them again.
        return getattr(self.model_, name)(read_table(X) if self._met_frame else X, *more, **keywords)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")


class AnswersByChoice(AnswersByModel):
    """A learner that chooses among candidates, and can be asked as scikit-learn's search objects are.

    `best_params_`, `best_estimator_`, `best_index_`, `best_score_` and `cv_results_` are other words for `candidate_`,
    `model_` and the losses in `scores_`. Scores there are losses with the sign turned, so that higher is better. The
    `best_score_` is the selection score: the candidate was chosen for it, so it is too good an estimate of the risk.
    """

    candidate_: dict[str, Any]
    scores_: pd.DataFrame
    selection_score_: float
    guarantee_: Any
    cv_results_: dict[str, Any]
    best_index_: int

    @property
    def best_params_(self) -> dict[str, Any]:
        """The chosen candidate, by the user's names."""
        return self.candidate_

    @property
    def best_estimator_(self) -> Any:
        """The model: the chosen candidate, fitted."""
        return self.model_

    @property
    def best_score_(self) -> float:
        """The mean loss of the chosen candidate on the inner splits, negated: too good, as it was chosen for it."""
        means: AnyArray = self.cv_results_["mean_test_score"]
        return float(means[self.best_index_])
