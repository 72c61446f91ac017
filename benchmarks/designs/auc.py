"""Do the intervals of an AUC cover? Two normal classes and a linear rule, where the true AUC has a formula."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.stats.auc import cv_auc, delong_auc
from foldwise.stats.cross_validated import corrected_t

if TYPE_CHECKING:
    import pandas as pd

COLUMNS, SHIFT = 5, 0.4  # features, and the distance of the class means in each


def auc_coverage(
    rows: tuple[int, ...] = (50, 100, 500),
    *,
    folds: int = 10,
    replications: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> pd.DataFrame:
    """Coverage of DeLong (this predictor), the influence curve (these models) and the corrected t (the learner).

    >>> found = auc_coverage((60,), replications=20)
    >>> found["interval"].tolist()
    ['DeLong', 'AUC influence curve', 'corrected t']
    """
    import pandas as pd

    return pd.DataFrame([row for n in rows for row in _cells(n, folds, replications, level, seed)])


def _cells(rows: int, folds: int, replications: int, level: float, seed: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng([seed, rows, folds])
    draws = [_replicate(rows, folds, level, rng) for _ in range(replications)]
    learner = float(
        np.mean([draw["models"] for draw in draws])
    )  # what the corrected t is about: the mean over training sets
    cells = []
    for name, target, truth in (
        ("DeLong", "T1", "one"),
        ("AUC influence curve", "T3", "models"),
        ("corrected t", "T2", None),
    ):
        lows, highs = np.array([draw[name] for draw in draws]).T
        truths = np.array([learner if truth is None else draw[truth] for draw in draws])
        covers = (lows <= truths) & (truths <= highs)
        cells.append(
            {
                "rows": rows,
                "interval": name,
                "target": target,
                "coverage": float(covers.mean()),
                "error": float(math.sqrt(covers.mean() * (1 - covers.mean()) / replications)),
                "width": float((highs - lows).mean()),
            }
        )
    return cells


def _replicate(rows: int, folds: int, level: float, rng: np.random.Generator) -> dict[str, Any]:
    """One data set and one test set of the same size: the ends of every interval, and the true AUCs."""
    X, y = _draw(rows, rng)
    fresh, truth = _draw(rows, rng)
    rule = _direction(X, y)
    one = delong_auc(truth, fresh @ rule, level=level)
    fold = np.empty(rows, dtype=int)
    for label in (0, 1):  # stratified folds, so that every one holds both classes
        own = np.flatnonzero(y == label)
        fold[own] = rng.permutation(np.arange(own.size) % folds)
    rules = [_direction(X[fold != k], y[fold != k]) for k in range(folds)]
    scores = np.einsum("ij,ij->i", X, np.array(rules)[fold])
    curve = cv_auc(y, scores, folds=fold, level=level)
    parts = [delong_auc(y[fold == k], scores[fold == k]).value for k in range(folds)]
    spread = corrected_t(parts, test_train_ratio=1 / (folds - 1), level=level)
    return {
        "DeLong": (one.low, one.high),
        "AUC influence curve": (curve.low, curve.high),
        "corrected t": (spread.low, spread.high),
        "one": _true_auc(rule),
        "models": float(np.mean([_true_auc(w) for w in rules])),
    }


def _draw(rows: int, rng: np.random.Generator) -> tuple[FloatArray, Any]:
    y = np.arange(rows) % 2
    return rng.normal(size=(rows, COLUMNS)) + SHIFT * y[:, None], y


def _direction(X: FloatArray, y: Any) -> FloatArray:
    """The rule: project on the difference of the class means."""
    return np.asarray(X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))


def _true_auc(rule: FloatArray) -> float:
    """P(score of a positive > score of a negative) = Phi(shift / sqrt(2)) along the rule."""
    distance = SHIFT * float(rule.sum()) / float(np.linalg.norm(rule))
    return 0.5 * (1 + math.erf(distance / 2))
