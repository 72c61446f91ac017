"""Kernel ridge and Gaussian processes with a fixed kernel: one Gram matrix, one reduction per training part."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.dual import Products, in_chunks, left_out, rest_to_leave_out
from foldwise.solvers.groups import Group, by_rows, by_settings, has_repeats
from foldwise.solvers.penalties import DOUBT, Found, PenaltyPass
from foldwise.solvers.pipeline import numbers, scale_columns, scaled
from foldwise.solvers.scores import score_targets
from foldwise.solvers.solver import Answer, Job

KERNELS = ("linear", "rbf", "poly", "polynomial", "laplacian", "sigmoid", "cosine")
GRAM_ROWS = 5000  # of larger tables no Gram matrix of all rows is held


class KernelRidgeSolver:
    """Answers KernelRidge, and GaussianProcessRegressor where its kernel is not fitted."""

    name = "kernel ridge"
    unit: Literal["method", "train"] = "method"
    is_exact = True

    def takes(self, estimator: Any, data: Dataset) -> bool:
        known = scaled(estimator)
        if known is None or known[0].target or data.task != "regression" or numbers(data) is None:
            return False
        return _is_kernel_ridge(known[1]) or _is_fixed_process(known[1])

    def shares(self, estimator: Any) -> Hashable:
        known = scaled(estimator)
        assert known is not None
        scaling, core = known
        if type(core).__name__ == "KernelRidge":
            return scaling, core.kernel, core.gamma, core.degree, core.coef0
        return scaling, repr(core.kernel), core.normalize_y

    def pays(self, jobs: Sequence[Job], data: Dataset) -> bool:
        """One reduction per training part, slower per step than a factorisation, against a fit per job."""
        groups = by_rows(jobs, range(len(jobs)))
        plain = sum(job.train.size**3 / 3 + job.train.size**2 * data.columns + 3e6 for job in jobs)
        ours = 3e6 + min(data.rows, GRAM_ROWS) ** 2 * data.columns
        ours += sum(4 * group.train.size**3 + 4 * group.train.size**2 * len(group.jobs) + 2e6 for group in groups)
        return ours < plain

    def solve(self, jobs: Sequence[Job], data: Dataset) -> list[Answer | None]:
        answers: list[Answer | None] = [None] * len(jobs)
        for estimator, places in by_settings(self, jobs):
            for at, answer in _Pass(estimator, jobs, data).solve(places):
                answers[at] = answer
        return answers


SOLVERS = (KernelRidgeSolver(),)


def _is_kernel_ridge(core: Any) -> bool:
    from sklearn.kernel_ridge import KernelRidge

    if type(core) is not KernelRidge or core.kernel_params is not None:
        return False
    is_known = isinstance(core.kernel, str) and core.kernel in KERNELS
    return is_known and all(_is_number(value) for value in (core.alpha, core.degree, core.coef0, core.gamma or 0.0))


def _is_fixed_process(core: Any) -> bool:
    from sklearn.gaussian_process import GaussianProcessRegressor, kernels

    if type(core) is not GaussianProcessRegressor or core.n_targets not in (None, 1) or not _is_number(core.alpha):
        return False
    known = core.kernel is None or isinstance(core.kernel, kernels.Kernel)
    is_fixed = core.optimizer is None or core.kernel is None or core.kernel.n_dims == 0
    return known and is_fixed and all(_is_sklearns(part) for part in _parts(core.kernel))


def _parts(kernel: Any) -> list[Any]:
    """A kernel and the kernels it is made of."""
    inner = [getattr(kernel, name, None) for name in ("k1", "k2", "kernel")]
    return [] if kernel is None else [kernel, *(part for one in inner for part in _parts(one))]


def _is_sklearns(kernel: Any) -> bool:
    return type(kernel).__module__ == "sklearn.gaussian_process.kernels" and type(kernel).__name__ != "PairwiseKernel"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and bool(np.isfinite(value)) and bool(value >= 0)


def _penalty(estimator: Any) -> float:
    known = scaled(estimator)
    assert known is not None
    return float(known[1].alpha)


class _Pass(PenaltyPass):
    """All jobs of one kernel."""

    def __init__(self, estimator: Any, jobs: Sequence[Job], data: Dataset) -> None:
        known, X = scaled(estimator), numbers(data)
        assert known is not None
        assert X is not None
        super().__init__(jobs, data, score_targets(data), _penalty)
        self.X, (self.scaling, self.core) = X, known
        self.is_process = type(self.core).__name__ == "GaussianProcessRegressor"
        self.weights = None if self.is_process else data.weights
        self._gram: FloatArray | None = None

    def is_able(self, group: Group) -> bool:
        """A process adds noise where a row meets itself, so its rows must not meet."""
        meets = self.is_process and (has_repeats(group.train) or bool(np.isin(group.rows, group.train).any()))
        return super().is_able(group) and not meets

    def found(self, groups: list[Group], penalties: FloatArray) -> list[Found]:
        found = self._left_out(groups, penalties)
        rest = [group for group in groups if id(group) not in found]
        for at, answer in in_chunks([group.train.size for group in rest], lambda at: self._part(rest[at]), penalties):
            values, wrong = answer
            middle, spread = self._target(rest[at])
            found[id(rest[at])] = values * spread + middle, wrong * spread * self._blur()
        return [found[id(group)] for group in groups]

    def _left_out(self, groups: list[Group], penalties: FloatArray) -> dict[int, Found]:
        """Small sets left out, from the fit of all rows."""
        normalised = self.is_process and self.core.normalize_y
        is_weighed = self.weights is None or bool((self.weights > 0).all())
        if not self._is_shared() or normalised or not is_weighed:
            return {}
        able = [
            (one, rest)
            for one in groups
            if (rest := rest_to_leave_out(one.train, one.rows, self.data.rows)) is not None
        ]
        if len(able) < 3:
            return {}
        roots = None if self.weights is None else np.sqrt(self.weights)
        parts = [(rest, group.rows) for group, rest in able]
        found = left_out(self._products(), self.Y, roots, penalties, parts, intercept=False)
        sure = [(wrong * self._blur() <= DOUBT * self.scale).all() for _, wrong in found]
        return {id(group): one for (group, _), one, is_sure in zip(able, found, sure, strict=True) if is_sure}

    def _part(self, group: Group) -> Products:
        train, rows = group.train, group.rows
        middle, spread = self._target(group)
        roots = None if self.weights is None else np.sqrt(self.weights[train])
        Y = (self.Y[train] - middle) / spread
        if self._is_shared():
            products = self._products()
            return Products(products[np.ix_(train, train)], products[np.ix_(rows, train)], Y, np.zeros(1), roots)
        shift, scale = scale_columns(self.X, train, self.scaling)
        table, asked = (self.X[train] - shift) / scale, (self.X[rows] - shift) / scale
        return Products(self._kernel(table), self._kernel(asked, table), Y, np.zeros(1), roots)

    def _target(self, group: Group) -> tuple[float, float]:
        """What is taken off the training target, and what it is divided by."""
        if not (self.is_process and self.core.normalize_y):
            return 0.0, 1.0
        y = self.Y[group.train, 0]
        spread = float(np.std(y))
        return float(np.mean(y)), spread if spread > 10 * np.finfo(float).eps else 1.0

    def _is_shared(self) -> bool:
        """Does one Gram matrix hold those of all training parts?"""
        return self.scaling.is_plain and self.data.rows <= GRAM_ROWS

    def _products(self) -> FloatArray:
        if self._gram is None:
            self._gram = self._kernel(self.X)
        return self._gram

    def _kernel(self, A: FloatArray, B: FloatArray | None = None) -> FloatArray:
        core = self.core
        if not self.is_process:
            from sklearn.metrics.pairwise import pairwise_kernels

            settings = {"gamma": core.gamma, "degree": core.degree, "coef0": core.coef0}
            return np.asarray(pairwise_kernels(A, B, metric=core.kernel, filter_params=True, **settings))
        from sklearn.base import clone
        from sklearn.gaussian_process.kernels import RBF, ConstantKernel

        kernel = ConstantKernel() * RBF() if core.kernel is None else clone(core.kernel)
        return np.asarray(kernel(A) if B is None else kernel(A, B))

    def _blur(self) -> float:
        """How many times its last digit a kernel value may be wrong: distances from norms lose some."""
        if self.is_process or self.core.kernel != "rbf":
            return 4.0
        gamma: float = 1.0 / self.X.shape[1] if self.core.gamma is None else float(self.core.gamma)
        size = 4.0 * self.X.shape[1] if self.scaling.spreads else float(np.square(self.X).sum(axis=1).max())
        return 4.0 + gamma * size
