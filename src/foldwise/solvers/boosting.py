"""Boosting: the first T rounds are the model of T rounds, as long as every round draws from one seed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.family import FamilySolver, ModelAnswer, ModelAnswers, grouped
from foldwise.solvers.steps import is_kind, parameters_of, params_key_without

# keywords of LightGBM and XGBoost, beyond those of their classes, that leave the rounds alone
HARMLESS = {"verbose", "verbosity", "deterministic", "force_row_wise", "force_col_wise", "num_threads"}
# parameters of CatBoost that act in every round alike; others may look at how many there will be
ROUND_BY_ROUND = frozenset(
    [
        *("learning_rate", "depth", "max_depth", "l2_leaf_reg", "reg_lambda", "loss_function", "objective"),
        *("border_count", "max_bin", "random_seed", "random_state", "rsm", "colsample_bylevel", "subsample"),
        *("bootstrap_type", "bagging_temperature", "random_strength", "grow_policy", "min_data_in_leaf"),
        *("min_child_samples", "max_leaves", "num_leaves", "leaf_estimation_method", "leaf_estimation_iterations"),
        *("one_hot_max_size", "nan_mode", "auto_class_weights", "scale_pos_weight", "boosting_type"),
        *("score_function", "verbose", "silent", "logging_level", "thread_count", "allow_writing_files"),
    ]
)
# goals of LightGBM whose predictions are the sum of the trees, and its exponential
PLAIN = {"regression", "regression_l1", "l1", "l2", "mae", "mse", "rmse", "huber", "fair", "quantile", "mape"}
EXPONENTIAL = {"poisson", "gamma", "tweedie"}
# goals whose leaves are medians or quantiles of the rows in them
QUANTILES = ("regression_l1", "l1", "mae", "mean_absolute_error", "quantile", "mape", "mean_absolute_percentage_error")
LONG = 200  # rounds from which CatBoost chooses some defaults for long runs (its IsSmallIterationCount)
TIE = 1e-9  # chances nearer than this may change places by rounding
Values = dict[int, AnyArray]  # answers by rounds
Stages = Callable[[Any, Any, Sequence[str], "list[int]"], dict[str, Values]]


@dataclass(frozen=True)
class Boosting:
    """The longest run is fitted; shorter ones are read from its stages."""

    name: str
    rounds: str  # the parameter that says how many
    kinds: tuple[str, ...]
    stages: Stages  # model, table, responses, wanted rounds -> answers by response
    package: str = "sklearn"
    fixed: tuple[tuple[str, tuple[Any, ...]], ...] = ()  # parameters that must have one of these values
    known: frozenset[str] = frozenset()  # parameters that may be set, where not all that the class names
    needed: tuple[str, ...] = ()  # parameters that must be set: their default looks at the rounds
    doubts: Callable[[dict[str, Any], Dataset], bool] = lambda parameters, data: False  # may shorter runs differ?
    settled: Callable[[Any], Any] | None = None  # parameters as fitted, where the defaults of long runs may be others
    is_exact: bool = True

    def takes(self, estimator: Any, data: Dataset) -> bool:
        if not is_kind(estimator, *self.kinds, package=self.package):
            return False
        parameters = estimator.get_params(deep=False)
        known = (self.known or _named(type(estimator)) | HARMLESS) | {self.rounds}
        if not set(parameters) <= known or any(parameters.get(name) is None for name in self.needed):
            return False
        rounds = parameters.get(self.rounds)
        if not isinstance(rounds, int | np.integer) or isinstance(rounds, bool) or rounds < 1:
            return False
        is_fixed = all(_is_one_of(parameters.get(name, allowed[0]), allowed) for name, allowed in self.fixed)
        return is_fixed and not self.doubts(parameters, data)

    def shares(self, estimator: Any) -> Hashable:
        return params_key_without(estimator, self.rounds)

    def fit(self, estimators: Sequence[Any], X: Any, y: AnyArray, extra: dict[str, Any]) -> Any:
        """By number of rounds, the run they are the first of: the longest, or of few rounds the longest with few."""
        from sklearn.base import clone

        def run(rounds: int) -> Any:
            return clone(estimators[0]).set_params(**{self.rounds: rounds}).fit(X, y, **extra)

        wanted = set(map(self._rounds, estimators))
        longest, short = run(max(wanted)), {rounds for rounds in wanted if rounds < LONG}
        runs = dict.fromkeys(wanted, longest)
        is_mixed = 0 < len(short) < len(wanted)
        if is_mixed and self.settled is not None and self.settled(run(1)) != self.settled(longest):
            runs |= dict.fromkeys(short, run(max(short)))
        return runs

    def answers(self, fitted: Any, estimators: Sequence[Any], X: Any, responses: Sequence[str]) -> ModelAnswers:
        found: dict[int, ModelAnswer] = {}
        asked = sorted(set(map(self._rounds, estimators)))
        for same in grouped(asked, lambda rounds: id(fitted[rounds])):
            model = fitted[same[0]]
            values, classes = self.stages(model, X, responses, same), getattr(model, "classes_", None)
            for rounds in set.intersection(*(set(values[name]) for name in responses)):
                found[rounds] = ModelAnswer(classes, {name: values[name][rounds] for name in responses})
        return [found.get(self._rounds(estimator)) for estimator in estimators]

    def _rounds(self, estimator: Any) -> int:
        return int(parameters_of(estimator)[self.rounds])


def _named(kind: type) -> set[str]:
    """The parameters a class and its bases name."""
    from inspect import signature

    return {
        name
        for base in kind.__mro__
        if "__init__" in vars(base)
        for name in signature(vars(base)["__init__"]).parameters
    }


def _is_one_of(value: Any, allowed: tuple[Any, ...]) -> bool:
    return any(value is one or (type(value) is type(one) and value == one) for one in allowed)


def _each(stages: Callable[[Any, Any, str, list[int]], Values]) -> Stages:
    """The stages of a family that answers one response after the other."""
    return lambda model, X, responses, wanted: {name: stages(model, X, name, wanted) for name in responses}


@_each
def _staged(model: Any, X: Any, response: str, wanted: list[int]) -> Values:
    """Scikit-learn's own stages; a run that stopped early answers longer ones with its last stage."""
    found: Values = {}
    last: AnyArray = np.empty(0)
    for stage, last in enumerate(getattr(model, f"staged_{response}")(X), start=1):
        if stage in wanted:
            found[stage] = np.array(last)
        if stage == wanted[-1]:
            break
    answers = {rounds: found.get(rounds, last) for rounds in wanted}
    # of two classes, the stages have one column where the model itself has none
    return {rounds: value[:, 0] if value.shape[1:] == (1,) else value for rounds, value in answers.items()}


@_each
def _shortened(model: Any, X: Any, response: str, wanted: list[int]) -> Values:
    """AdaBoost: the same code asked with fewer members, since its stages are added up in another order."""
    from copy import copy

    found = {}
    for rounds in wanted:
        short = copy(model)
        short.estimators_ = model.estimators_[:rounds]
        short.estimator_weights_ = model.estimator_weights_[:rounds]
        found[rounds] = getattr(short, response)(X)
    return found


def _draws_weighted_quantiles(parameters: dict[str, Any], data: Dataset) -> bool:
    """LightGBM's quantiles of rows that are drawn and weighted: a long run was seen to begin as no shorter one does."""
    return data.weights is not None and bool(parameters["subsample_freq"]) and parameters["objective"] in QUANTILES


def _lightgbm(model: Any, X: Any, responses: Sequence[str], wanted: list[int]) -> dict[str, Values]:
    """Every stage adds the scores of its own trees to those before, where it is known how answers follow from scores.

    They differ from the model's own in the last digit, so where that could choose another class the model is asked.
    """

    def own(response: str, rounds: int) -> AnyArray:
        return np.asarray(getattr(model, response)(X, num_iteration=rounds))

    if _passed_over(model):
        wanted = [rounds for rounds in wanted if rounds == model.n_estimators]
    link = _link(model)
    if link is None or len(wanted) <= 1:
        return {name: {rounds: own(name, rounds) for rounds in wanted} for name in responses}
    found: dict[str, Values] = {name: {} for name in responses}
    for rounds, scores in _added_up(model, X, wanted):
        answer = _classified(model.classes_, scores, link) if hasattr(model, "classes_") else {"predict": link(scores)}
        for name in responses:
            found[name][rounds] = answer[name] if name in answer else own(name, rounds)
    return found


def _passed_over(model: Any) -> bool:
    """Had a round nothing to split on, though other rows or columns may be drawn in the next?

    It leaves no tree behind, so that the first T trees are not those of T rounds.
    """
    is_drawn = model.colsample_bytree < 1.0 or (model.subsample_freq > 0 and model.subsample < 1.0)
    return bool(is_drawn and model.booster_.current_iteration() < model.n_estimators)


def _added_up(model: Any, X: Any, wanted: list[int]) -> Iterator[tuple[int, AnyArray]]:
    """The scores after each of the wanted rounds."""
    scores: Any = 0.0
    before = 0
    for rounds in wanted:
        # without this detour around the estimator a stage of few trees costs nine times as much
        ask = model.predict if before == 0 else model.booster_.predict
        scores = scores + ask(X, raw_score=True, start_iteration=before, num_iteration=rounds - before, num_threads=1)
        yield rounds, scores
        before = rounds


def _classified(classes: AnyArray, scores: AnyArray, link: Callable[[AnyArray], AnyArray]) -> dict[str, AnyArray]:
    """Answers of a classifier with these scores, without the class where two are as good as equal."""
    chances = link(scores)
    chances = chances if chances.ndim == 2 else np.vstack([1.0 - chances, chances]).T
    second, first = np.sort(chances, axis=1)[:, -2:].T
    answer = {"predict_proba": chances, "decision_function": scores}
    if np.all(first - second > TIE):
        answer["predict"] = classes[np.argmax(chances, axis=1)]
    return answer


def _link(model: Any) -> Callable[[AnyArray], AnyArray] | None:
    """What LightGBM makes of the sum of the trees; None where that is not known."""
    goal, classes = model.objective_, getattr(model, "n_classes_", 1)
    if not isinstance(goal, str):
        return None
    if hasattr(model, "classes_"):
        return {("binary", 2): _logistic}.get(
            (goal, classes), _softmax if goal == "multiclass" and classes > 2 else None
        )
    if goal in EXPONENTIAL:
        return np.exp
    return np.asarray if goal in PLAIN else None


def _logistic(scores: AnyArray) -> AnyArray:
    with np.errstate(over="ignore"):
        return np.asarray(1.0 / (1.0 + np.exp(-scores)))


def _softmax(scores: AnyArray) -> AnyArray:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


@_each
def _xgboost(model: Any, X: Any, response: str, wanted: list[int]) -> Values:
    return {rounds: getattr(model, response)(X, iteration_range=(0, rounds)) for rounds in wanted}


def _settled_catboost(model: Any) -> Any:
    """What CatBoost made of its parameters, apart from the number of rounds."""
    booster = getattr(model, "model_", model)
    return {**booster.get_all_params(), "iterations": None} if booster.is_fitted() else None


def _catboost(model: Any, X: Any, responses: Sequence[str], wanted: list[int]) -> dict[str, Values]:
    """The table is brought into CatBoost's form once: that costs more than most of its answers."""
    booster = getattr(model, "model_", model)
    if not booster.is_fitted():  # there was nothing to split on
        return {name: {rounds: getattr(model, name)(X) for rounds in wanted} for name in responses}
    from catboost import Pool

    kinds = {kind: getattr(booster, f"get_{kind[:-1]}_indices")() for kind in ("cat_features", "text_features")}
    table = Pool(X, **kinds, embedding_features=booster.get_embedding_feature_indices(), thread_count=1)
    limit = "rounds" if booster is not model else "ntree_end"
    return {name: {rounds: getattr(model, name)(table, **{limit: rounds}) for rounds in wanted} for name in responses}


_OF_XGBOOST: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("booster", (None, "gbtree")),
    ("early_stopping_rounds", (None,)),
    ("callbacks", (None,)),
    ("tree_method", (None, "auto", "hist", "exact", "approx")),
)

SOLVERS = (
    FamilySolver(
        Boosting(
            "histogram boosting",
            "max_iter",
            ("HistGradientBoostingRegressor", "HistGradientBoostingClassifier"),
            _staged,
            fixed=(("warm_start", (False,)),),
        )
    ),
    FamilySolver(
        Boosting(
            "gradient boosting",
            "n_estimators",
            ("GradientBoostingRegressor", "GradientBoostingClassifier"),
            _staged,
            fixed=(("warm_start", (False,)),),
        )
    ),
    FamilySolver(Boosting("adaboost", "n_estimators", ("AdaBoostRegressor", "AdaBoostClassifier"), _shortened)),
    FamilySolver(
        Boosting(
            "lightgbm",
            "n_estimators",
            ("LGBMRegressor", "LGBMClassifier"),
            _lightgbm,
            package="lightgbm",
            # dart weighs earlier trees anew in every round
            fixed=(("boosting_type", ("gbdt",)),),
            doubts=_draws_weighted_quantiles,
        )
    ),
    FamilySolver(
        Boosting(
            "xgboost",
            "n_estimators",
            ("XGBRegressor", "XGBClassifier"),
            _xgboost,
            package="xgboost",
            fixed=_OF_XGBOOST,
        )
    ),
    FamilySolver(
        Boosting(
            "xgboost of labels",
            "n_estimators",
            ("LabelledXGBClassifier",),
            _xgboost,
            package="foldwise",
            fixed=_OF_XGBOOST,
        )
    ),
    FamilySolver(
        Boosting(
            "catboost",
            "iterations",
            ("CatBoostedRegressor", "CatBoostedClassifier"),
            _catboost,
            package="foldwise",
            settled=_settled_catboost,
        )
    ),
    *(
        FamilySolver(
            Boosting(
                f"catboost by {rounds}",
                rounds,
                ("CatBoostRegressor", "CatBoostClassifier"),
                _catboost,
                package="catboost",
                known=ROUND_BY_ROUND,
                needed=("learning_rate",),  # CatBoost chooses smaller steps for longer runs
                settled=_settled_catboost,
            )
        )
        for rounds in ("iterations", "n_estimators")
    ),
)
