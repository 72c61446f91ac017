"""Predictions of the featureless baseline, computed without a fit: the stand-in for a failed fit."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray

LEAST_SHARE = 1e-15  # of a class in log shares, so that one without training rows has a finite number


class Targets(Protocol):
    """What the baseline needs of a study, or of its data."""

    @property
    def task(self) -> str: ...
    @property
    def classes(self) -> tuple[Any, ...]: ...
    @property
    def target(self) -> AnyArray: ...
    @property
    def weights(self) -> FloatArray | None: ...


def baseline_answer(of: Targets, train: IntArray, response: str, rows: int) -> AnyArray | None:
    """The same response for each of so many rows, from the targets and weights of the training rows alone.

    It is what the built-in `baseline` learner predicts after a fit on these rows: the mean, the commonest class (the
    first in sorted order on ties), the shares of the classes. That learner has no `decision_function`; here it is
    the log of the shares, or of their ratio for two classes, which ranks all rows equal. None where the
    weights sum to 0.
    """
    weights = None if of.weights is None else of.weights[train]
    if train.size == 0 or (weights is not None and not weights.sum() > 0):
        return None
    if of.task == "regression":
        # A column, as in scikit-learn: the same bits, so that a learner that always fails ties with the baseline.
        return np.full(rows, np.average(of.target[train][:, None], axis=0, weights=weights)[0])
    shares = _shares(of, train, weights)
    if response == "predict":
        return np.full(rows, _commonest(of, shares), np.int64)
    return np.tile(shares, (rows, 1)) if response == "predict_proba" else _decision(shares, rows)


def _shares(of: Targets, train: IntArray, weights: FloatArray | None) -> FloatArray:
    codes, classes = of.target[train], len(of.classes)
    counts = np.bincount(codes, weights=weights, minlength=classes)
    order = _sorted_classes(of)
    present = order[np.bincount(codes, minlength=classes)[order] > 0]  # summed as scikit-learn sums them
    shares = np.zeros(classes)
    shares[present] = counts[present] / counts[present].sum()
    return shares


def _commonest(of: Targets, shares: FloatArray) -> int:
    order = _sorted_classes(of)
    return int(order[np.argmax(shares[order])])


def _sorted_classes(of: Targets) -> IntArray:
    """Class codes in the sorted order of their labels; a positive class that was named comes last in the codes."""
    labels = np.array(of.classes, dtype=object if isinstance(of.classes[0], str) else None)
    return np.argsort(labels, kind="stable")


def _decision(shares: FloatArray, rows: int) -> FloatArray:
    logs = np.log(np.maximum(shares, LEAST_SHARE))
    return np.full(rows, logs[1] - logs[0]) if len(shares) == 2 else np.tile(logs, (rows, 1))
