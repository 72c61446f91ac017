"""A pipeline taken apart: its steps, fitted once per training set for all candidates and learners, and the learner."""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from copy import copy, deepcopy
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from foldwise.arrays import IntArray
from foldwise.data.dataset import Dataset
from foldwise.learners.model import Fitting, make_fitting
from foldwise.solvers.solver import rows_digest

MOST_BYTES = 128 * 2**20  # of transformed tables that a process keeps
# Code that draws no random numbers but from a random_state; a user's own steps may draw from anywhere.
REPEATABLE = ("sklearn", "foldwise.learners", "numpy", "scipy", "lightgbm", "xgboost", "catboost")

Steps = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, eq=False)
class Parts:
    """An estimator taken apart: steps before the last, what is done to the target, and the last, which learns."""

    steps: Steps
    target: Any  # the transformer of a TransformedTargetRegressor, or None
    estimator: Any

    @property
    def key(self) -> Hashable:
        """Equal where the same is done before the estimator."""
        return tuple(params_key(step) for _, step in self.steps), params_key(self.target)


def take_apart(estimator: Any) -> Parts | None:
    """The parts of a bare estimator, of a plain pipeline, and of a target transformed by scikit-learn's scaler.

    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> take_apart(make_pipeline(StandardScaler(), Ridge(2.0)))
    Parts(steps=(('standardscaler', StandardScaler()),), target=None, estimator=Ridge(alpha=2.0))
    """
    steps: Steps = ()
    while is_kind(estimator, "Pipeline"):
        if not is_chain(estimator) or not estimator.steps or not hasattr(estimator.steps[-1][1], "fit"):
            return None
        steps, estimator = (*steps, *estimator.steps[:-1]), estimator.steps[-1][1]
    if is_kind(estimator, "TransformedTargetRegressor"):
        is_plain = estimator.func is None and estimator.inverse_func is None and estimator.regressor is not None
        if is_plain and is_kind(estimator.transformer, "StandardScaler"):
            return Parts(steps, estimator.transformer, estimator.regressor)
    return Parts(steps, None, estimator)


def is_kind(thing: Any, *names: str, package: str = "sklearn") -> bool:
    """Is it exactly the package's class of one of these names? Subclasses may do something else."""
    kind = type(thing)
    return kind.__name__ in names and kind.__module__.partition(".")[0] == package


def is_chain(pipeline: Any) -> bool:
    """Is a pipeline no more than its steps?"""
    return pipeline.memory is None and getattr(pipeline, "transform_input", None) is None


def parameters_of(estimator: Any) -> dict[str, Any]:
    """Its parameters; CatBoost keeps them beside an empty model, which is never the same as another's."""
    is_catboost = type(estimator).__module__.partition(".")[0] == "catboost"
    parameters: dict[str, Any] = estimator.get_params() if is_catboost else vars(estimator)
    return parameters


def copy_of(estimator: Any) -> Any:
    """An estimator that is not fitted, as a clone of it, made in a tenth of the time; its generator is its own."""
    copied = copy(estimator)
    if getattr(copied, "random_state", None) is not None:
        copied.random_state = deepcopy(copied.random_state)
    return copied


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
        return type(value), tuple((name, params_key(item)) for name, item in sorted(parameters_of(value).items()))
    return (type(value), value) if isinstance(value, Hashable) else (type(value), id(value))


def params_key_without(estimator: Any, *free: str) -> Hashable:
    """The same of an estimator, apart from the parameters one fit answers for."""
    parameters = {name: value for name, value in sorted(parameters_of(estimator).items()) if name not in free}
    if isinstance(others := parameters.get("_other_params"), dict):  # LightGBM notes there what it is told later
        parameters["_other_params"] = {name: value for name, value in others.items() if name not in free}
    return type(estimator), tuple((name, params_key(value)) for name, value in parameters.items())


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
    named = value if isinstance(value, type) or hasattr(value, "__name__") else type(value)
    home = getattr(named, "__module__", None) or ("numpy" if isinstance(value, np.ufunc) else "")
    if not any(home == package or home.startswith(f"{package}.") for package in REPEATABLE):
        return False
    if hasattr(value, "get_params"):
        return all(map(is_repeatable, parameters_of(value).values()))
    # a splitter without a seed draws from the world's random numbers
    return isinstance(value, type) or callable(value) or getattr(value, "random_state", 0) is not None


@dataclass(eq=False)
class FittedSteps:
    """Fitted steps, the training set after them, and other rows that have passed them."""

    pipeline: Any  # the steps, fitted; None where there are none
    X: Any
    passed: dict[bytes, Any] = field(default_factory=dict)
    size: int = 0
    steps: Steps = ()  # as they were given: what is told apart by its place in memory must not leave it

    def transform(self, rows: IntArray, data: Dataset) -> Any:
        """Other rows as they look after the steps; not to be written to."""
        key = rows_digest(rows)
        if key not in self.passed:
            table = data.take(rows)
            self.passed[key] = table if self.pipeline is None else self.pipeline.transform(table)
            self.size += bytes_of(self.passed[key])
        return self.passed[key]


def fit_steps(steps: Steps, train: IntArray, data: Dataset) -> FittedSteps | None:
    """The training set after these steps, fitted now if nobody has asked before; None where they fail or warn."""
    if not steps:
        return FittedSteps(None, data.take(train))
    key = (rows_digest(train), tuple(params_key(step) for _, step in steps))
    known = _FITTED.setdefault(data, {})
    fitted = known.pop(key, None) or _fit_steps(steps, train, data)
    if fitted is not None:
        known[key] = fitted  # the last asked for is the last to be dropped
        size = sum(other.size for other in list(known.values()))
        for oldest in list(known)[:-1]:
            if size <= MOST_BYTES:
                break
            dropped = known.pop(oldest, None)  # another thread may have been quicker
            size -= dropped.size if dropped else 0
    return fitted


def fit_behind_steps(fitting: Fitting, data: Dataset, train: IntArray, seed: int) -> Any:
    """The model of a built-in learner behind its preprocessing; None where the plain fit must do it."""
    if fitting.stops:
        return None
    pipeline = fitting.seeded(seed)
    if not is_kind(pipeline, "Pipeline") or [name for name, _ in pipeline.steps] != ["prepare", "learner"]:
        return None
    step, estimator = pipeline.steps[0], pipeline.steps[1][1]
    fitted = fit_steps((step,), train, data) if is_repeatable(step[1]) else None
    if fitted is None:
        return None
    from sklearn.base import clone
    from sklearn.pipeline import Pipeline

    model = clone(estimator).fit(copied(fitted.X), data.y[train], **fit_keywords(estimator, train, data))
    return Pipeline([("prepare", fitted.pipeline), ("learner", model)])


def fit_keywords(estimator: Any, train: IntArray, data: Dataset) -> dict[str, Any]:
    """Row weights and groups as the plain loop hands them to this estimator."""
    if data.weights is None and data.groups is None:
        return {}
    fitting, keywords = make_fitting(estimator), dict[str, Any]()
    if fitting.weights and data.weights is not None:
        keywords[fitting.weights] = data.weights[train]
    if fitting.groups and data.groups is not None:
        keywords[fitting.groups] = data.groups[train]
    return keywords


def copied(X: Any) -> Any:
    """A copy in the same memory order: some estimators write into what they are given."""
    return X.copy(order="K") if isinstance(X, np.ndarray) else X.copy()


def bytes_of(table: Any) -> int:
    """The memory of a table, near enough.

    >>> import numpy as np
    >>> bytes_of(np.zeros((3, 2)))
    48
    """
    if hasattr(table, "memory_usage"):
        return int(table.memory_usage(index=False).sum())
    parts = [getattr(table, name, None) for name in ("data", "indices", "indptr")] if hasattr(table, "tocsr") else []
    return sum(int(part.nbytes) for part in parts if part is not None) if parts else int(getattr(table, "nbytes", 0))


_FITTED: WeakKeyDictionary[Dataset, dict[Hashable, FittedSteps]] = WeakKeyDictionary()


def _fit_steps(steps: Steps, train: IntArray, data: Dataset) -> FittedSteps | None:
    """None where the plain loop has something to say about the steps: an error, or a warning for every fit."""
    from sklearn.base import clone
    from sklearn.pipeline import Pipeline

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            pipeline = Pipeline([(f"step{at}", clone(step, safe=False)) for at, (_, step) in enumerate(steps)])
            X = pipeline.fit_transform(data.take(train), data.y[train])
        except Exception:
            return None
    return None if caught else FittedSteps(pipeline, X, size=bytes_of(X), steps=steps)
