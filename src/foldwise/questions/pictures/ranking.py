"""ROC and precision-recall curves of each outer fold, and their mean and range over folds at common places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.questions.out_of_fold import FoldAnswers
from foldwise.questions.usual_metrics import RANKING

PLACES = np.linspace(0.0, 1.0, 101)
MOST_CLASSES = 6  # classes with a line of their own
FEWEST = 5  # rows of a class in a fold, on average, below which a curve of the fold says nothing
Curve = Callable[[AnyArray, FloatArray, FloatArray | None], FloatArray]


def ranking(folds: Sequence[FoldAnswers], classes: Sequence[Any]) -> dict[str, Any] | None:
    """Both curves of the second of two classes, or the mean over several, each against the rest.

    Curves are those of folds and never of pooled rows: scores of different models have no common order. None where a
    fold lacks a class or has hardly any row of it, or where there is nothing to rank by.
    """
    if not folds or not all(_is_ranked(fold, len(classes)) for fold in folds):
        return None
    if _rarest(folds, len(classes)) < FEWEST:
        return None
    codes = [1] if len(classes) == 2 else range(len(classes))
    found = {name: np.array([[_of(curve, fold, code) for fold in folds] for code in codes]) for name, curve in _BOTH}
    mean_share = float(np.mean([[_share(fold, code) for fold in folds] for code in codes]))
    lines = len(classes) <= MOST_CLASSES and len(classes) > 2
    return {
        "of": str(classes[1]) if len(classes) == 2 else None,
        "folds": len(folds),
        "share": mean_share,
        "classes": [str(label) for label in classes] if lines else [],
        **{name: _summary(curves, lines) for name, curves in found.items()},
    }


def roc_places(is_positive: AnyArray, score: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """The true positive rate at every place of the false positive rate; rows of equal score count together.

    >>> roc_places(np.array([False, True, True]), np.array([0.2, 0.9, 0.1]))[[0, 50, 100]]
    array([0. , 0.5, 1. ])
    """
    hits, misses = _cumulated(is_positive, score, weights)
    found: FloatArray = np.interp(PLACES, misses / misses[-1], hits / hits[-1])
    found[0] = 0.0
    return found


def precision_places(is_positive: AnyArray, score: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """The precision at every place of the recall: that of the fewest rows with at least this recall.

    >>> precision_places(np.array([False, True, True]), np.array([0.2, 0.9, 0.1]))[[0, 50, 100]].round(2)
    array([1.  , 1.  , 0.67])
    """
    hits, misses = (part[1:] for part in _cumulated(is_positive, score, weights))
    at = np.searchsorted(hits / hits[-1], PLACES - 1e-12)
    first = int(np.flatnonzero(hits + misses > 0)[0])
    at = np.clip(at, first, len(hits) - 1)
    precision: FloatArray = hits[at] / (hits[at] + misses[at])
    return precision


_BOTH: tuple[tuple[str, Curve], ...] = (("roc", roc_places), ("precision", precision_places))


def _cumulated(is_positive: AnyArray, score: FloatArray, weights: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Weights of the rows of both kinds with at least each score, the highest score first, after nothing."""
    weights = np.ones(len(score)) if weights is None else weights
    levels, place = np.unique(-np.asarray(score, np.float64), return_inverse=True)
    kinds = (weights * is_positive, weights * ~np.asarray(is_positive, bool))
    hits, misses = (np.cumsum(np.bincount(place, kind, minlength=len(levels))) for kind in kinds)
    return np.concatenate([[0.0], hits]), np.concatenate([[0.0], misses])


def _is_ranked(fold: FoldAnswers, classes: int) -> bool:
    answer = fold.first(RANKING)
    if answer is None or not np.isfinite(answer).all():
        return False
    if (answer.ndim == 2 and answer.shape[1] != classes) or (answer.ndim == 1 and classes > 2):
        return False
    weights = np.ones(len(fold.target)) if fold.weights is None else fold.weights
    return bool((np.bincount(fold.target, weights, minlength=classes) > 0).all())


def _rarest(folds: Sequence[FoldAnswers], classes: int) -> float:
    counts = np.sum([np.bincount(fold.target, minlength=classes) for fold in folds], axis=0)
    return float(counts.min() / len(folds))


def _of(curve: Curve, fold: FoldAnswers, code: int) -> FloatArray:
    answer = fold.first(RANKING)
    assert answer is not None
    return curve(fold.target == code, answer if answer.ndim == 1 else answer[:, code], fold.weights)


def _share(fold: FoldAnswers, code: int) -> float:
    return float(np.average(fold.target == code, weights=fold.weights))


def _summary(curves: FloatArray, lines: bool) -> dict[str, Any]:
    """The mean over folds and their lowest and highest at every place; curves[class, fold, place]."""
    whole = curves.mean(axis=0)
    return {
        "mean": _rounded(whole.mean(axis=0)),
        "low": _rounded(whole.min(axis=0)),
        "high": _rounded(whole.max(axis=0)),
        "lines": [_rounded(one) for one in curves.mean(axis=1)] if lines else [],
    }


def _rounded(values: FloatArray) -> list[float]:
    return [round(float(value), 6) for value in values]
