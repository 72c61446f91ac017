"""Losses for numbers, one value per row."""

from __future__ import annotations

from collections.abc import Callable
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


def percentage_rows(target: FloatArray, prediction: FloatArray) -> FloatArray:
    """Absolute error as a share of the target.

    >>> percentage_rows(np.array([2.0, -4.0]), np.array([3.0, -4.0]))
    array([0.5, 0. ])
    """
    with np.errstate(divide="ignore"):
        return np.asarray(np.abs(target - prediction) / np.abs(target), np.float64)


def squared_log_rows(target: FloatArray, prediction: FloatArray) -> FloatArray:
    """Squared error of log(1 + y); infinite where the prediction is -1 or less."""
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.log1p(target) - np.log1p(prediction)
    return np.where(prediction <= -1, np.inf, error * error)


@dataclass(frozen=True)
class RootOfMean:
    """The root of the mean of row losses: a number of a whole fold."""

    rows: Callable[[FloatArray, FloatArray], FloatArray]

    def __call__(self, target: FloatArray, prediction: FloatArray, weights: FloatArray | None) -> float:
        losses = self.rows(target, prediction)
        if weights is None:
            return float(np.sqrt(losses.mean()))
        return float(np.sqrt(np.average(losses, weights=weights))) if weights.sum() > 0 else float("nan")


@dataclass(frozen=True)
class PinballRows:
    """The loss whose risk the q-quantile minimises: q per unit below the target, 1 - q per unit above."""

    q: float

    def __call__(self, target: FloatArray, prediction: FloatArray) -> FloatArray:
        error = target - prediction
        return np.maximum(self.q * error, (self.q - 1) * error)


def pinball(q: float) -> Loss:
    """The pinball loss, which is smallest on average at the `q`-quantile.

    `q`: between 0 and 1.

    >>> pinball(0.9).rows(np.array([1.0, 1.0]), np.array([0.0, 2.0]))
    array([0.9, 0.1])
    """
    q = float(q)
    if not 0 < q < 1:
        raise BadLoss(f"the quantile of a pinball loss lies between 0 and 1, not at {q:g}", "Write 'pinball(0.9)'")
    name = f"pinball({q!r})"
    return Loss(name, PinballRows(q), REGRESSION, words=f"pinball loss of the {q:g} quantile", spec=name, quantile=q)


def _loss_of_rows(name: str, rows: Callable[..., FloatArray], words: str) -> Loss:
    return Loss(name, rows, REGRESSION, words=words, spec=name)


def _loss_of_fold(name: str, rows: Callable[..., FloatArray], words: str) -> Loss:
    words = f"root of a fold's {words}, averaged over folds"
    return Loss(name, RootOfMean(rows), REGRESSION, is_per_row=False, words=words, spec=name)


squared = _loss_of_rows("squared", squared_rows, "mean squared error")
absolute = _loss_of_rows("absolute", absolute_rows, "mean absolute error")
poisson = _loss_of_rows("poisson", poisson_rows, "mean Poisson deviance")
mape = _loss_of_rows("mape", percentage_rows, "mean absolute error as a share of the target")
squared_log = _loss_of_rows("squared_log", squared_log_rows, "mean squared error of log(1 + y)")
rmse = _loss_of_fold("rmse", squared_rows, "mean squared error")
rmsle = _loss_of_fold("rmsle", squared_log_rows, "mean squared error of log(1 + y)")
REGRESSION_LOSSES = {loss.name: loss for loss in (squared, absolute, poisson, mape, squared_log, rmse, rmsle)}
# Targets that a loss has no value for, in words.
_UNFIT: dict[str, tuple[Callable[[Any], Any], str, str]] = {
    "poisson": (lambda target: target < 0, "of 0 or more", "below 0"),
    "mape": (lambda target: target == 0, "other than 0, by which it divides", "0"),
    "squared_log": (lambda target: target <= -1, "above -1", "-1 or less"),
    "rmsle": (lambda target: target <= -1, "above -1", "-1 or less"),
}


def check_target(loss: Loss, data: Any) -> Loss:
    """The loss itself if it has a value for every target."""
    if loss.name not in _UNFIT:
        return loss
    is_unfit, wanted, unfit = _UNFIT[loss.name]
    rows = np.flatnonzero(is_unfit(np.asarray(data.target)))
    if len(rows):
        count = "1 row is" if len(rows) == 1 else f"{len(rows)} rows are"
        example = f"row {rows[0]} is {data.target[rows[0]]:g}"
        problem = f"the loss {loss.name!r} needs targets {wanted}, and {count} {unfit} ({example})"
        raise BadLoss(problem, "Use squared or absolute")
    return loss
