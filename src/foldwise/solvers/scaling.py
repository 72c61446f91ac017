"""Tables of numbers that are only scaled before an estimator learns: what solvers in closed form work on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.steps import is_chain, is_kind, take_apart


@dataclass(frozen=True)
class Scaling:
    """What a training set does to the columns, and to the target, before the last estimator learns."""

    means: bool = False  # are the training means taken off?
    spreads: bool = False  # are the columns divided by their training standard deviations?
    target: bool = False  # is the target brought to mean 0 and variance 1?


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


def known_scaling(estimator: Any) -> tuple[Scaling, Any]:
    """The same of an estimator that a solver has taken."""
    scaling = scaled(estimator)
    assert scaling is not None
    return scaling


def numbers(data: Dataset) -> FloatArray | None:
    """The features as a dense array of finite numbers, or None where they are something else; looked at once."""
    if data not in _NUMBERS:
        _NUMBERS[data] = _numbers(data)
    return _NUMBERS[data]


def known_numbers(data: Dataset) -> FloatArray:
    """The same of data that a solver has taken."""
    table = numbers(data)
    assert table is not None
    return table


def scale_columns(X: FloatArray, train: IntArray, scaling: Scaling) -> tuple[FloatArray, FloatArray]:
    """What is taken off each column and what it is divided by, with scikit-learn's own arithmetic."""
    width = X.shape[1]
    if not (scaling.means or scaling.spreads):
        return np.zeros(width), np.ones(width)
    moments = _moments(X[train]) if _has_same_moments() else None
    shift, spread = moments or _fitted_moments(X[train])
    return shift if scaling.means else np.zeros(width), spread if scaling.spreads else np.ones(width)


def scale_target(y: FloatArray, scaling: Scaling) -> tuple[float, float]:
    """What is taken off a training target and what it is divided by."""
    if not scaling.target:
        return 0.0, 1.0
    from sklearn.preprocessing import StandardScaler

    fitted = StandardScaler().fit(y[:, None])
    return float(fitted.mean_[0]), float(fitted.scale_[0])


def is_between(value: Any, low: float, high: float) -> bool:
    """Is it a number (no truth value) in this range, its ends included?"""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return is_number and bool(low <= value <= high)


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


def _flat(steps: tuple[tuple[str, Any], ...]) -> Iterator[Any]:
    """The steps, and those of plain pipelines among them."""
    for _, step in steps:
        if is_kind(step, "Pipeline") and is_chain(step) and step.steps:
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


def _fitted_moments(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    from sklearn import config_context
    from sklearn.preprocessing import StandardScaler

    with config_context(assume_finite=True, skip_parameter_validation=True):
        fitted = StandardScaler().fit(X)
    return fitted.mean_, fitted.scale_


def _moments(X: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Means and standard deviations as scikit-learn computes them (two passes, corrected; Chan, Golub and LeVeque).

    Its own checks of a table take longer than many a training set does. None where it may do otherwise.
    """
    count, total = float(len(X)), X.sum(axis=0)
    if X.dtype != np.float64 or not count or not np.isfinite(total).all():
        return None
    mean = total / count
    centred = X - mean
    rounding = centred.sum(axis=0)
    centred **= 2
    variance = (centred.sum(axis=0) - rounding**2 / count) / count
    epsilon = np.finfo(np.float64).eps
    spread = np.sqrt(variance)
    spread[variance <= count * epsilon * variance + (count * mean * epsilon) ** 2] = 1.0
    return mean, spread


@cache
def _has_same_moments() -> bool:
    """Does this version of scikit-learn compute moments that way, to the bit? Tried once per process."""
    rng = np.random.default_rng(0)
    for rows, columns in ((2, 1), (7, 3), (150, 6), (1000, 4)):
        X = rng.normal(size=(rows, columns)) * 10.0 ** rng.integers(-3, 4, columns) + rng.normal(size=columns)
        X[:, 0] = 0.1
        moments = _moments(X)
        if moments is None or any(map(np.any, map(np.not_equal, moments, _fitted_moments(X)))):
            return False
    return True
