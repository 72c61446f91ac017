"""Losses for numbers, one value per row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadLoss
from foldwise.losses.loss import REGRESSION, Loss


def squared_rows(target: FloatArray, prediction: FloatArray) -> FloatArray:
    """Squared error.

    >>> squared_rows(np.array([1.0, 2.0]), np.array([1.0, 5.0]))
    array([0., 9.])
    """
    error = target - prediction
    return np.asarray(error * error, np.float64)


def absolute_rows(target: FloatArray, prediction: FloatArray) -> FloatArray:
    """Absolute error."""
    return np.abs(target - prediction)


def poisson_rows(target: FloatArray, prediction: FloatArray) -> FloatArray:
    """Poisson deviance, 2 (y log(y / p) - y + p); infinite where the prediction is not above 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(target > 0, target / prediction, 1.0)
        losses = 2 * (target * np.log(ratio) - target + prediction)
    return np.where(prediction <= 0, np.inf, losses)


@dataclass(frozen=True)
class PinballRows:
    """The loss whose risk the q-quantile minimises: q per unit below the target, 1 - q per unit above."""

    q: float

    def __call__(self, target: FloatArray, prediction: FloatArray) -> FloatArray:
        error = target - prediction
        return np.maximum(self.q * error, (self.q - 1) * error)


def pinball(q: float) -> Loss:
    """The pinball loss, which is smallest on average at the `q`-quantile.

    >>> pinball(0.9).rows(np.array([1.0, 1.0]), np.array([0.0, 2.0]))
    array([0.9, 0.1])
    """
    q = float(q)
    if not 0 < q < 1:
        raise BadLoss(f"the quantile of a pinball loss lies between 0 and 1, not at {q:g}", "Write 'pinball(0.9)'")
    name = f"pinball({q!r})"
    return Loss(name, PinballRows(q), REGRESSION, words=f"pinball loss of the {q:g} quantile", spec=name, quantile=q)


squared = Loss("squared", squared_rows, REGRESSION, words="mean squared error", spec="squared")
absolute = Loss("absolute", absolute_rows, REGRESSION, words="mean absolute error", spec="absolute")
poisson = Loss("poisson", poisson_rows, REGRESSION, words="mean Poisson deviance", spec="poisson")
REGRESSION_LOSSES = {loss.name: loss for loss in (squared, absolute, poisson)}


def check_counts(loss: Loss, data: Any) -> Loss:
    """The loss itself if no target is negative, as a deviance of counts needs."""
    negative = np.flatnonzero(np.asarray(data.target) < 0)
    if len(negative):
        row, count = int(negative[0]), len(negative)
        found = f"{count} {'row is' if count == 1 else 'rows are'} below 0 (row {row} is {data.target[row]:g})"
        raise BadLoss(f"the loss {loss.name!r} needs targets of 0 or more, and {found}", "Use squared or absolute")
    return loss
