"""Out-of-fold predictions in a few bins: residuals of numbers, confusion and calibration of classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.questions.out_of_fold import FoldAnswers, fold_answers
from foldwise.questions.pictures.probabilities import histogram
from foldwise.questions.pictures.quantiles import residual_quantiles, weighted_quantiles
from foldwise.questions.pictures.ranking import ranking
from foldwise.stats.held_out import clopper_pearson
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method, Study

Summary: TypeAlias = Mapping[str, Any]

BINS = 10
GRID = 24  # cells per side of the picture of predicted against true values
MOST_CLASSES = 20  # classes whose confusion is shown


def predictions(reading: Reading, method: Method) -> dict[str, Any] | None:
    """Summary of a method's out-of-fold predictions over all repeats; None where some are missing."""
    study = reading.study
    folds = [fold_answers(reading, method, at) for at in range(len(study.outer))]
    if not folds or any("predict" not in fold.responses for fold in folds):
        return None
    truth = np.concatenate([fold.target for fold in folds])
    found = np.concatenate([np.asarray(fold.responses["predict"]) for fold in folds])
    weights = None if study.weights is None else np.concatenate([study.weights[split.test] for split in study.outer])
    if study.task == "regression":
        summary = residuals(truth, found, weights)
        return None if summary is None else {**summary, "quantiles": residual_quantiles(truth - found, weights)}
    return {
        "confusion": confusion(truth, found, [str(label) for label in study.classes]),
        "ranking": ranking(folds, study.classes),
        **_of_probabilities(study, folds, truth, weights),
    }


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
    low, middle, high = weighted_quantiles(left, [0.1, 0.5, 0.9], weights)
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


def confusion(truth: AnyArray, found: AnyArray, classes: list[str]) -> dict[str, Any] | None:
    """Rows by true and predicted class: counts[true][predicted]."""
    if len(classes) > MOST_CLASSES:
        return None
    counts = np.zeros((len(classes), len(classes)), dtype=int)
    np.add.at(counts, (truth.astype(int), found.astype(int)), 1)
    return {"classes": classes, "counts": counts.tolist()}


def _of_probabilities(
    study: Study, folds: Sequence[FoldAnswers], truth: AnyArray, weights: FloatArray | None
) -> dict[str, Any]:
    """Calibration and histogram of probabilities; nothing where a fold has none."""
    shares = [answer for fold in folds if (answer := fold.responses.get("predict_proba")) is not None]
    if len(shares) < len(folds) or any(np.ndim(answer) != 2 for answer in shares):
        return {"calibration": None}
    table, codes, classes = np.concatenate(shares), truth.astype(int), study.classes
    if table.shape[1] != len(classes) or not np.isfinite(table).all():
        return {"calibration": None}
    level = study.level if study.weights is None and study.groups is None else None
    repeats = study.outer.repeats
    if len(classes) == 2:
        bins = calibration(table[:, 1], codes == 1, weights, level=level, repeats=repeats)
        found = {"of": f"class {classes[1]}", "level": level, "bins": bins}
        return {"calibration": found, "histogram": histogram(codes, table, classes)}
    bins = calibration(table.max(axis=1), table.argmax(axis=1) == codes, weights, level=level, repeats=repeats)
    found = {"of": "the most probable class", "level": level, "bins": bins}
    return {"calibration": found, "histogram": histogram(codes, table, classes)}


def calibration(
    said: FloatArray,
    is_so: AnyArray,
    weights: FloatArray | None = None,
    *,
    level: float | None = None,
    repeats: int = 1,
) -> list[dict[str, Any]]:
    """Observed frequency by predicted probability, in ten bins of equal width; weighted where rows have weights.

    With a `level` each has its exact interval, which takes the rows as independent; a row of several repeats is one.

    >>> [(found["said"], found["so"], found["rows"]) for found in calibration(np.array([0.1, 0.9]), np.array([0, 1]))]
    [(0.1, 0.0, 1), (0.9, 1.0, 1)]
    """
    at = np.minimum((np.asarray(said) * BINS).astype(int), BINS - 1)
    hits = np.asarray(is_so, np.float64)
    places = [np.flatnonzero(at == part) for part in range(BINS)]
    return [
        {"said": _mean(said[place], own), "so": _mean(hits[place], own), "rows": int(place.size)}
        | ({} if level is None else _ends(hits[place], level, repeats))
        for place in places
        if place.size
        for own in [None if weights is None else weights[place]]
    ]


def _ends(hits: FloatArray, level: float, repeats: int) -> dict[str, float]:
    rows = max(1, round(len(hits) / repeats))
    found = clopper_pearson(min(rows, round(float(hits.mean()) * rows)), rows, level=level)
    return {"low": float(found.low), "high": float(found.high)}
