"""Logistic regression with an l1 penalty for many replications at once, for designs with far more columns than rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.lab.learners import Untuned
from foldwise.lab.models import LinearRule


@dataclass(frozen=True)
class LassoLogistic(Untuned):
    """Mean log loss + penalty * sum |slope| on standardised columns, the intercept free (the scaling of glmnet).

    Accelerated proximal steps on the columns that can matter; columns that turn out to be wanted are taken in.
    """

    penalty: float = 0.1
    width: int = 96
    steps: int = 400
    rounds: int = 4

    def fit(self, X: FloatArray, y: FloatArray) -> LinearRule:
        centre, scale = X.mean(-2), X.std(-2)
        wide = (X - centre[..., None, :]) / scale[..., None, :]
        level = y.mean(-1)
        slopes, intercept = np.zeros(centre.shape), np.log(level / (1 - level))
        width = min(self.width, X.shape[-1])
        for _ in range(self.rounds):
            wanted = np.abs(self._gradient(wide, y, intercept, slopes))
            # what is used stays, then the columns that pull hardest
            columns = np.argsort(-wanted - 1e9 * (slopes != 0), axis=-1)[..., :width]
            missed = (wanted > self.penalty * 1.001) & (slopes == 0)
            if slopes.any() and not missed.any():
                break
            part = np.take_along_axis(wide, columns[..., None, :], axis=-1)
            intercept, kept = self._solve(part, y, intercept, np.take_along_axis(slopes, columns, axis=-1))
            slopes = np.zeros_like(slopes)
            np.put_along_axis(slopes, columns, kept, axis=-1)
        slopes = slopes / scale
        return LinearRule(intercept - (slopes * centre).sum(-1), slopes)

    def _gradient(self, X: FloatArray, y: FloatArray, intercept: FloatArray, slopes: FloatArray) -> FloatArray:
        chance = 1 / (1 + np.exp(-(intercept[..., None] + (X @ slopes[..., None])[..., 0])))
        return np.asarray(((chance - y)[..., None, :] @ X)[..., 0, :] / X.shape[-2])

    def _solve(
        self, X: FloatArray, y: FloatArray, intercept: FloatArray, slopes: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        wide = np.concatenate([np.ones((*X.shape[:-1], 1)), X], axis=-1)
        beta = np.concatenate([intercept[..., None], slopes], axis=-1)
        size = 4 * X.shape[-2] / _largest(wide)[..., None]
        bound = np.concatenate([np.zeros_like(size), np.broadcast_to(size * self.penalty, slopes.shape)], axis=-1)
        ahead, pace = beta, np.ones_like(size)
        zero = np.zeros(beta.shape[:-1])
        for _ in range(self.steps):
            moved = ahead - size * self._gradient(wide, y, zero, ahead)
            after = np.sign(moved) * np.maximum(np.abs(moved) - bound, 0)
            # where the momentum points uphill it starts again
            uphill = ((ahead - after) * (after - beta)).sum(-1, keepdims=True) > 0
            pace = np.where(uphill, 1.0, pace)
            quicker = (1 + np.sqrt(1 + 4 * pace**2)) / 2
            ahead = after + (pace - 1) / quicker * (after - beta)
            step, beta, pace = np.abs(after - beta).max(), after, quicker
            if step < 1e-6:
                break
        return beta[..., 0], beta[..., 1:]


def _largest(X: FloatArray) -> FloatArray:
    """An upper estimate of the largest eigenvalue of X'X, by a few power steps."""
    v = np.ones((*X.shape[:-2], X.shape[-1], 1)) / np.sqrt(X.shape[-1])
    for _ in range(12):
        v = np.swapaxes(X, -1, -2) @ (X @ v)
        size = np.sqrt((v**2).sum(-2, keepdims=True))
        v = v / size
    return np.asarray(1.1 * size[..., 0, 0])


def active(rule: LinearRule) -> IntArray:
    """How many columns each replication's rule uses."""
    return np.asarray((rule.slopes != 0).sum(-1), np.int64)
