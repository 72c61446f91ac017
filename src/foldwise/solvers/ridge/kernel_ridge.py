"""Kernel ridge and Gaussian processes with a fixed kernel: one Gram matrix, one reduction per training set."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.solvers.batches import SplitFits, by_shared, by_split, has_repeats
from foldwise.solvers.fitted_steps import numbers, scale_columns, scale_target
from foldwise.solvers.ridge.dual import Products, in_chunks, rest_to_leave_out
from foldwise.solvers.ridge.leave_out import leave_out, leave_out_cost
from foldwise.solvers.ridge.linear_scores import score_targets
from foldwise.solvers.ridge.penalties import Found, PenaltyBatch
from foldwise.solvers.solver import Answer, FitRequest
from foldwise.solvers.steps import params_key, scaled

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
        known = scaled(estimator)
        assert known is not None
        scaling, final = known
        if type(final).__name__ == "KernelRidge":
            return scaling, final.kernel, final.gamma, final.degree, final.coef0
        return scaling, params_key(final.kernel), final.normalize_y  # its text has three digits of each number

    def pays(self, fits: Sequence[FitRequest], data: Dataset) -> bool:
        """Sets left out of one fit of all rows, and a reduction per other training set, against every fit."""
        plain = sum(fit.train.size**3 / 3 + fit.train.size**2 * data.columns + 3e6 for fit in fits)
        batches = by_shared(self, fits)
        ours = sum(_Batch(estimator, fits, data).cost(places) for estimator, places in batches)
        return 3e6 + ours < plain

    def solve(self, fits: Sequence[FitRequest], data: Dataset) -> list[Answer | None]:
        answers: list[Answer | None] = [None] * len(fits)
        for estimator, places in by_shared(self, fits):
            for at, answer in _Batch(estimator, fits, data).solve(places):
                answers[at] = answer
        return answers


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
    known = scaled(estimator)
    assert known is not None
    return float(known[1].alpha)


class _Batch(PenaltyBatch):
    """All fits of one kernel."""

    def __init__(self, estimator: Any, fits: Sequence[FitRequest], data: Dataset) -> None:
        known, X = scaled(estimator), numbers(data)
        assert known is not None
        assert X is not None
        super().__init__(fits, data, score_targets(data), _penalty)
        self.X, (self.scaling, self.final) = X, known
        self.is_process = type(self.final).__name__ == "GaussianProcessRegressor"
        self.weights = None if self.is_process else data.weights
        self._gram: FloatArray | None = None

    def is_able(self, split: SplitFits) -> bool:
        """A process adds noise where a row meets itself, so its rows must not meet."""
        meets = self.is_process and (has_repeats(split.train) or bool(np.isin(split.rows, split.train).any()))
        return super().is_able(split) and not meets

    def found(self, splits: list[SplitFits], penalties: FloatArray) -> list[Found]:
        found = self._left_out(splits, penalties)
        rest = [split for split in splits if id(split) not in found]
        for at, answer in in_chunks([split.train.size for split in rest], lambda at: self._part(rest[at]), penalties):
            values, wrong = answer
            middle, spread = self._target(rest[at])
            found[id(rest[at])] = values * spread + middle, wrong * spread * self._blur()
        return [found[id(split)] for split in splits]

    def cost(self, places: Sequence[int]) -> float:
        """Multiplications it takes."""
        splits = by_split(self.fits, places)
        penalties = max(len(split.fits) for split in splits)
        able = self._able(splits)
        rest = [split for split in splits if id(split) not in able]
        parts = sum(0.7 * one.train.size**3 + 4 * one.train.size**2 * len(one.fits) + 2e6 for one in rest)
        kernel = self.data.columns * float(min(self.data.rows, GRAM_ROWS)) ** 2
        if not able:
            return kernel + parts
        sizes = [one.size for one in able.values()]
        return kernel + parts + leave_out_cost(self.data.rows, penalties, sizes) + 1e4 * penalties * len(able)

    def _left_out(self, splits: list[SplitFits], penalties: FloatArray) -> dict[int, Found]:
        """Small sets left out, from the fit of all rows; where rounding may show, a reduction would do no better."""
        able = self._able(splits)
        if not able:
            return {}
        members = [split for split in splits if id(split) in able]
        parts = [(able[id(split)], split.rows) for split in members]
        found = self._residual_answers(parts, penalties)
        return {id(split): self._restored(split, *one) for split, one in zip(members, found, strict=True)}

    def _able(self, splits: list[SplitFits]) -> dict[int, IntArray]:
        """By split, the rows to leave out of a fit of all rows; none where too few splits ask for it."""
        is_weighed = self.weights is None or bool((self.weights > 0).all())
        if not self._is_shared() or not is_weighed:
            return {}
        rests = [rest_to_leave_out(split.train, split.rows, self.data.rows) for split in splits]
        able = {id(split): rest for split, rest in zip(splits, rests, strict=True) if rest is not None}
        return able if len(able) >= 3 else {}

    def _residual_answers(self, parts: list[tuple[IntArray, IntArray]], penalties: FloatArray) -> list[Found]:
        """Predictions of the target, and of the constant one where the target is normalised."""
        Y = np.column_stack([self.Y, np.ones(len(self.Y))]) if self._is_normalised() else self.Y
        if self.weights is None:
            return leave_out(self._products(), Y, penalties, parts)
        roots = np.sqrt(self.weights)[:, None]
        found = leave_out(self._products() * roots * roots.T, Y * roots, penalties, parts)
        return [
            (values / roots[rows], wrong / roots[rows].min())
            for (_, rows), (values, wrong) in zip(parts, found, strict=True)
        ]

    def _restored(self, split: SplitFits, values: FloatArray, wrong: FloatArray) -> Found:
        """A target less its training mean is predicted as the target, less the mean times the constant one."""
        if self._is_normalised():
            mean = self._target(split)[0]
            values, wrong = values[..., :1] + mean * (1 - values[..., 1:]), wrong * (1 + abs(mean))
        # residuals may be large beside the predictions, which are what must keep their digits
        size = np.maximum(np.abs(values).max(axis=(1, 2)), 1.0)
        return values, wrong * max(1.0, self._blur() / 4) * np.maximum(self.scale / size, 1.0)

    def _is_normalised(self) -> bool:
        return self.scaling.target or bool(self.is_process and self.final.normalize_y)

    def _part(self, split: SplitFits) -> Products:
        train, rows = split.train, split.rows
        middle, spread = self._target(split)
        roots = None if self.weights is None else np.sqrt(self.weights[train])
        Y = (self.Y[train] - middle) / spread
        if self._is_shared():
            products = self._products()
            return Products(products[np.ix_(train, train)], products[np.ix_(rows, train)], Y, np.zeros(1), roots)
        shift, scale = scale_columns(self.X, train, self.scaling)
        table, asked = (self.X[train] - shift) / scale, (self.X[rows] - shift) / scale
        return Products(self._kernel(table), self._kernel(asked, table), Y, np.zeros(1), roots)

    def _target(self, split: SplitFits) -> tuple[float, float]:
        """What is taken off the training target, and what it is divided by."""
        if not self._is_normalised():
            return 0.0, 1.0
        y = self.Y[split.train, 0]
        if self.scaling.target:
            return scale_target(y, self.scaling)
        spread = float(np.std(y))
        return float(np.mean(y)), spread if spread > 10 * np.finfo(float).eps else 1.0

    def _is_shared(self) -> bool:
        """Does one Gram matrix hold those of all training sets?"""
        return not (self.scaling.means or self.scaling.spreads) and self.data.rows <= GRAM_ROWS

    def _products(self) -> FloatArray:
        if self._gram is None:
            self._gram = self._kernel(self.X)
        return self._gram

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
