"""A pipeline taken apart: the steps before its last estimator, compared, and told apart from plain scaling."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from copy import copy, deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

# Code that draws no random numbers but from a random_state; a user's own steps may draw from anywhere.
REPEATABLE = ("sklearn", "foldwise.learners", "numpy", "scipy", "lightgbm", "xgboost", "catboost")


@dataclass(frozen=True, eq=False)
class Parts:
    """An estimator taken apart: steps before the last, what is done to the target, and the last, which learns."""

    steps: tuple[tuple[str, Any], ...]
    target: Any  # the transformer of a TransformedTargetRegressor, or None
    estimator: Any


@dataclass(frozen=True)
class Scaling:
    """What a training set does to the columns, and to the target, before the last estimator learns."""

    means: bool = False  # are the training means taken off?
    spreads: bool = False  # are the columns divided by their training standard deviations?
    target: bool = False  # is the target brought to mean 0 and variance 1?


def take_apart(estimator: Any) -> Parts | None:
    """The parts of a bare estimator, of a plain pipeline, and of a target transformed by scikit-learn's scaler.

    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> take_apart(make_pipeline(StandardScaler(), Ridge(2.0)))
    Parts(steps=(('standardscaler', StandardScaler()),), target=None, estimator=Ridge(alpha=2.0))
    """
    steps: tuple[tuple[str, Any], ...] = ()
    while is_kind(estimator, "Pipeline"):
        if not _is_chain(estimator) or not estimator.steps or not hasattr(estimator.steps[-1][1], "fit"):
            return None
        steps, estimator = (*steps, *estimator.steps[:-1]), estimator.steps[-1][1]
    if is_kind(estimator, "TransformedTargetRegressor") and _scales_target(estimator):
        return Parts(steps, estimator.transformer, estimator.regressor)
    return Parts(steps, None, estimator)


def scaled(estimator: Any) -> tuple[Scaling, Any] | None:
    """The scaling before the last estimator, and that estimator; None where something else is done on the way.

    Known are bare estimators, pipelines of StandardScaler, the preprocessing of the built-in learners (on numbers
    without missing values, where imputing changes nothing), and a target scaled by StandardScaler.

    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> scaled(make_pipeline(StandardScaler(), Ridge(2.0)))
    (Scaling(means=True, spreads=True, target=False), Ridge(alpha=2.0))
    """
    parts = take_apart(estimator)
    if parts is None or not hasattr(parts.estimator, "fit") or is_kind(parts.estimator, "TransformedTargetRegressor"):
        return None
    scalers = [step for step in _flat(parts.steps) if not _changes_nothing(step)]
    if len(scalers) > 1 or not all(map(_is_scaler, scalers)):
        return None
    means, spreads = (scalers[0].with_mean, scalers[0].with_std) if scalers else (False, False)
    if parts.target is None:
        return Scaling(means, spreads), parts.estimator
    is_whole = _is_scaler(parts.target) and parts.target.with_mean and parts.target.with_std
    return (Scaling(means, spreads, target=True), parts.estimator) if is_whole else None


def is_kind(thing: Any, *names: str, package: str = "sklearn") -> bool:
    """Is it exactly the package's class of one of these names? Subclasses may do something else."""
    kind = type(thing)
    return kind.__name__ in names and kind.__module__.partition(".")[0] == package


def told(estimator: Any) -> dict[str, Any]:
    """What an estimator was told; CatBoost keeps it beside an empty model, which is never the same as another's."""
    is_catboost = type(estimator).__module__.partition(".")[0] == "catboost"
    found: dict[str, Any] = estimator.get_params() if is_catboost else vars(estimator)
    return found


def copy_of(estimator: Any) -> Any:
    """An estimator that is not fitted, as a clone of it, made in a tenth of the time; its generator is its own."""
    made = copy(estimator)
    if getattr(made, "random_state", None) is not None:
        made.random_state = deepcopy(made.random_state)
    return made


def params_key(value: Any) -> Hashable:
    """All that two estimators must have in common to be fitted alike, as one value to compare.

    >>> from sklearn.tree import DecisionTreeRegressor
    >>> params_key(DecisionTreeRegressor(min_samples_leaf=1)) == params_key(DecisionTreeRegressor(min_samples_leaf=1.0))
    False
    """
    if value is None or isinstance(value, str | int):
        return type(value), value
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes() if value.dtype != object else id(value)
    if isinstance(value, list | tuple):
        return type(value), tuple(params_key(item) for item in value)
    if isinstance(value, dict):
        return dict, tuple((params_key(key), params_key(item)) for key, item in value.items())
    if isinstance(value, float):
        return type(value), value.hex()  # NaN is like NaN here
    if hasattr(value, "get_params") and not isinstance(value, type):
        return type(value), tuple((name, params_key(item)) for name, item in sorted(told(value).items()))
    return (type(value), value) if isinstance(value, Hashable) else (type(value), id(value))


def params_key_without(estimator: Any, *free: str) -> Hashable:
    """The same of an estimator, apart from the parameters one fit answers for."""
    kept = {name: value for name, value in sorted(told(estimator).items()) if name not in free}
    if isinstance(again := kept.get("_other_params"), dict):  # LightGBM notes there again what it is told later
        kept["_other_params"] = {name: value for name, value in again.items() if name not in free}
    return type(estimator), tuple((name, params_key(value)) for name, value in kept.items())


def is_repeatable(value: Any) -> bool:
    """Does all of it come from code whose only chance is its random_state?

    >>> from sklearn.preprocessing import FunctionTransformer
    >>> is_repeatable(FunctionTransformer(np.log1p)), is_repeatable(FunctionTransformer(lambda X: X))
    (True, False)
    """
    if value is None or isinstance(value, str | bytes | int | float | np.generic | np.ndarray | range | slice):
        return True
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(is_repeatable, value))
    if isinstance(value, dict):
        return all(map(is_repeatable, value.values()))
    if not _is_trusted(value):
        return False
    if hasattr(value, "get_params"):
        return all(map(is_repeatable, told(value).values()))
    # a splitter without a seed draws from the world's random numbers
    return isinstance(value, type) or callable(value) or getattr(value, "random_state", 0) is not None


def _is_chain(pipeline: Any) -> bool:
    """Is a pipeline no more than its steps?"""
    return pipeline.memory is None and getattr(pipeline, "transform_input", None) is None


def _flat(steps: tuple[tuple[str, Any], ...]) -> Iterator[Any]:
    """The steps, and those of plain pipelines among them."""
    for _, step in steps:
        if is_kind(step, "Pipeline") and _is_chain(step) and step.steps:
            yield from _flat(tuple(step.steps))
        else:
            yield step


def _changes_nothing(step: Any) -> bool:
    """Steps that hand finite numbers on as they are."""
    if step is None or (isinstance(step, str) and step == "passthrough"):
        return True
    if not is_kind(step, "SimpleImputer"):
        return False
    return (
        step.strategy in ("mean", "median", "most_frequent", "constant")
        and not step.add_indicator
        and isinstance(step.missing_values, float)
        and bool(np.isnan(step.missing_values))
    )


def _is_scaler(step: Any) -> bool:
    return is_kind(step, "StandardScaler") and type(step.with_mean) is bool and type(step.with_std) is bool


def _scales_target(wrapper: Any) -> bool:
    if wrapper.func is not None or wrapper.inverse_func is not None or wrapper.regressor is None:
        return False
    return is_kind(wrapper.transformer, "StandardScaler")


def _is_trusted(value: Any) -> bool:
    """Is the class, or the function itself, from a package that is known to be repeatable?"""
    named = value if isinstance(value, type) or hasattr(value, "__name__") else type(value)
    home = getattr(named, "__module__", None) or ("numpy" if isinstance(value, np.ufunc) else "")
    return any(home == package or home.startswith(f"{package}.") for package in REPEATABLE)
