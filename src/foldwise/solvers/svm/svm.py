"""Support vector machines: distances once per training part, one Gram per kernel setting, all penalties on it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.family import FamilySolver, Given, given_by, grouped
from foldwise.solvers.fronts import is_kind, settings, settings_without
from foldwise.solvers.svm.svm_kernels import Kernel, Training, make_kernel

KERNELS = ("rbf", "linear", "poly", "sigmoid")
MOST_ROWS = 5_000  # two square tables of this size are 400 MB
FREE = ("kernel", "gamma", "coef0", "degree", "C", "epsilon", "nu", "tol")
SMALL = 300  # up to so many rows a whole kernel costs nothing to speak of
WORTH = 0.7  # candidates of a kernel x share of support vectors, from which on a whole kernel is cheaper


@dataclass(frozen=True, eq=False)
class Machine:
    """A training part, and the models on the kernels made of it."""

    part: Training
    models: dict[Hashable, Model]  # by the settings of the estimator


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted estimator; with the kernel it was given ready made, if it was."""

    fitted: Any
    kernel: Kernel | None


@dataclass(frozen=True)
class SupportVectors:
    """The solver is scikit-learn's own, given its kernel ready made, rounded as it would round it."""

    name: str = "svm"
    is_exact: bool = True

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
        machine = Machine(Training(table), {})
        kernels = grouped(cores, lambda core: make_kernel(core, table))
        probe = kernels[0][0] if len(table) > SMALL else None
        is_worth_it = True
        if probe is not None:  # with few support vectors libsvm would look at little of its kernel
            fitted = _clone(probe).fit(X, y, **extra)
            machine.models[settings(probe)] = Model(fitted, None)
            share = fitted.support_.size / len(table)
            is_worth_it = share * len(cores) > WORTH * len(kernels)
        for same in kernels:
            left = [core for core in same if core is not probe]
            kernel = make_kernel(same[0], table) if is_worth_it else None
            self._fit(machine, left, kernel, X, y, extra)
        return machine

    def _fit(
        self, machine: Machine, cores: Sequence[Any], kernel: Kernel | None, X: Any, y: AnyArray, extra: dict[str, Any]
    ) -> None:
        """The estimators of one kernel."""
        gram = None if kernel is None or not cores else machine.part.gram(kernel)
        for core in cores:
            model = _clone(core)
            if gram is None:
                machine.models[settings(core)] = Model(model.fit(X, y, **extra), None)
            else:
                model.set_params(kernel="precomputed", gamma="scale")
                machine.models[settings(core)] = Model(model.fit(gram, y, **extra), kernel)

    def answers(self, fitted: Machine, cores: Sequence[Any], X: Any, responses: Sequence[str]) -> list[Given | None]:
        beside, given = fitted.part.beside(_dense(X)), dict[int, Given | None]()
        models = {id(core): fitted.models[settings(core)] for core in cores}
        for same in grouped(cores, lambda core: models[id(core)].kernel):
            kernel = models[id(same[0])].kernel
            table = X if kernel is None else beside(kernel)
            given |= {id(core): given_by(models[id(core)].fitted, table, responses) for core in same}
        return [given[id(core)] for core in cores]


def _clone(core: Any) -> Any:
    from sklearn.base import clone

    return clone(core)


def _dense(X: Any) -> FloatArray:
    return np.ascontiguousarray(np.asarray(X), dtype=np.float64)


SOLVERS = (FamilySolver(SupportVectors()),)
