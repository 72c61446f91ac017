"""Support vector machines: distances once per training part, one Gram per kernel setting, all penalties on it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.family import FamilySolver, Given, given_by
from foldwise.solvers.fronts import is_kind, settings, settings_without

KERNELS = ("rbf", "linear", "poly", "sigmoid")
MOST_ROWS = 5_000  # two square tables of this size are 400 MB
KERNEL = ("kernel", "gamma", "coef0", "degree")
FREE = (*KERNEL, "C", "epsilon", "nu", "tol")


@dataclass(frozen=True, eq=False)
class Machine:
    """A training part, and the models on the Grams made of it."""

    X: FloatArray
    products: FloatArray
    models: dict[Hashable, Any]  # by the settings of the estimator
    cache: dict[Hashable, FloatArray] = field(default_factory=dict)


@dataclass(frozen=True)
class SupportVectors:
    """The solver is scikit-learn's own, given its kernel ready made.

    It stops at a tolerance and rounds the kernel to single precision, so a last digit of the kernel
    can, rarely, end it elsewhere within that tolerance: not exact.
    """

    name: str = "svm"
    is_exact: bool = False

    def takes(self, core: Any, data: Dataset) -> bool:
        if not is_kind(core, "SVC", "SVR", "NuSVC", "NuSVR") or data.rows > MOST_ROWS or hasattr(data.X, "tocsr"):
            return False
        if data.weights is not None and not (data.weights > 0).all():
            return False  # libsvm numbers rows without those of no weight, but not the columns of a ready-made kernel
        if core.kernel not in KERNELS or getattr(core, "probability", False) is True or core.max_iter != -1:
            return False
        gamma = core.gamma
        return gamma in ("scale", "auto") if isinstance(gamma, str) else isinstance(gamma, Real) and float(gamma) > 0

    def shares(self, core: Any) -> Hashable:
        return settings_without(core, *FREE)

    def fit(self, cores: Sequence[Any], X: Any, y: AnyArray, extra: dict[str, Any]) -> Machine:
        table = _dense(X)
        machine = Machine(table, table @ table.T, {})
        for core in sorted(cores, key=lambda core: repr(_kernel(core, table))):
            gram = _gram(core, machine, table, machine.products, is_own=True)
            machine.models[settings(core)] = _ready_made(core).fit(gram, y, **extra)
        machine.cache.clear()
        return machine

    def answers(self, fitted: Machine, cores: Sequence[Any], X: Any, responses: Sequence[str]) -> list[Given | None]:
        table = _dense(X)
        products = table @ fitted.X.T
        given: dict[int, Given] = {}
        for core in sorted(cores, key=lambda core: repr(_kernel(core, fitted.X))):
            gram = _gram(core, fitted, table, products, is_own=False)
            given[id(core)] = given_by(fitted.models[settings(core)], gram, responses)
        fitted.cache.clear()
        return [given[id(core)] for core in cores]


def _dense(X: Any) -> FloatArray:
    return np.ascontiguousarray(np.asarray(X), dtype=np.float64)


def _ready_made(core: Any) -> Any:
    from sklearn.base import clone

    return clone(core).set_params(kernel="precomputed", gamma="scale")


def _kernel(core: Any, X: FloatArray) -> tuple[str, float, float, float]:
    """The kernel of an estimator on a training part, with the parameters that matter to it."""
    gamma = core.gamma
    if gamma == "scale":
        variance = float(X.var())
        gamma = 1.0 / (X.shape[1] * variance) if variance != 0 else 1.0
    elif gamma == "auto":
        gamma = 1.0 / X.shape[1]
    degree = float(core.degree) if core.kernel == "poly" else 0.0
    coef0 = float(core.coef0) if core.kernel in ("poly", "sigmoid") else 0.0
    return core.kernel, 0.0 if core.kernel == "linear" else float(gamma), coef0, degree


def _gram(core: Any, machine: Machine, rows: FloatArray, products: FloatArray, *, is_own: bool) -> FloatArray:
    """Kernel values of rows against the training part; the last ones are kept, as penalties come in turn."""
    kernel = _kernel(core, machine.X)
    if kernel not in machine.cache:
        machine.cache.clear()
        machine.cache[kernel] = _values(kernel, machine, rows, products, is_own=is_own)
    return machine.cache[kernel]


def _values(
    kernel: tuple[str, float, float, float],
    machine: Machine,
    rows: FloatArray,
    products: FloatArray,
    *,
    is_own: bool,
) -> FloatArray:
    name, gamma, coef0, degree = kernel
    if name == "linear":
        return products
    if name == "poly":
        return (gamma * products + coef0) ** int(degree)
    if name == "sigmoid":
        return np.tanh(gamma * products + coef0)
    lengths: FloatArray = np.einsum("ij,ij->i", rows, rows)[:, None] + np.einsum("ij,ij->i", machine.X, machine.X)
    lengths -= 2 * products
    np.maximum(lengths, 0.0, out=lengths)
    if is_own:
        np.fill_diagonal(lengths, 0.0)
    lengths *= -gamma
    np.exp(lengths, out=lengths)
    return lengths


SOLVERS = (FamilySolver(SupportVectors()),)
