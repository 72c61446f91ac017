"""Learners made of learners: the one that does best inside, or all of them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from sklearn.utils import get_tags

from foldwise.errors import BadLearner
from foldwise.learners.answering import AnswersByChoice, AnswersByModel
from foldwise.learners.named import Named

if TYPE_CHECKING:
    from sklearn.utils import Tags

Members = Mapping[str, Any] | Sequence[Any]
AnyCombined = TypeVar("AnyCombined", bound="Combined")


def best_of(members: Members, **options: Any) -> BestOf:
    """A learner that tries all candidates of all its members on inner splits, and fits the best of them.

    `members`: two or more learners, in a list or by name in a dictionary. `options`: `inner`, `tuner`, `budget` and
    `rule` as in `fw.tune`; `loss`, `seed` and `jobs` for a fit on its own. In a study its risk is that of picking the
    winner, and its inner fits are those of its members' own rows.

    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> best_of({"ridge": Ridge(), "5-nn": KNeighborsRegressor()})
    BestOf(members={'5-nn': KNeighborsRegressor(), 'ridge': Ridge()})
    """
    return _checked(BestOf(members, **options))


def stack(members: Members, final: Any = None, **options: Any) -> Stack:
    """A learner that tunes its members on inner splits and fits a final learner on their out-of-fold predictions.

    `members`: two or more learners, in a list or by name in a dictionary. `final`: any estimator (None: ridge or
    logistic regression); it is never tested on a row that it was fitted on. `options`: as in `fw.best_of`.

    >>> from sklearn.linear_model import LinearRegression, Ridge
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> stack({"ridge": Ridge(), "5-nn": KNeighborsRegressor()}, LinearRegression()).final
    LinearRegression()
    """
    return _checked(Stack(members, final, **options))


def blend(members: Members, **options: Any) -> Blend:
    """A learner that tunes its members on inner splits and answers with a weighted mean of what they predict.

    `members`: two or more learners, in a list or by name in a dictionary. `options`: as in `fw.best_of`. The weights
    are not negative, sum to one, and have the smallest loss on the members' out-of-fold predictions.

    >>> blend(["ridge", "k-nn"])
    Blend(members=['ridge', 'k-nn'])
    """
    return _checked(Blend(members, **options))


def _checked(combined: AnyCombined) -> AnyCombined:
    """Refuse bad members now, not when the data are known."""
    members, word = combined.members, combined.combines
    if isinstance(members, str) or not isinstance(members, Mapping | Sequence):
        raise BadLearner(f"fw.{word} needs several learners, not {members!r}", "Give them as a dictionary by name")
    if len(members) < 2:
        raise BadLearner(f"fw.{word} needs two or more learners, not {len(members)}", "Give them as a dictionary")
    return combined


class Combined(AnswersByModel):
    """What the learners made of learners share: their words, and the model that answers for them."""

    combines: ClassVar[str] = ""

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
        return [one for one in members if hasattr(one, "get_params") and not isinstance(one, Named)]

    def _may_answer(self, name: str) -> bool:
        return all(hasattr(estimator, name) for estimator in self.estimators)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        kinds = {get_tags(estimator).estimator_type for estimator in self.estimators}
        known = kinds.pop() if len(kinds) == 1 else None
        if hasattr(self, "model_"):
            known = "classifier" if hasattr(self, "classes_") else "regressor"
        tags.estimator_type = known
        if known == "classifier" and self.estimators:
            tags.classifier_tags = get_tags(self.estimators[0]).classifier_tags
        if known == "regressor" and self.estimators:
            tags.regressor_tags = get_tags(self.estimators[0]).regressor_tags
        tags.target_tags.required = True
        return tags


class BestOf(Combined, AnswersByChoice):
    """A learner that chooses among learners, and among their candidates, when it is fitted.

    After `fit`: `method_` (the member that was chosen), `candidate_` (its parameters), `selection_score_`,
    `scores_` (a data frame: candidates x folds), `model_` (fitted) and `fits_`; and what scikit-learn's search
    objects have: `best_params_`, `best_estimator_`, `best_score_`, `best_index_`, `cv_results_`.

    `members`, `inner`, `tuner`, `budget`, `rule`, `loss`, `seed`, `jobs`: as in `fw.best_of`.

    >>> import numpy as np
    >>> from sklearn.dummy import DummyRegressor
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.arange(20.0)[:, None]
    >>> best = BestOf({"mean": DummyRegressor(), "line": LinearRegression()}).fit(X, X[:, 0])
    >>> best.method_, best.model_
    ('line', LinearRegression())
    """

    combines: ClassVar[str] = "best_of"
    method_: str


class Stack(Combined):
    """A learner that learns how to use the predictions of other learners.

    After `fit`: `candidates_` (what each member chose), `weights_` (of the members, where the final learner is linear
    and has one each), `model_` (fitted: the members' models and the final learner) and `fits_`.

    `members`, `final`, `inner`, `tuner`, `budget`, `rule`, `loss`, `seed`, `jobs`: as in `fw.stack`.

    >>> import foldwise as fw
    >>> stack = fw.stack(["linear", "k-nn:small"]).fit([[at] for at in range(30)], list(range(30)))
    >>> list(stack.candidates_), stack.predict([[7]]).round(1).tolist()
    (['linear', 'k-nn:small'], [7.0])
    """

    combines: ClassVar[str] = "stack"
    candidates_: dict[str, dict[str, Any]]
    weights_: dict[str, float]

    def __init__(
        self,
        members: Members,
        final: Any = None,
        *,
        inner: Any = None,
        tuner: Any = None,
        budget: Any = None,
        rule: str | None = None,
        loss: Any = None,
        seed: int = 0,
        jobs: int | None = 1,
    ) -> None:
        super().__init__(members, inner=inner, tuner=tuner, budget=budget, rule=rule, loss=loss, seed=seed, jobs=jobs)
        self.final = final


class Blend(Combined):
    """A learner that answers with a weighted mean of the predictions of other learners.

    After `fit`: `candidates_` (what each member chose), `weights_` (of the members), `model_` (fitted) and `fits_`.

    `members`, `inner`, `tuner`, `budget`, `rule`, `loss`, `seed`, `jobs`: as in `fw.blend`.

    >>> import foldwise as fw
    >>> blend = fw.blend(["linear", "k-nn:small"]).fit([[at] for at in range(30)], list(range(30)))
    >>> round(blend.weights_["linear"], 3), blend.predict([[7]]).round(1).tolist()
    (1.0, [7.0])
    """

    combines: ClassVar[str] = "blend"
    candidates_: dict[str, dict[str, Any]]
    weights_: dict[str, float]
