"""Kernels of support vector machines, equal to libsvm's own once both are rounded to its single precision.

Libsvm keeps kernel values in single precision and goes from there, so a ready-made kernel takes it through the very
same steps if every value rounds alike. Products of whole tables are summed in another order than libsvm's, which
matters only beside a boundary of rounding: the few values there are made again one by one, with its arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray

EPSILON = float(np.finfo(np.float64).eps)
MOST_DOUBTS = 30  # by row: values that are made again one by one; with more of them libsvm's own kernel is as fast
BLOCK = 200_000  # values looked at together, so that they stay in the cache


@dataclass(frozen=True)
class Kernel:
    """A kernel with the parameters that matter to it."""

    name: str
    gamma: float = 0.0
    coef0: float = 0.0
    degree: int = 0

    def values(self, source: FloatArray) -> FloatArray:
        """Kernel values from squared distances (the radial kernel), or from products of rows (all others)."""
        if self.name == "linear":
            return source.copy()
        values: FloatArray = source * (-self.gamma if self.name == "rbf" else self.gamma)
        if self.name == "rbf":
            return np.exp(values, out=values)
        values += self.coef0
        return np.tanh(values, out=values) if self.name == "sigmoid" else np.asarray(values**self.degree)

    def value(self, product: float, here: float, there: float) -> float:
        """The same of one pair of rows and their squares, step by step as libsvm does it."""
        if self.name == "rbf":
            return math.exp(-self.gamma * (here + there - 2 * product))
        if self.name == "linear":
            return product
        inner = self.gamma * product + self.coef0
        return math.tanh(inner) if self.name == "sigmoid" else _power(inner, self.degree)

    def doubt(self, values: FloatArray, largest: float, columns: int) -> Any:
        """How far libsvm's values may be from these, at rows of this largest square."""
        error = 4 * (columns + 4) * EPSILON * largest  # of a product, or of half a squared distance
        if self.name == "linear":
            return error
        if self.name == "rbf":
            shift = 2 * self.gamma * error  # of the exponent; a large one may bring a value back that is zero here
            return np.abs(values) * (2 * shift + 8 * EPSILON) if shift < 1 else np.inf
        error = self.gamma * error + 4 * EPSILON * (self.gamma * largest + abs(self.coef0))
        if self.name == "sigmoid":
            return error + 8 * EPSILON
        sizes, degree = np.abs(values), max(self.degree, 1)
        steep = degree * (sizes ** (1 / degree) + error) ** (degree - 1)
        return steep * error + 8 * (degree + 1) * EPSILON * sizes


def make_kernel(estimator: Any, X: FloatArray) -> Kernel:
    """The kernel of an estimator on a training set."""
    gamma = estimator.gamma
    if gamma == "scale":
        variance = float(X.var())
        gamma = 1.0 / (X.shape[1] * variance) if variance != 0 else 1.0
    elif gamma == "auto":
        gamma = 1.0 / X.shape[1]
    if estimator.kernel == "linear":
        return Kernel("linear")
    if estimator.kernel == "rbf":
        return Kernel("rbf", float(gamma))
    degree = int(estimator.degree) if estimator.kernel == "poly" else 0
    return Kernel(estimator.kernel, float(gamma), float(estimator.coef0), degree)


class Training:
    """A training set, of which kernels are made."""

    def __init__(self, X: FloatArray) -> None:
        self.X = X
        self.squares = np.array([_product(row, row) for row in X])

    def gram(self, kernel: Kernel) -> FloatArray | None:
        """Kernel values between all rows, which round as libsvm's do; None where too many are in doubt."""
        values = kernel.values(self.lengths if kernel.name == "rbf" else self.products)
        doubtful = self._doubtful(kernel, values)
        if len(doubtful) > MOST_DOUBTS * len(values):
            return None
        if kernel.name == "rbf":
            np.fill_diagonal(values, 1.0)
        else:
            doubtful += [(at, at) for at in range(len(values))]  # these are also read in double precision
        squares = self.squares.tolist()
        for here, there in doubtful:
            product = _product(self.X[here], self.X[there])
            values[here, there] = kernel.value(product, squares[here], squares[there])
        return values

    @cached_property
    def products(self) -> FloatArray:
        return _products(self.X)

    @cached_property
    def lengths(self) -> FloatArray:
        """Squared distances between all rows, from their products as libsvm has them."""
        lengths = _products(self.X)
        lengths *= -2.0
        lengths += self.squares
        lengths += self.squares[:, None]
        return np.maximum(lengths, 0.0, out=lengths)

    def _doubtful(self, kernel: Kernel, values: FloatArray) -> list[tuple[int, int]]:
        """Places of values that libsvm may round to another number."""
        largest, (rows, columns) = float(self.squares.max(initial=0.0)), self.X.shape
        found: list[tuple[int, int]] = []
        step = max(1, BLOCK // rows)
        for start in range(0, rows, step):
            block = values[start : start + step]
            doubt = kernel.doubt(block, largest, columns)
            is_open: AnyArray = (block - doubt).astype(np.float32) != (block + doubt).astype(np.float32)
            if is_open.any():
                found += [(start + here, there) for here, there in np.argwhere(is_open).tolist()]
        return found


def _products(X: FloatArray) -> FloatArray:
    return np.asarray(X @ X.T)


def _product(here: FloatArray, there: FloatArray) -> float:
    """The product of two rows as libsvm has it: by the same library function."""
    from scipy.linalg.blas import ddot

    return float(ddot(here, there))


def _power(base: float, times: int) -> float:
    """A power by repeated squares, in libsvm's order."""
    found = 1.0
    while times > 0:
        if times % 2 == 1:
            found *= base
        base *= base
        times //= 2
    return found
