"""What lab learners return: models of many replications at once, prediction[replication, row]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from foldwise.arrays import FloatArray


class Model(Protocol):
    """Models of one or many replications; rows X[row, column] without a replication axis are shown to all of them."""

    def predict(self, X: FloatArray) -> FloatArray: ...


@dataclass(frozen=True, eq=False)
class Linear:
    """intercept + X slopes, per replication."""

    intercept: FloatArray
    slopes: FloatArray

    def predict(self, X: FloatArray) -> FloatArray:
        return np.asarray(self.intercept[..., None] + _products(X, self.slopes))


@dataclass(frozen=True, eq=False)
class LinearRule:
    """Class 1 where intercept + X slopes is above 0, per replication."""

    intercept: FloatArray
    slopes: FloatArray

    def predict(self, X: FloatArray) -> FloatArray:
        return np.asarray(self.intercept[..., None] + _products(X, self.slopes) > 0, np.float64)


@dataclass(frozen=True, eq=False)
class Constant:
    """The same answer for every row, per replication."""

    value: FloatArray

    def predict(self, X: FloatArray) -> FloatArray:
        return np.broadcast_to(self.value[..., None], (*self.value.shape, X.shape[-2])).copy()


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The mean target of the k nearest rows in Euclidean distance, per replication."""

    X: FloatArray
    y: FloatArray
    k: int

    def predict(self, X: FloatArray) -> FloatArray:
        if self.X.ndim == 2:
            return np.asarray(self._replications(self.X[None], self.y[None], X[None])[0])
        X = np.broadcast_to(X, (len(self.X), *X.shape[-2:]))
        return self._replications(self.X, self.y, X)

    def _replications(self, X: FloatArray, y: FloatArray, new: FloatArray) -> FloatArray:
        if X.shape[-1] == 1:
            pairs = zip(X[..., 0], y, new[..., 0], strict=True)
            return np.stack([_line_neighbours(x, target, at, self.k) for x, target, at in pairs])
        # one replication after the other: all distances at once would not fit into memory
        return np.stack([_space_neighbours(*one, self.k) for one in zip(X, y, new, strict=True)])


@dataclass(frozen=True, eq=False)
class Vote:
    """The class that most of the nearest rows have, of two."""

    neighbours: Neighbours

    def predict(self, X: FloatArray) -> FloatArray:
        return np.asarray(self.neighbours.predict(X) > 0.5, np.float64)


@dataclass(frozen=True, eq=False)
class Centres:
    """The class with the largest prior x normal density of variance 1 around its mean, per replication."""

    means: FloatArray  # [replication, class, column]
    logs: FloatArray  # log prior[replication, class]

    def predict(self, X: FloatArray) -> FloatArray:
        scores = X @ np.swapaxes(self.means, -1, -2) + (self.logs - (self.means**2).sum(-1) / 2)[..., None, :]
        return np.asarray(scores.argmax(-1), np.float64)


@dataclass(frozen=True, eq=False)
class Each:
    """One fitted scikit-learn model per replication: the slow path."""

    models: tuple[Any, ...]

    def predict(self, X: FloatArray) -> FloatArray:
        new = np.broadcast_to(X, (len(self.models), *X.shape[-2:]))
        return np.stack([model.predict(rows) for model, rows in zip(self.models, new, strict=True)]).astype(np.float64)


def _products(X: FloatArray, slopes: FloatArray) -> FloatArray:
    if X.ndim == 2 and slopes.ndim > 1:
        return np.asarray(slopes @ X.T)
    return np.asarray((X @ slopes[..., None])[..., 0])


def _space_neighbours(X: FloatArray, y: FloatArray, at: FloatArray, k: int) -> FloatArray:
    far = (X**2).sum(-1) - 2 * at @ X.T
    return np.asarray(y[np.argpartition(far, k - 1, axis=-1)[:, :k]].mean(-1))


def _line_neighbours(x: FloatArray, y: FloatArray, at: FloatArray, k: int) -> FloatArray:
    """k nearest on a line: they are a window of the sorted rows, which moves on at the middle of its two rivals."""
    order = np.argsort(x, kind="stable")
    x, sums = x[order], np.concatenate([[0.0], np.cumsum(y[order])])
    start = np.searchsorted((x[:-k] + x[k:]) / 2, at)
    return np.asarray((sums[start + k] - sums[start]) / k)
