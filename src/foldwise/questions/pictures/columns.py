"""Residuals of a regression against the columns on which they still depend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.data.features import Feature, features
from foldwise.questions.method import MethodAnswer
from foldwise.questions.pictures.quantiles import weighted_quantiles

MOST_COLUMNS, FEWEST_COLUMNS = 4, 2
LEAST = 0.005  # share that a column explains; those below are shown only for want of others
BINS = 10
MOST_LEVELS = 8
FEWEST = 40  # rows
FEWEST_OF_A_LEVEL = 5  # a value of fewer rows says little, and might name one of them


def column_residuals(method: MethodAnswer, data: Dataset) -> list[dict[str, Any]]:
    """Mean residuals by tenths or levels of the columns that explain most of what the method left.

    `explained` is the share of the residuals' variance that the groups explain beyond what as many groups of random
    rows would (epsilon squared; Kelley, 1935).
    """
    left = _residuals(method)
    if left is None or len(left) < FEWEST:
        return []
    found = [one for column in features(data) if (one := _column(column, left)) is not None]
    found.sort(key=lambda one: -one["explained"])
    return [one for at, one in enumerate(found[:MOST_COLUMNS]) if one["explained"] >= LEAST or at < FEWEST_COLUMNS]


def _residuals(method: MethodAnswer) -> FloatArray | None:
    """True minus predicted of every row, the mean over repeats; None where a row was never held out."""
    study, sums, counts = method.study, np.zeros(method.study.rows), np.zeros(method.study.rows)
    if study.task != "regression" or method.status != "ok":
        return None
    for at in range(len(study.outer)):
        fold = method.out_of_fold(at)
        if (found := fold.responses.get("predict")) is None:
            return None
        np.add.at(sums, fold.split.test, fold.target - found)
        np.add.at(counts, fold.split.test, 1)
    return sums / counts if counts.all() else None


def _column(column: Feature, left: FloatArray) -> dict[str, Any] | None:
    parts = list(_levels(column) if column.labels or column.distinct <= MOST_LEVELS else _tenths(column))
    if len(parts) < 2:
        return None
    rows = sum(len(part) for _, part, _ in parts)
    means = [float(left[part].mean()) for _, part, _ in parts]
    every = np.concatenate([left[part] for _, part, _ in parts])
    whole = float(((every - every.mean()) ** 2).sum())
    between = sum(len(part) * (mean - every.mean()) ** 2 for (_, part, _), mean in zip(parts, means, strict=True))
    if not whole > 0 or rows <= len(parts):
        return None
    explained = 1 - (1 - between / whole) * (rows - 1) / (rows - len(parts))
    return {
        "column": column.name,
        "is_ordered": not column.labels and column.distinct > MOST_LEVELS,
        "explained": max(0.0, float(explained)),
        "bins": [
            {"name": name, "at": at, "rows": len(part), "mean": mean, **_spread(left[part])}
            for (name, part, at), mean in zip(parts, means, strict=True)
        ],
    }


def _tenths(column: Feature) -> Iterator[tuple[str, IntArray, float]]:
    """Rows by tenths of a column of numbers; those without a value are left out."""
    known = np.flatnonzero(~column.missing)
    edges = np.unique(np.quantile(column.values[known], np.linspace(0, 1, BINS + 1)[1:-1]))
    place = np.searchsorted(edges, column.values[known], side="left")
    for at in np.unique(place):
        part = known[place == at]
        own = column.values[part]
        yield f"{own.min():.4g} to {own.max():.4g}", part, float(own.mean())


def _levels(column: Feature) -> Iterator[tuple[str, IntArray, float]]:
    """Rows by value, the commonest ones; missing values are one."""
    values, counts = np.unique(column.values[~column.missing], return_counts=True)
    values, counts = values[counts >= FEWEST_OF_A_LEVEL], counts[counts >= FEWEST_OF_A_LEVEL]
    common = values[np.argsort(-counts, kind="stable")][:MOST_LEVELS]
    for at, value in enumerate(np.sort(common)):
        yield column.name_of(float(value)), np.flatnonzero(column.values == value), float(at)
    if column.missing.sum() >= FEWEST_OF_A_LEVEL:
        yield "missing", np.flatnonzero(column.missing), float(len(common))


def _spread(left: FloatArray) -> dict[str, float]:
    low, high = weighted_quantiles(left, [0.1, 0.9], None)
    return {"low": float(low), "high": float(high)}
