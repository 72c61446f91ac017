"""Kernel ridge and Gaussian processes with a fixed kernel: one Gram matrix, one reduction per training set."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Literal

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.ridge_dual import Products, in_chunks
from foldwise.solvers.ridge_penalties import PenaltyBatch, Predictions, score_targets
from foldwise.solvers.scaling import known_numbers, known_scaling, numbers, scale_columns, scale_target, scaled
from foldwise.solvers.solver import Answered, FitRequest, grouped_parts, has_repeats
from foldwise.solvers.steps import params_key

KERNELS = ("linear", "rbf", "poly", "polynomial", "laplacian", "sigmoid", "cosine")
GRAM_ROWS = 5000  # of larger tables no Gram matrix of all rows is held


class KernelRidgeSolver:
    """Answers KernelRidge, and GaussianProcessRegressor where its kernel is not fitted."""

    name = "kernel ridge"
    batch: Literal["method", "train"] = "method"
    is_exact = True

    def takes(self, estimator: Any, data: Dataset) -> bool:
        known = scaled(estimator)
        if known is None or data.task != "regression" or numbers(data) is None:
            return False
        return _is_kernel_ridge(known[1]) or (not known[0].target and _is_fixed_process(known[1]))

    def shares(self, estimator: Any) -> Hashable:
        scaling, final = known_scaling(estimator)
        if type(final).__name__ == "KernelRidge":
            return scaling, final.kernel, final.gamma, final.degree, final.coef0
        return scaling, params_key(final.kernel), final.normalize_y  # its text has three digits of each number

    def pays(self, requests: Sequence[FitRequest], data: Dataset) -> bool:
        """A reduction per training set, against every fit; in multiplications."""
        plain = ours = 0.0
        for request in requests:
            rows, count = request.train.size, len(request.estimators)
            plain += count * (rows**3 / 3 + rows**2 * data.columns + 3e6)
            ours += 0.7 * rows**3 + 4 * rows**2 * count + 2e6
        kernels = len({self.shares(request.estimators[0]) for request in requests})
        return 3e6 + ours + kernels * data.columns * float(min(data.rows, GRAM_ROWS)) ** 2 < plain

    def solve(self, requests: Sequence[FitRequest], data: Dataset) -> Iterator[Answered]:
        for parts in grouped_parts(requests, self.shares):
            yield from _Batch(parts[0].request.estimators[0], data).solve(parts)


SOLVERS = (KernelRidgeSolver(),)


def _is_kernel_ridge(final: Any) -> bool:
    from sklearn.kernel_ridge import KernelRidge

    if type(final) is not KernelRidge or final.kernel_params is not None:
        return False
    is_known = isinstance(final.kernel, str) and final.kernel in KERNELS
    return is_known and all(_is_number(value) for value in (final.alpha, final.degree, final.coef0, final.gamma or 0.0))


def _is_fixed_process(final: Any) -> bool:
    from sklearn.gaussian_process import GaussianProcessRegressor, kernels

    if type(final) is not GaussianProcessRegressor or final.n_targets not in (None, 1) or not _is_number(final.alpha):
        return False
    known = final.kernel is None or isinstance(final.kernel, kernels.Kernel)
    is_fixed = final.optimizer is None or (final.kernel is not None and final.kernel.n_dims == 0)
    return known and is_fixed and all(_is_sklearns(part) for part in _parts(final.kernel))


def _parts(kernel: Any) -> list[Any]:
    """A kernel and the kernels it is made of."""
    inner = [getattr(kernel, name, None) for name in ("k1", "k2", "kernel")]
    return [] if kernel is None else [kernel, *(part for one in inner for part in _parts(one))]


def _is_sklearns(kernel: Any) -> bool:
    return type(kernel).__module__ == "sklearn.gaussian_process.kernels" and type(kernel).__name__ != "PairwiseKernel"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and bool(np.isfinite(value)) and bool(value >= 0)


def _penalty(estimator: Any) -> float:
    return float(known_scaling(estimator)[1].alpha)


class _Batch(PenaltyBatch):
    """All fits of one kernel."""

    def __init__(self, estimator: Any, data: Dataset) -> None:
        super().__init__(data, score_targets(data), _penalty)
        self.X, (self.scaling, self.final) = known_numbers(data), known_scaling(estimator)
        self.is_process = type(self.final).__name__ == "GaussianProcessRegressor"
        self.weights = None if self.is_process else data.weights
        self._gram: FloatArray | None = None

    def is_able(self, request: FitRequest) -> bool:
        """A process adds noise where a row meets itself, so its rows must not meet."""
        train, rows = request.train, request.rows
        meets = self.is_process and (has_repeats(train) or bool(np.isin(rows, train).any()))
        return super().is_able(request) and not meets

    def predictions(self, requests: list[FitRequest], penalties: FloatArray) -> list[Predictions]:
        predictions: dict[int, Predictions] = {}
        sizes = [request.train.size for request in requests]
        for at, (values, wrong) in in_chunks(sizes, lambda at: self._part(requests[at]), penalties):
            middle, spread = self._target(requests[at])
            values = values * spread + middle
            # residuals may be large beside the predictions, which are what must keep their digits
            size = np.maximum(np.abs(values).max(axis=(1, 2)), 1.0)
            predictions[at] = values, wrong * spread * self._blur() * np.maximum(self.scale / size, 1.0)
        return [predictions[at] for at in range(len(requests))]

    def _part(self, request: FitRequest) -> Products:
        train, rows = request.train, request.rows
        middle, spread = self._target(request)
        roots = None if self.weights is None else np.sqrt(self.weights[train])
        Y = (self.Y[train] - middle) / spread
        if not (self.scaling.means or self.scaling.spreads) and self.data.rows <= GRAM_ROWS:
            if self._gram is None:  # one matrix holds those of all training sets
                self._gram = self._kernel(self.X)
            return Products(self._gram[np.ix_(train, train)], self._gram[np.ix_(rows, train)], Y, np.zeros(1), roots)
        shift, scale = scale_columns(self.X, train, self.scaling)
        table, asked = (self.X[train] - shift) / scale, (self.X[rows] - shift) / scale
        return Products(self._kernel(table), self._kernel(asked, table), Y, np.zeros(1), roots)

    def _target(self, request: FitRequest) -> tuple[float, float]:
        """What is taken off the training target, and what it is divided by."""
        y = self.Y[request.train, 0]
        if self.scaling.target:
            return scale_target(y, self.scaling)
        if not self.is_process or not self.final.normalize_y:
            return 0.0, 1.0
        spread = float(np.std(y))
        return float(np.mean(y)), spread if spread > 10 * np.finfo(float).eps else 1.0

    def _kernel(self, A: FloatArray, B: FloatArray | None = None) -> FloatArray:
        final = self.final
        if not self.is_process:
            from sklearn.metrics.pairwise import pairwise_kernels

            given = {"gamma": final.gamma, "degree": final.degree, "coef0": final.coef0}
            return np.asarray(pairwise_kernels(A, B, metric=final.kernel, filter_params=True, **given))
        from sklearn.base import clone
        from sklearn.gaussian_process.kernels import RBF, ConstantKernel

        kernel = ConstantKernel() * RBF() if final.kernel is None else clone(final.kernel)
        return np.asarray(kernel(A) if B is None else kernel(A, B))

    def _blur(self) -> float:
        """How many times its last digit a kernel value may be wrong: distances from norms lose some."""
        if self.is_process or self.final.kernel != "rbf":
            return 1.0
        gamma: float = 1.0 / self.X.shape[1] if self.final.gamma is None else float(self.final.gamma)
        size = 4.0 * self.X.shape[1] if self.scaling.spreads else float(np.square(self.X).sum(axis=1).max())
        return 1.0 + gamma * size / 4
