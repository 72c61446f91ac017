"""Out-of-fold predictions in a few bins: residuals of numbers, confusion and calibration of classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method

BINS = 10
GRID = 24  # cells per side of the picture of predicted against true values
MOST_CLASSES = 20  # classes whose confusion is shown


def predictions(reading: Reading, method: Method) -> dict[str, Any] | None:
    """Summary of a method's out-of-fold predictions over all repeats; None where some are missing."""
    answers = [reading.outer_response(method, at) for at in range(len(reading.study.outer))]
    if any(answer is None for answer in answers):
        return None
    truth = np.concatenate([reading.study.target[split.test] for split in reading.study.outer])
    found = np.concatenate([np.asarray(answer) for answer in answers])
    weights = _weights(reading)
    if reading.study.task == "regression":
        return residuals(truth, found, weights)
    classes = [str(label) for label in reading.study.classes]
    return {
        "confusion": confusion(truth, found, classes),
        "calibration": _calibration(reading, method, truth, weights),
    }


def _weights(reading: Reading) -> FloatArray | None:
    weights = reading.study.weights
    return None if weights is None else np.concatenate([weights[split.test] for split in reading.study.outer])


def residuals(truth: AnyArray, found: AnyArray, weights: FloatArray | None = None) -> dict[str, Any] | None:
    """Residuals (true minus predicted) by tenths of the predictions, and counts of predicted against true values.

    Means and quantiles are weighted where rows have weights; counts are of rows.
    """
    truth, found = np.asarray(truth, np.float64), np.asarray(found, np.float64)
    if truth.ndim != 1 or not (np.isfinite(truth).all() and np.isfinite(found).all()):
        return None
    order = np.argsort(found, kind="stable")
    parts = [part for part in np.array_split(order, BINS) if part.size]
    low, high = float(min(truth.min(), found.min())), float(max(truth.max(), found.max()))
    edges = np.linspace(low, high if high > low else low + 1, GRID + 1)
    counts = np.histogram2d(found, truth, bins=(edges, edges))[0].astype(int)
    return {
        "bins": [
            _residual_bin(found[part], truth[part] - found[part], None if weights is None else weights[part])
            for part in parts
        ],
        "low": float(edges[0]),
        "high": float(edges[-1]),
        "counts": counts.tolist(),
    }


def _residual_bin(found: FloatArray, left: FloatArray, weights: FloatArray | None) -> dict[str, float]:
    low, middle, high = _quantiles(left, [0.1, 0.5, 0.9], weights)
    return {
        "from": float(found.min()),
        "to": float(found.max()),
        "predicted": _mean(found, weights),
        "mean": _mean(left, weights),
        "low": float(low),
        "median": float(middle),
        "high": float(high),
        "rows": len(left),
    }


def _mean(values: FloatArray, weights: FloatArray | None) -> float:
    """The weighted mean; the plain one where no row of these has any weight."""
    return float(np.average(values, weights=weights if weights is not None and weights.any() else None))


def _quantiles(values: FloatArray, shares: list[float], weights: FloatArray | None) -> FloatArray:
    if weights is None or not weights.any():
        return np.asarray(np.quantile(values, shares), np.float64)
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    places = np.searchsorted(below, np.array(shares) * below[-1])
    return np.asarray(values[order][places], np.float64)


def confusion(truth: AnyArray, found: AnyArray, classes: list[str]) -> dict[str, Any] | None:
    """Rows by true and predicted class: counts[true][predicted]."""
    if len(classes) > MOST_CLASSES:
        return None
    counts = np.zeros((len(classes), len(classes)), dtype=int)
    np.add.at(counts, (truth.astype(int), found.astype(int)), 1)
    return {"classes": classes, "counts": counts.tolist()}


def _calibration(
    reading: Reading, method: Method, truth: AnyArray, weights: FloatArray | None
) -> dict[str, Any] | None:
    """Calibration of the probabilities of the second of two classes, or of the most probable of several."""
    shares = []
    for at, split in enumerate(reading.study.outer):
        candidate = reading.outer_candidate(method, at)
        answer = None if candidate is None else reading.answer(method, candidate, split, "predict_proba", split.test)
        if answer is None or np.ndim(answer) != 2:
            return None
        shares.append(answer)
    table = np.concatenate(shares)
    classes = reading.study.classes
    if table.shape[1] != len(classes) or not np.isfinite(table).all():
        return None
    if len(classes) == 2:
        bins = calibration(table[:, 1], truth.astype(int) == 1, weights)
        return {"of": f"class {classes[1]}", "bins": bins}
    top = table.argmax(axis=1)
    return {"of": "the most probable class", "bins": calibration(table.max(axis=1), top == truth.astype(int), weights)}


def calibration(said: FloatArray, is_so: AnyArray, weights: FloatArray | None = None) -> list[dict[str, float]]:
    """Observed frequency by predicted probability, in ten bins of equal width; weighted where rows have weights.

    >>> [(found["said"], found["so"], found["rows"]) for found in calibration(np.array([0.1, 0.9]), np.array([0, 1]))]
    [(0.1, 0.0, 1), (0.9, 1.0, 1)]
    """
    at = np.minimum((np.asarray(said) * BINS).astype(int), BINS - 1)
    hits = np.asarray(is_so, np.float64)
    places = [np.flatnonzero(at == part) for part in range(BINS)]
    return [
        {"said": _mean(said[place], own), "so": _mean(hits[place], own), "rows": int(place.size)}
        for place in places
        if place.size
        for own in [None if weights is None else weights[place]]
    ]
