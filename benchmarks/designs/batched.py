"""Many replications at once: rows[replication, row, column], targets and predictions[replication, row]."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.errors import BadStudy
from foldwise.lab.decomposition import Predict

Simulated = dict[str, FloatArray]


def replicate(
    work: Callable[[int, np.random.Generator], Mapping[str, Any]],
    replications: int,
    *,
    key: str,
    seed: int = 0,
    chunk: int = 50,
) -> Simulated:
    """The arrays of `work(times, rng)` for all replications, joined along their first axis."""
    if replications < 1:
        raise BadStudy(f"{replications} replications cannot be made", "Ask for at least 1")
    parts = []
    for place, start in enumerate(range(0, replications, chunk)):
        rng = np.random.default_rng([seed, zlib.crc32(key.encode()), place])
        parts.append(work(min(chunk, replications - start), rng))
    return {name: np.concatenate([np.atleast_1d(part[name]) for part in parts]) for name in parts[0]}


def mean_error(values: FloatArray) -> float:
    """The standard error of a mean over replications."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def centroid(X: FloatArray, y: FloatArray, new: FloatArray) -> FloatArray:
    """The class whose mean row is nearer."""
    shares = [(y == code) / np.maximum((y == code).sum(-1, keepdims=True), 1) for code in (0, 1)]
    means = [share[..., None, :] @ X for share in shares]
    distances = [((new - mean) ** 2).sum(-1) for mean in means]
    return np.asarray(distances[1] < distances[0], np.float64)


def on_columns(predict: Predict, columns: tuple[int, ...]) -> Predict:
    """The same learner on some of the columns."""
    chosen = list(columns)
    return lambda X, y, new: predict(X[..., chosen], y, new[..., chosen])


def linear_model(predict: Predict, X: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """intercept[replication] and slopes[replication, column] of a linear learner, from its predictions."""
    probes = np.concatenate([np.zeros((1, X.shape[-1])), np.eye(X.shape[-1])])
    predictions = predict(X, y, np.broadcast_to(probes, (*X.shape[:-2], *probes.shape)))
    return predictions[..., 0], predictions[..., 1:] - predictions[..., :1]


def squared(y: FloatArray, predictions: FloatArray) -> FloatArray:
    return (y - predictions) ** 2


def zero_one(y: FloatArray, predictions: FloatArray) -> FloatArray:
    return np.asarray(y != predictions, np.float64)


def out_of_fold(predict: Predict, X: FloatArray, y: FloatArray, labels: IntArray, loss: Any = squared) -> FloatArray:
    """The loss of each row by the model trained without its fold: losses[replication, row]."""
    losses = np.empty_like(y)
    for train, test in splits_of(labels):
        losses[:, test] = loss(y[:, test], predict(X[:, train], y[:, train], X[:, test]))
    return losses


def leave_two_out(predict: Predict, X: FloatArray, y: FloatArray, labels: IntArray) -> FloatArray:
    """losses[replication, k, row] of models trained without fold k and the fold of the row; NaN on fold k."""
    folds = int(labels.max()) + 1
    losses = np.full((len(y), folds, y.shape[-1]), np.nan)
    for one, other in combinations(range(folds), 2):
        train = ~np.isin(labels, (one, other))
        for out, test in ((one, labels == other), (other, labels == one)):
            losses[:, out, test] = squared(y[:, test], predict(X[:, train], y[:, train], X[:, test]))
    return losses


def splits_of(labels: IntArray) -> Iterator[tuple[AnyArray, AnyArray]]:
    """Train and test rows of each fold."""
    for fold in range(int(labels.max()) + 1):
        yield np.flatnonzero(labels != fold), np.flatnonzero(labels == fold)


def fold_means(losses: FloatArray, labels: IntArray) -> FloatArray:
    """mean[replication, fold] of losses[replication, row]."""
    counts = np.bincount(labels)
    return np.asarray(losses @ ((labels[:, None] == np.arange(len(counts))) / counts))


def balanced_folds(rows: int, folds: int) -> IntArray:
    """fold[row] with sizes that differ by at most one; rows are exchangeable, so any fixed pattern is a random one."""
    return np.arange(rows, dtype=np.int64) % folds


def balanced_classes(rows: int, shifts: tuple[float, ...], columns: int, times: int, rng: Any) -> tuple[Any, Any]:
    """Normal columns and as many rows of either class, in order of it; class 1 lies `shifts` further."""
    y = np.sort(np.broadcast_to(np.arange(rows) % 2, (times, rows)), axis=-1).astype(np.float64)
    X = rng.standard_normal((times, rows, columns))
    X[..., : len(shifts)] += np.array(shifts) * (y[..., None] - 0.5)
    return X, y
