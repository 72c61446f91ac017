"""What k nearest rows answer, for all k at once, and where scikit-learn might have chosen other rows."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.data.dataset import Dataset

Weighting = Literal["uniform", "distance"]
CLOSE_VOTES = 1e-12  # weighted votes this close may come out either way
WIDE = 64  # rows, from which whole neighbours are added faster than NumPy sums up row by row


@dataclass(frozen=True, eq=False)
class Target:
    """What is averaged over neighbours: the numbers, or one column of zeros and ones per class."""

    values: FloatArray  # of every row: the number, or the place of its class among the sorted labels
    order: IntArray  # sorted place -> place in data.classes; empty for a regression

    @property
    def is_classes(self) -> bool:
        return self.order.size > 0


def make_target(data: Dataset) -> Target:
    """Votes that tie go to the first label in scikit-learn's order, so classes are counted in that order."""
    if data.task == "regression":
        return Target(data.y.astype(np.float64), np.empty(0, np.int64))
    order = np.array(sorted(range(len(data.classes)), key=lambda code: data.classes[code]), np.int64)
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    return Target(place[data.codes].astype(np.float64), order)


def neighbour_weights(distance: FloatArray, weighting: Weighting) -> FloatArray | None:
    """One over the distance (neighbour x row); rows at no distance, if there are any, count alone."""
    if weighting == "uniform":
        return None
    with np.errstate(divide="ignore"):
        weights = 1.0 / distance
    at_once = np.isinf(weights[0])
    if at_once.any():
        weights[:, at_once] = np.isinf(weights[:, at_once])
    return weights


def running_answers(
    target: Target, near: IntArray, distance: FloatArray, weighting: Weighting, names: Container[str], ks: IntArray
) -> tuple[dict[str, AnyArray], Any]:
    """Responses by k (first axis) of the first k neighbours; and by k and row where votes are too close to call.

    `near` and `distance` are neighbour x row, so that the sums of all rows go on together.
    """
    weights = neighbour_weights(distance, weighting)
    values = target.values[near]
    close = None
    if not target.is_classes:
        return {"predict": _running_means(values, weights, ks)}, close
    votes = _running_votes(values, weights, ks, target.order.size)
    answers: dict[str, AnyArray] = {}
    if "predict_proba" in names:
        answers["predict_proba"] = np.empty_like(votes)
        answers["predict_proba"][:, :, target.order] = votes / votes.sum(axis=2, keepdims=True)
    if "predict" in names:
        answers["predict"] = target.order[np.argmax(votes, axis=2)]
        if weights is not None and target.order.size > 1:
            ranked = np.sort(votes, axis=2)
            close = ranked[:, :, -1] - ranked[:, :, -2] <= CLOSE_VOTES * ranked[:, :, -1]
    return answers, close


def _running_means(values: FloatArray, weights: FloatArray | None, ks: IntArray) -> FloatArray:
    if weights is None:
        means = _running_sums(values, ks)
        means /= ks[:, None]
        return means
    values *= weights
    sums = _running_sums(values, ks)
    sums /= _running_sums(weights, ks)
    return sums


def _running_sums(values: FloatArray, ks: IntArray) -> FloatArray:
    """Sums of the first k neighbours, added one after the other whichever way is the faster."""
    if values.shape[1] < WIDE:
        sums: FloatArray = np.cumsum(values, axis=0)[ks - 1]
        return sums
    sums_by_k = np.empty((ks.size, values.shape[1]))
    total, done = values[0].copy(), 1
    for place, k in enumerate(ks.tolist()):
        for neighbour in values[done:k]:
            total += neighbour
        sums_by_k[place], done = total, k
    return sums_by_k


def _running_votes(values: FloatArray, weights: FloatArray | None, ks: IntArray, classes: int) -> FloatArray:
    votes = np.empty((ks.size, values.shape[1], classes))
    for code in range(classes):
        cast = (values == code).astype(np.float64) if weights is None else np.where(values == code, weights, 0.0)
        votes[:, :, code] = _running_sums(cast, ks)
    return votes


def tied_boundaries(tied: Any, values: FloatArray, *, is_whole: bool) -> Any:
    """By row and k: could the k-th neighbour and a further one change places, and would that matter?

    `tied` says which neighbours are as far away as the next. Rows at one distance that have one target may change
    places freely. Unless the neighbours are the whole training set, what lies beyond the last of them is not known.
    """
    matters = np.zeros(tied.shape, bool)
    some = np.flatnonzero(tied.any(axis=1))
    if not some.size:
        return matters
    runs = tied[some]
    seen = runs & (values[some, 1:] != values[some, :-1])
    if not is_whole:
        seen[:, -1] |= runs[:, -1]
    for j in range(1, seen.shape[1]):
        seen[:, j] |= seen[:, j - 1] & runs[:, j]
    for j in range(seen.shape[1] - 2, -1, -1):
        seen[:, j] |= seen[:, j + 1] & runs[:, j]
    matters[some] = seen
    return matters
