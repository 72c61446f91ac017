"""Boosting: the first T rounds are the model of T rounds, as long as every round draws from one seed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.family import FamilySolver, Given
from foldwise.solvers.steps import is_kind, params_key_without

# keywords of LightGBM and XGBoost, beyond those of their classes, that leave the rounds alone
HARMLESS = {"verbose", "verbosity", "deterministic", "force_row_wise", "force_col_wise", "num_threads"}
Stages = Callable[[Any, Any, str, "list[int]"], dict[int, AnyArray]]


@dataclass(frozen=True)
class Boosting:
    """The longest run is fitted; shorter ones are read from its stages."""

    name: str
    rounds: str  # the parameter that says how many
    kinds: tuple[str, ...]
    stages: Stages  # model, table, response, wanted rounds -> answers
    package: str = "sklearn"
    fixed: tuple[tuple[str, tuple[Any, ...]], ...] = ()  # parameters that must have one of these values
    is_exact: bool = True

    def takes(self, estimator: Any, data: Dataset) -> bool:
        if not is_kind(estimator, *self.kinds, package=self.package):
            return False
        parameters = estimator.get_params(deep=False)
        if not set(parameters) - _named(type(estimator)) <= HARMLESS:
            return False
        rounds = parameters.get(self.rounds)
        if not isinstance(rounds, int | np.integer) or isinstance(rounds, bool) or rounds < 1:
            return False
        return all(_is_one_of(parameters.get(name, allowed[0]), allowed) for name, allowed in self.fixed)

    def shares(self, estimator: Any) -> Hashable:
        return params_key_without(estimator, self.rounds)

    def fit(self, estimators: Sequence[Any], X: Any, y: AnyArray, extra: dict[str, Any]) -> Any:
        from sklearn.base import clone

        longest = clone(estimators[0]).set_params(**{self.rounds: max(map(self._rounds, estimators))})
        return longest.fit(X, y, **extra)

    def answers(self, fitted: Any, estimators: Sequence[Any], X: Any, responses: Sequence[str]) -> list[Given | None]:
        wanted = sorted(set(map(self._rounds, estimators)))
        found = {name: self.stages(fitted, X, name, wanted) for name in responses}
        classes = getattr(fitted, "classes_", None)
        rounds = map(self._rounds, estimators)
        return [Given(classes, {name: found[name][count] for name in responses}) for count in rounds]

    def _rounds(self, estimator: Any) -> int:
        return int(getattr(estimator, self.rounds))


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


def _staged(model: Any, X: Any, response: str, wanted: list[int]) -> dict[int, AnyArray]:
    """Scikit-learn's own stages; a run that stopped early answers longer ones with its last stage."""
    found: dict[int, AnyArray] = {}
    last: AnyArray = np.empty(0)
    for stage, last in enumerate(getattr(model, f"staged_{response}")(X), start=1):
        if stage in wanted:
            found[stage] = np.array(last)
        if stage == wanted[-1]:
            break
    answers = {rounds: found.get(rounds, last) for rounds in wanted}
    # of two classes, the stages have one column where the model itself has none
    return {rounds: value[:, 0] if value.shape[1:] == (1,) else value for rounds, value in answers.items()}


def _shortened(model: Any, X: Any, response: str, wanted: list[int]) -> dict[int, AnyArray]:
    """AdaBoost: the same code asked with fewer members, since its stages are added up in another order."""
    from copy import copy

    found = {}
    for rounds in wanted:
        short = copy(model)
        short.estimators_ = model.estimators_[:rounds]
        short.estimator_weights_ = model.estimator_weights_[:rounds]
        found[rounds] = getattr(short, response)(X)
    return found


def _lightgbm(model: Any, X: Any, response: str, wanted: list[int]) -> dict[int, AnyArray]:
    return {rounds: getattr(model, response)(X, num_iteration=rounds) for rounds in wanted}


def _xgboost(model: Any, X: Any, response: str, wanted: list[int]) -> dict[int, AnyArray]:
    return {rounds: getattr(model, response)(X, iteration_range=(0, rounds)) for rounds in wanted}


def _catboost(model: Any, X: Any, response: str, wanted: list[int]) -> dict[int, AnyArray]:
    return {rounds: getattr(model, response)(X, rounds=rounds) for rounds in wanted}


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
        Boosting("catboost", "iterations", ("CatBoostedRegressor", "CatBoostedClassifier"), _catboost, "foldwise")
    ),
)
