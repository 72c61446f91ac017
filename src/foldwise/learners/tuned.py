"""A tuned learner is a learner: it tries candidates on inner splits, then fits the chosen one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sklearn.utils import get_tags

from foldwise.errors import BadLearner, BadSpace
from foldwise.learners.answering import AnswersByChoice, model_has
from foldwise.learners.learner import Learner
from foldwise.learners.named import tune_named
from foldwise.spaces.parameter import Range
from foldwise.spaces.space import Space, known_parameters, make_space
from foldwise.tuners.tuner import Tuner

if TYPE_CHECKING:
    from sklearn.utils import Tags


def tune(
    estimator: Any,
    space: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    *,
    inner: Any = None,
    tuner: str | Tuner | None = None,
    budget: int | str | None = None,
    rule: str | None = None,
    stop: str | None = None,
    loss: Any = None,
    simpler: Mapping[str, str] | None = None,
    seed: int = 0,
    jobs: int | None = 1,
    refit: bool = True,
    **parameters: Any,
) -> AnswersByChoice:
    """A learner that tunes these parameters of an estimator on inner splits.

    `estimator`: a scikit-learn estimator or pipeline, or the name of a built-in learner, which has a space of its own.
    `parameters`: what to try, such as `n_neighbors=range(1, 31)` or `alpha=fw.log_range(1e-4, 1e4)`.
    `space`: the same as a dictionary, as `GridSearchCV` takes it, or a list of dictionaries for a conditional space.
    `inner`, `tuner`, `budget`, `rule`, `stop`: as in `compare`; None for its own there, and for 5 folds, the grid and
      the best candidate where the learner is fitted on its own.
    `simpler`: which end of a parameter is simpler, for the rule "one_se": {"alpha": "high"}.
    `loss`, `seed`, `jobs`: for a fit on its own; in a study they are those of the study.
    `refit`: fit the chosen candidate on all rows; False keeps the model of the training part of one split.

    A list or range for `loss`, `simpler`, `seed`, `jobs` or `refit` belongs to the space if the estimator has a
    parameter of that name, as histogram boosting has `loss`; several losses to judge it by then go to `Tuned` itself.

    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> tune(KNeighborsRegressor(), n_neighbors=range(1, 31))
    Tuned(estimator=KNeighborsRegressor(), space={'n_neighbors': range(1, 31)})
    >>> tune(KNeighborsRegressor(), {"n_neighbors": [1, 5, 25]})
    Tuned(estimator=KNeighborsRegressor(), space={'n_neighbors': [1, 5, 25]})
    >>> tune("ridge", alpha=[0.1, 1.0], inner=3)
    tune('ridge', inner=3, alpha=[0.1, 1.0])
    """
    options = {"loss": loss, "simpler": simpler, "seed": seed, "jobs": jobs, "refit": refit}
    search = {"inner": inner, "tuner": tuner, "budget": budget, "rule": rule, "stop": stop}
    if isinstance(estimator, str):
        named: AnswersByChoice = tune_named(estimator, space, parameters, search | options)
        return named
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        found = f"the class {estimator.__name__}" if isinstance(estimator, type) else repr(estimator)
        raise BadLearner(
            f"fw.tune needs an estimator object, not {found}",
            "Give an instance, such as fw.tune(Ridge(), alpha=[0.1, 1.0])",
        )
    meant = [option for option, value in options.items() if _is_values(value) and _has_parameter(estimator, option)]
    parameters |= {option: options.pop(option) for option in meant}
    space = _joined(space, parameters) if parameters else space
    tuned = Tuned(estimator, space, **search, **options)
    tuned.full_space()  # a misspelt parameter is refused now, not after an hour
    return tuned


def _is_values(value: Any) -> bool:
    """Values to try; a list of lists is a cost matrix."""
    is_matrix = isinstance(value, list | tuple) and all(isinstance(row, list | tuple) for row in value)
    return isinstance(value, list | tuple | range | Range) and not is_matrix


def _has_parameter(estimator: Any, option: str) -> bool:
    known = known_parameters(estimator)
    return option in known or sum(name.endswith(f"__{option}") for name in known) == 1


def _joined(space: Any, parameters: Mapping[str, Any]) -> Any:
    """The parameters given as keywords, added to every block of the space."""
    blocks = space if isinstance(space, list | tuple) else [space or {}]
    if not all(isinstance(block, Mapping) for block in blocks):
        return space  # which is refused for what it is
    if twice := [name for block in blocks for name in block if name in parameters]:
        raise BadSpace(f"the parameter {twice[0]!r} is given twice", "Keep it in the space or among the keywords")
    joined = [{**block, **parameters} for block in blocks]
    return joined if isinstance(space, list | tuple) else joined[0]


class Tuned(AnswersByChoice):
    """An estimator that chooses its own hyperparameters when it is fitted.

    On its own it tunes on 5 folds; inside `compare` and `risk` on theirs, unless `inner`
    is given. After `fit`: `candidate_` (what was chosen), `selection_score_`, `scores_`
    (a data frame: candidates x folds), `guarantee_` (for a development set and a bounded
    loss), `model_` (fitted). `refit=False` keeps the model of the training part of a
    development split, for which the guarantee holds. As scikit-learn's search objects it
    also has `best_params_`, `best_estimator_`, `best_index_`, `cv_results_` (losses with
    the sign turned: higher is better) and `best_score_`, which is the selection score and
    so too good an estimate of the risk.

    `estimator`, `space`, `tuner`, `budget`, `rule`, `stop`, `loss`, `simpler`, `seed`, `jobs`, `refit`: as in
    `fw.tune`.

    `inner`: the splits that tune.

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
        tuner: str | Tuner | None = None,
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
        """The same as a plain value, for a study.

        `name`: of its row.
        """
        return Learner(
            name,
            self.estimator,
            self.full_space(),
            inner=self.inner,
            tuner=self.tuner,
            budget=self.budget,
            rule=self.rule,
            stop=self.stop,
        )

    def set_output(self, *, transform: str | None = None) -> Tuned:
        """What the transformers inside give: "default", "pandas" or "polars", as scikit-learn's pipelines take it.

        `transform`: one of the three (None: leave it).
        """
        for part in (self.estimator, getattr(self, "model_", None)):
            if part is not None and hasattr(part, "set_output"):
                part.set_output(transform=transform)
        return self

    def _may_answer(self, name: str) -> bool:
        return hasattr(self.estimator, name)

    @model_has("score")
    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The score of the chosen model, as scikit-learn defines it for its kind."""
        extra = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self._asked("score", X, y, **extra))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        own = get_tags(self.estimator)
        tags.estimator_type = own.estimator_type
        tags.classifier_tags = own.classifier_tags
        tags.regressor_tags = own.regressor_tags
        tags.target_tags = replace(own.target_tags, required=True, multi_output=False)
        tags.input_tags = own.input_tags
        return tags
