"""What the steps of a pipeline do to a training set: done once for all candidates and learners."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.learners.model import Fitting, make_fitting
from foldwise.solvers.steps import Scaling, is_kind, is_repeatable, params_key

MOST_BYTES = 128 * 2**20  # of transformed tables that a process keeps


@dataclass(eq=False)
class FittedSteps:
    """Fitted steps, the training set after them, and other rows that have passed them."""

    fitted: Any  # the steps as one pipeline; None where there are none
    X: Any
    seen: dict[bytes, Any] = field(default_factory=dict)
    size: int = 0
    given: Any = None  # the steps as they were given: what is told apart by its place in memory must not leave it

    def transform(self, rows: IntArray, data: Dataset) -> Any:
        """Other rows as they look after the steps; not to be written to."""
        key = _name(rows)
        found = self.seen.get(key)
        if found is None:
            table = data.take(rows)
            found = self.seen[key] = table if self.fitted is None else self.fitted.transform(table)
            self.size += bytes_of(found)
        return found


def fit_steps(steps: tuple[tuple[str, Any], ...], train: IntArray, data: Dataset) -> FittedSteps | None:
    """The training set after these steps, fitted now if nobody has asked before; None where they fail or warn."""
    if not steps:
        return FittedSteps(None, data.take(train))
    key = (_name(train), tuple(params_key(step) for _, step in steps))
    kept = _KEPT.setdefault(data, {})
    found = kept.pop(key, None) or _fitted(steps, train, data)
    if found is not None:
        kept[key] = found  # the last asked for is the last to be dropped
        _forget(kept)
    return found


def fit_behind_steps(fitting: Fitting, data: Dataset, train: IntArray, seed: int) -> Any:
    """The model of a built-in learner behind its preprocessing; None where the plain fit must do it."""
    if fitting.stops:
        return None
    pipeline = fitting.seeded(seed)
    if not is_kind(pipeline, "Pipeline") or [name for name, _ in pipeline.steps] != ["prepare", "learner"]:
        return None
    step, estimator = pipeline.steps[0], pipeline.steps[1][1]
    found = fit_steps((step,), train, data) if is_repeatable(step[1]) else None
    return None if found is None else _behind(found, estimator, data, train)


def fit_keywords(estimator: Any, train: IntArray, data: Dataset) -> dict[str, Any]:
    """Row weights and groups as the plain loop hands them to this estimator."""
    if data.weights is None and data.groups is None:
        return {}
    fitting, extra = make_fitting(estimator), dict[str, Any]()
    if fitting.weights and data.weights is not None:
        extra[fitting.weights] = data.weights[train]
    if fitting.groups and data.groups is not None:
        extra[fitting.groups] = data.groups[train]
    return extra


def numbers(data: Dataset) -> FloatArray | None:
    """The features as a dense array of finite numbers, or None where they are something else; looked at once."""
    if data not in _NUMBERS:
        _NUMBERS[data] = _numbers(data)
    return _NUMBERS[data]


def scale_columns(X: FloatArray, train: IntArray, scaling: Scaling) -> tuple[FloatArray, FloatArray]:
    """What is taken off each column and what it is divided by, with scikit-learn's own arithmetic."""
    width = X.shape[1]
    if not (scaling.means or scaling.spreads):
        return np.zeros(width), np.ones(width)
    found = _moments(X[train]) if _has_same_moments() else None
    shift, spread = found or _fitted_moments(X[train])
    return shift if scaling.means else np.zeros(width), spread if scaling.spreads else np.ones(width)


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
    left = X - mean
    rounding = left.sum(axis=0)
    left **= 2
    variance = (left.sum(axis=0) - rounding**2 / count) / count
    epsilon = np.finfo(np.float64).eps
    spread = np.sqrt(variance)
    spread[variance <= count * epsilon * variance + (count * mean * epsilon) ** 2] = 1.0
    return mean, spread


@cache
def _has_same_moments() -> bool:
    """Does this version of scikit-learn compute moments that way, to the bit? Seen once per process."""
    rng = np.random.default_rng(0)
    for rows, columns in ((2, 1), (7, 3), (150, 6), (1000, 4)):
        X = rng.normal(size=(rows, columns)) * 10.0 ** rng.integers(-3, 4, columns) + rng.normal(size=columns)
        X[:, 0] = 0.1
        mine = _moments(X)
        if mine is None or any(map(np.any, map(np.not_equal, mine, _fitted_moments(X)))):
            return False
    return True


def scale_target(y: FloatArray, scaling: Scaling) -> tuple[float, float]:
    """What is taken off a training target and what it is divided by."""
    if not scaling.target:
        return 0.0, 1.0
    from sklearn.preprocessing import StandardScaler

    fitted = StandardScaler().fit(y[:, None])
    return float(fitted.mean_[0]), float(fitted.scale_[0])


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


_NUMBERS: WeakKeyDictionary[Dataset, FloatArray | None] = WeakKeyDictionary()
_KEPT: WeakKeyDictionary[Dataset, dict[Hashable, FittedSteps]] = WeakKeyDictionary()


def _name(rows: IntArray) -> bytes:
    return hashlib.blake2b(rows.tobytes(), digest_size=16).digest()


def _fit_steps(steps: tuple[tuple[str, Any], ...], X: Any, y: AnyArray) -> tuple[Any, Any]:
    """The steps fitted to a training set, and that set as the next estimator sees it."""
    from sklearn.base import clone
    from sklearn.pipeline import Pipeline

    fitted = Pipeline([(f"step{at}", clone(step, safe=False)) for at, (_, step) in enumerate(steps)])
    return fitted, fitted.fit_transform(X, y)


def _fitted(steps: tuple[tuple[str, Any], ...], train: IntArray, data: Dataset) -> FittedSteps | None:
    """None where the plain loop has something to say about the steps: an error, or a warning for every fit."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            fitted, X = _fit_steps(steps, data.take(train), data.y[train])
        except Exception:
            return None
    return None if caught else FittedSteps(fitted, X, size=bytes_of(X), given=steps)


def _forget(kept: dict[Hashable, FittedSteps]) -> None:
    """Drop the tables that were asked for longest ago, but never the last."""
    total = sum(one.size for one in list(kept.values()))
    for key in list(kept)[:-1]:
        if total <= MOST_BYTES:
            return
        dropped = kept.pop(key, None)
        total -= dropped.size if dropped else 0


def _behind(found: FittedSteps, estimator: Any, data: Dataset, train: IntArray) -> Any:
    from sklearn.base import clone
    from sklearn.pipeline import Pipeline

    model = clone(estimator).fit(copied(found.X), data.y[train], **fit_keywords(estimator, train, data))
    return Pipeline([("prepare", found.fitted), ("learner", model)])


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
