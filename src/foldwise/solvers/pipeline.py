"""What is done to a table of numbers before the estimator a solver knows: nothing, or scaling inside the fold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.dataset import Dataset


@dataclass(frozen=True)
class Scaling:
    """What a training part does to the columns, and to the target, before the core learns.

    >>> Scaling().is_plain
    True
    """

    means: bool = False  # are the training means taken off?
    spreads: bool = False  # are the columns divided by their training standard deviations?
    target: bool = False  # is the target brought to mean 0 and variance 1?

    @property
    def is_plain(self) -> bool:
        return self == _PLAIN


_PLAIN = Scaling()


def scaled(estimator: Any) -> tuple[Scaling, Any] | None:
    """The scaling and the core of an estimator, or None where something else is done on the way.

    Known are bare estimators, pipelines of StandardScaler, the preparation of the built-in learners (on numbers
    without gaps, where imputing changes nothing), and a target scaled by StandardScaler.

    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> scaled(make_pipeline(StandardScaler(), Ridge(2.0)))
    (Scaling(means=True, spreads=True, target=False), Ridge(alpha=2.0))
    """
    steps = _steps(estimator)
    if not steps:
        return None
    core, scaling = steps[-1], _PLAIN
    for step in steps[:-1]:
        if not _changes_nothing(step):
            if not _is_scaler(step) or scaling != _PLAIN:
                return None
            scaling = Scaling(means=step.with_mean, spreads=step.with_std)
    if _is_named(core, "TransformedTargetRegressor"):
        if not _scales_target(core):
            return None
        core, scaling = core.regressor, Scaling(scaling.means, scaling.spreads, target=True)
    return (scaling, core) if hasattr(core, "fit") else None


def numbers(data: Dataset) -> FloatArray | None:
    """The features as a dense array of finite numbers, or None where they are something else; looked at once."""
    if data not in _NUMBERS:
        _NUMBERS[data] = _numbers(data)
    return _NUMBERS[data]


_NUMBERS: WeakKeyDictionary[Dataset, FloatArray | None] = WeakKeyDictionary()


def _numbers(data: Dataset) -> FloatArray | None:
    if isinstance(data.X, np.ndarray):
        table = data.X
    elif hasattr(data.X, "iloc") and all(kind == "number" for kind in data.kinds):
        table = data.X.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        return None
    if table.dtype != np.float64 or table.ndim != 2 or not table.shape[1] or not np.isfinite(table).all():
        return None
    return np.ascontiguousarray(table)


def scale_columns(X: FloatArray, train: IntArray, scaling: Scaling) -> tuple[FloatArray, FloatArray]:
    """What is taken off each column and what it is divided by, with scikit-learn's own arithmetic."""
    from sklearn import config_context
    from sklearn.preprocessing import StandardScaler

    width = X.shape[1]
    if not (scaling.means or scaling.spreads):
        return np.zeros(width), np.ones(width)
    with config_context(assume_finite=True, skip_parameter_validation=True):
        fitted = StandardScaler(with_mean=scaling.means, with_std=scaling.spreads).fit(X[train])
    shift = fitted.mean_ if scaling.means else np.zeros(width)
    return shift, fitted.scale_ if scaling.spreads else np.ones(width)


def scale_target(y: FloatArray, scaling: Scaling) -> tuple[float, float]:
    """What is taken off a training target and what it is divided by."""
    if not scaling.target:
        return 0.0, 1.0
    from sklearn.preprocessing import StandardScaler

    fitted = StandardScaler().fit(y[:, None])
    return float(fitted.mean_[0]), float(fitted.scale_[0])


def _steps(estimator: Any) -> list[Any]:
    """The steps of nested plain pipelines in order; none where a pipeline is more than a chain."""
    if not _is_named(estimator, "Pipeline"):
        return [estimator]
    if estimator.memory is not None or getattr(estimator, "transform_input", None) is not None:
        return []
    found: list[Any] = []
    for _, step in estimator.steps:
        inner = _steps(step)
        if not inner:
            return []
        found += inner
    return found


def _is_named(thing: Any, name: str) -> bool:
    """Is it exactly scikit-learn's class of this name? Subclasses may do something else."""
    kind = type(thing)
    return kind.__name__ == name and kind.__module__.partition(".")[0] == "sklearn"


def _changes_nothing(step: Any) -> bool:
    """Steps that hand finite numbers on as they are."""
    if step is None or (isinstance(step, str) and step == "passthrough"):
        return True
    if not _is_named(step, "SimpleImputer"):
        return False
    return (
        step.strategy in ("mean", "median", "most_frequent", "constant")
        and not step.add_indicator
        and isinstance(step.missing_values, float)
        and bool(np.isnan(step.missing_values))
    )


def _is_scaler(step: Any) -> bool:
    return _is_named(step, "StandardScaler") and type(step.with_mean) is bool and type(step.with_std) is bool


def _scales_target(wrapper: Any) -> bool:
    transformer = wrapper.transformer
    is_plain = wrapper.func is None and wrapper.inverse_func is None and wrapper.regressor is not None
    return is_plain and _is_scaler(transformer) and transformer.with_mean and transformer.with_std
