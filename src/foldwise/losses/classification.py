"""Losses for classes: targets are class codes, predictions are codes or probabilities in the order of the classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.errors import BadLoss
from foldwise.losses.loss import CLASSIFICATION, Loss, check_task

SMALLEST_PROBABILITY = 1e-15


def zero_one_rows(target: IntArray, prediction: IntArray) -> FloatArray:
    """1 for a wrong class, 0 for the right one.

    >>> zero_one_rows(np.array([0, 1, 2]), np.array([0, 2, 2]))
    array([0., 1., 0.])
    """
    return np.not_equal(target, prediction).astype(np.float64)


def log_rows(target: IntArray, prediction: FloatArray) -> FloatArray:
    """Minus the log probability of the true class, clipped at 1e-15 and with rows scaled to sum to 1."""
    clipped = np.clip(np.asarray(prediction, np.float64), SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
    of_truth = clipped[np.arange(len(target)), target]
    return np.asarray(np.log(clipped.sum(axis=1)) - np.log(of_truth), np.float64)


def brier_rows(target: IntArray, prediction: FloatArray) -> FloatArray:
    """Squared error of the probabilities: of the last class if there are two, summed over all if there are more.

    The first is half the sum over both classes, so that two classes give the usual number between 0 and 1.
    """
    if prediction.shape[1] == 2:
        error = np.asarray(prediction[:, 1], np.float64) - target
        return np.asarray(error * error, np.float64)
    errors = np.array(prediction, np.float64)
    errors[np.arange(len(target)), target] -= 1
    return np.asarray(np.einsum("ij,ij->i", errors, errors), np.float64)


def hinge_rows(target: IntArray, prediction: FloatArray) -> FloatArray:
    """How far the decision value of the true class falls short of the largest other by one.

    >>> hinge_rows(np.array([1, 0]), np.array([0.25, -2.0]))
    array([0.75, 0.  ])
    """
    if prediction.ndim == 1:
        return np.asarray(np.maximum(0.0, 1.0 - (2 * target - 1) * prediction), np.float64)
    rows = np.arange(len(target))
    others = np.array(prediction, np.float64)
    others[rows, target] = -np.inf
    return np.asarray(np.maximum(0.0, 1.0 - prediction[rows, target] + others.max(axis=1)), np.float64)


@dataclass(frozen=True, eq=False)
class ClassWeightedRows:
    """A wrong class costs what a row of the true class weighs."""

    weights: FloatArray

    def __call__(self, target: IntArray, prediction: IntArray) -> FloatArray:
        return np.asarray(self.weights[target] * (target != prediction), np.float64)


@dataclass(frozen=True, eq=False)
class CostRows:
    """What it costs to say one class where another is true."""

    costs: FloatArray

    def __call__(self, target: IntArray, prediction: IntArray) -> FloatArray:
        return np.asarray(self.costs[target, prediction], np.float64)


def _loss_of_classes(name: str, rows: Callable[..., FloatArray], words: str, *needs: str) -> Loss:
    return Loss(name, rows, CLASSIFICATION, needs or ("predict",), words=words, spec=name)


zero_one = replace(_loss_of_classes("zero_one", zero_one_rows, "share of rows given a wrong class"), bounds=(0.0, 1.0))
# for_classes replaces its measure by one that knows how large the classes are
balanced_zero_one = _loss_of_classes(
    "balanced_zero_one", zero_one_rows, "share of wrong rows with all classes of equal weight"
)
log = _loss_of_classes("log", log_rows, "minus the mean log probability of the true class", "predict_proba")
brier = _loss_of_classes("brier", brier_rows, "mean squared error of the class probabilities", "predict_proba")
hinge = _loss_of_classes(
    "hinge",
    hinge_rows,
    "mean shortfall of the decision value of the true class, less the largest other, below 1",
    "decision_function",
)
CLASSIFICATION_LOSSES = {loss.name: loss for loss in (zero_one, balanced_zero_one, log, brier, hinge)}
# The same loss of a row, as the score that it is 1 less.
CLASSIFICATION_LOSSES["accuracy"] = replace(
    zero_one, score="accuracy", spec="accuracy", words="1 - accuracy: lower is better"
)


def for_classes(loss: Loss, data: Any) -> Loss:
    """The loss with what only the data's classes can tell: their weights, and the range that follows."""
    if loss.name == "brier":
        return replace(loss, bounds=(0.0, 1.0 if len(data.classes) == 2 else 2.0))
    if loss.name == "balanced_zero_one":
        # weights of the whole data, not of a fold: then the fold mean of a stratified fold is 1 - balanced accuracy
        counts = np.bincount(data.codes, weights=data.weights, minlength=len(data.classes))
        weights = counts.sum() / (len(data.classes) * np.where(counts > 0, counts, counts.sum()))
        return replace(loss, measure=ClassWeightedRows(weights), bounds=(0.0, float(weights.max())))
    return loss


def cost(matrix: Any, data: Any) -> Loss:
    """The loss of a cost matrix: row = true class, column = predicted class, in the order of the data's classes.

    A data frame may carry the classes as labels, in any order.
    """
    loss = Loss("cost", zero_one_rows, CLASSIFICATION, words="mean cost by the given matrix")
    check_task(loss, data)
    costs = _cost_array(matrix, data.classes)
    bounds = (float(costs.min()), float(costs.max()))
    return replace(loss, measure=CostRows(costs), bounds=bounds, spec=costs.tolist())


def _cost_array(matrix: Any, classes: tuple[Any, ...]) -> FloatArray:
    k = len(classes)
    table: Any = _in_class_order(matrix, classes) if hasattr(matrix, "loc") else matrix
    try:
        costs = np.array(table, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadLoss("the cost matrix holds something that is not a number, or rows of unequal length") from None
    if costs.shape != (k, k):
        shape = " x ".join(map(str, costs.shape))
        raise BadLoss(f"the cost matrix is {shape}, and there are {k} classes", f"Give a {k} x {k} matrix")
    if not np.isfinite(costs).all():
        row, column = np.argwhere(~np.isfinite(costs))[0]
        raise BadLoss(f"the cost of saying {classes[column]!r} for {classes[row]!r} is {costs[row, column]}")
    return costs


def _in_class_order(frame: Any, classes: tuple[Any, ...]) -> AnyArray:
    """A pandas frame by its labels; one without labels of its own by position."""
    wanted = [str(label) for label in classes]
    plain = [str(place) for place in range(len(classes))]
    orders = []
    for axis, labels in (("rows", frame.index), ("columns", frame.columns)):
        names = [str(label) for label in labels]
        if sorted(names) == sorted(wanted):
            orders.append([names.index(label) for label in wanted])
        elif names == plain:
            orders.append(list(range(len(classes))))
        else:
            raise BadLoss(
                f"the {axis} of the cost matrix are labelled {', '.join(names)}, the classes are {', '.join(wanted)}",
                "Label rows and columns by the classes, or give a plain array",
            )
    values: AnyArray = frame.to_numpy()[np.ix_(*orders)]
    return values
