"""The steps before the estimator a solver knows: told apart, compared, and fitted once for many candidates."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray

# Code that draws no random numbers but from a random_state; a user's own steps may draw from anywhere.
REPEATABLE = ("sklearn", "foldwise.learners", "numpy", "scipy", "lightgbm", "xgboost")


@dataclass(frozen=True, eq=False)
class Parts:
    """An estimator taken apart: steps before the last, what is done to the target, and the core that learns."""

    front: tuple[tuple[str, Any], ...]
    target: Any  # the transformer of a TransformedTargetRegressor, or None
    core: Any


def take_apart(estimator: Any) -> Parts | None:
    """The parts of a bare estimator, of a plain pipeline, and of a target transformed by scikit-learn's scaler.

    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> take_apart(make_pipeline(StandardScaler(), Ridge(2.0)))
    Parts(front=(('standardscaler', StandardScaler()),), target=None, core=Ridge(alpha=2.0))
    """
    front: tuple[tuple[str, Any], ...] = ()
    while is_kind(estimator, "Pipeline"):
        if estimator.memory is not None or getattr(estimator, "transform_input", None) is not None:
            return None
        if not estimator.steps or not hasattr(estimator.steps[-1][1], "fit"):
            return None
        front, estimator = (*front, *estimator.steps[:-1]), estimator.steps[-1][1]
    if is_kind(estimator, "TransformedTargetRegressor") and _scales_target(estimator):
        return Parts(front, estimator.transformer, estimator.regressor)
    return Parts(front, None, estimator)


def is_kind(thing: Any, *names: str, package: str = "sklearn") -> bool:
    """Is it exactly the package's class of one of these names? Subclasses may do something else."""
    kind = type(thing)
    return kind.__name__ in names and kind.__module__.partition(".")[0] == package


def settings(value: Any) -> Hashable:
    """All that two estimators must have in common to be fitted alike, as one value to compare.

    >>> from sklearn.tree import DecisionTreeRegressor
    >>> settings(DecisionTreeRegressor(min_samples_leaf=1)) == settings(DecisionTreeRegressor(min_samples_leaf=1.0))
    False
    """
    if value is None or isinstance(value, str | int):
        return type(value), value
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes() if value.dtype != object else id(value)
    if isinstance(value, list | tuple):
        return type(value), tuple(settings(item) for item in value)
    if isinstance(value, dict):
        return dict, tuple((settings(key), settings(item)) for key, item in value.items())
    if isinstance(value, float):
        return type(value), value.hex()  # NaN is like NaN here
    if hasattr(value, "get_params") and not isinstance(value, type):
        return type(value), tuple((name, settings(item)) for name, item in sorted(vars(value).items()))
    return (type(value), value) if isinstance(value, Hashable) else (type(value), id(value))


def settings_without(core: Any, *free: str) -> Hashable:
    """The settings of an estimator, apart from the parameters one fit answers for."""
    kept = {name: value for name, value in sorted(vars(core).items()) if name not in free}
    if isinstance(told := kept.get("_other_params"), dict):  # LightGBM notes there again what it is told later
        kept["_other_params"] = {name: value for name, value in told.items() if name not in free}
    return type(core), tuple((name, settings(value)) for name, value in kept.items())


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
        return all(map(is_repeatable, vars(value).values()))
    # a splitter without a seed draws from the world's random numbers
    return isinstance(value, type) or callable(value) or getattr(value, "random_state", 0) is not None


def fit_front(front: tuple[tuple[str, Any], ...], X: Any, y: AnyArray) -> tuple[Any, Any]:
    """The steps fitted to a training part, and that part as the core sees it."""
    if not front:
        return None, X
    from sklearn.base import clone
    from sklearn.pipeline import Pipeline

    fitted = Pipeline([(f"step{at}", clone(step, safe=False)) for at, (_, step) in enumerate(front)])
    return fitted, fitted.fit_transform(X, y)


def copied(X: Any) -> Any:
    """A copy in the same memory order: some estimators write into what they are given."""
    return X.copy(order="K") if isinstance(X, np.ndarray) else X.copy()


def _scales_target(wrapper: Any) -> bool:
    if wrapper.func is not None or wrapper.inverse_func is not None or wrapper.regressor is None:
        return False
    return is_kind(wrapper.transformer, "StandardScaler")


def _is_trusted(value: Any) -> bool:
    """Is the class, or the function itself, from a package that is known to be repeatable?"""
    named = value if isinstance(value, type) or hasattr(value, "__name__") else type(value)
    home = getattr(named, "__module__", None) or ("numpy" if isinstance(value, np.ufunc) else "")
    return any(home == package or home.startswith(f"{package}.") for package in REPEATABLE)
