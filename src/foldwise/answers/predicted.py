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
    if reading.study.task == "regression":
        return residuals(truth, found)
    classes = [str(label) for label in reading.study.classes]
    return {
        "confusion": confusion(truth, found, classes),
        "calibration": _calibration(reading, method, truth),
    }


def residuals(truth: AnyArray, found: AnyArray) -> dict[str, Any] | None:
    """Residuals (true minus predicted) by tenths of the predictions, and counts of predicted against true values."""
    truth, found = np.asarray(truth, np.float64), np.asarray(found, np.float64)
    if truth.ndim != 1 or not (np.isfinite(truth).all() and np.isfinite(found).all()):
        return None
    order = np.argsort(found, kind="stable")
    parts = [part for part in np.array_split(order, BINS) if part.size]
    low, high = float(min(truth.min(), found.min())), float(max(truth.max(), found.max()))
    edges = np.linspace(low, high if high > low else low + 1, GRID + 1)
    counts = np.histogram2d(found, truth, bins=(edges, edges))[0].astype(int)
    return {
        "bins": [_residual_bin(found[part], truth[part] - found[part]) for part in parts],
        "low": float(edges[0]),
        "high": float(edges[-1]),
        "counts": counts.tolist(),
    }


def _residual_bin(found: FloatArray, left: FloatArray) -> dict[str, float]:
    low, middle, high = np.quantile(left, [0.1, 0.5, 0.9])
    return {
        "from": float(found.min()),
        "to": float(found.max()),
        "predicted": float(found.mean()),
        "mean": float(left.mean()),
        "low": float(low),
        "median": float(middle),
        "high": float(high),
        "rows": len(left),
    }


def confusion(truth: AnyArray, found: AnyArray, classes: list[str]) -> dict[str, Any] | None:
    """Rows by true and predicted class: counts[true][predicted]."""
    if len(classes) > MOST_CLASSES:
        return None
    counts = np.zeros((len(classes), len(classes)), dtype=int)
    np.add.at(counts, (truth.astype(int), found.astype(int)), 1)
    return {"classes": classes, "counts": counts.tolist()}


def _calibration(reading: Reading, method: Method, truth: AnyArray) -> dict[str, Any] | None:
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
        bins = calibration(table[:, 1], truth.astype(int) == 1)
        return {"of": f"class {classes[1]}", "bins": bins}
    top = table.argmax(axis=1)
    return {"of": "the most probable class", "bins": calibration(table.max(axis=1), top == truth.astype(int))}


def calibration(said: FloatArray, is_so: AnyArray) -> list[dict[str, float]]:
    """Observed frequency by predicted probability, in ten bins of equal width.

    >>> [(found["said"], found["so"], found["rows"]) for found in calibration(np.array([0.1, 0.9]), np.array([0, 1]))]
    [(0.1, 0.0, 1), (0.9, 1.0, 1)]
    """
    at = np.minimum((np.asarray(said) * BINS).astype(int), BINS - 1)
    hits = np.asarray(is_so, np.float64)
    return [
        {"said": float(said[at == b].mean()), "so": float(hits[at == b].mean()), "rows": int((at == b).sum())}
        for b in range(BINS)
        if (at == b).any()
    ]
