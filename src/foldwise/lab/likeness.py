"""Tables like a given one, drawn from a model of it: what is true of them is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from foldwise.api.result import Result
from foldwise.arrays import AnyArray, IntArray
from foldwise.data.dataset import Dataset
from foldwise.errors import BadStudy
from foldwise.losses.loss import label_array

WINDOW = 0.1  # share of the rows with similar predictions from which residuals and classes are drawn
LEAST_TESTED = 20  # rows


@dataclass(frozen=True, eq=False)
class Likeness:
    """A model of a table: its rows, drawn with replacement, and targets by a fitted model and the residuals it left.

    `predicted` and `truth` are of rows held out by the outer splits of a study: numbers, the score of the second
    class (`has_scores`), or class codes.
    """

    data: Dataset
    model: Any  # fitted to all rows
    predicted: AnyArray
    truth: AnyArray
    has_scores: bool

    def draw(self, rows: int, rng: np.random.Generator, name: str) -> Dataset:
        """A table of this many independent rows."""
        data, chosen = self.data, rng.integers(self.data.rows, size=rows)
        X = data.take(chosen)
        target = self._target(self._scores(X), rng)
        labels = target if data.task == "regression" else label_array(data.classes)[target]
        return replace(
            data,
            X=X,
            y=np.asarray(labels).astype(data.y.dtype, copy=False),
            weights=None if data.weights is None else data.weights[chosen],
            strata=None,
            fingerprint=f"{data.fingerprint} like {name}",
            row_labels=None,
        )

    def _target(self, scores: AnyArray, rng: np.random.Generator) -> AnyArray:
        if self.data.task != "regression" and not self.has_scores:
            target = np.empty(len(scores), np.int64)  # classes of tested rows for which the same class was predicted
            for code in np.unique(scores).tolist():
                pool = np.flatnonzero(self.predicted == code)
                is_code = scores == code
                target[is_code] = self.truth[rng.choice(pool if len(pool) else len(self.predicted), is_code.sum())]
            return target
        # a score is matched with tested rows by its rank among the model's scores for the table
        count, known = len(self.predicted), np.sort(self._scores(self.data.take(np.arange(self.data.rows))))
        window = max(LEAST_TESTED // 2, int(WINDOW * count)) // 2
        rank = np.searchsorted(known, scores) * count // len(known)
        near = np.clip(rank + rng.integers(-window, window + 1, len(scores)), 0, count - 1)
        tested = np.argsort(self.predicted, kind="stable")[near]
        if self.data.task != "regression":
            return np.asarray(self.truth[tested])
        residuals = self.truth - self.predicted
        target = scores + (residuals - residuals.mean())[tested]
        target = np.maximum(target, 0.0) if (self.data.y >= 0).all() else target
        return np.asarray(np.rint(target) if _is_whole(self.data.y) else target)

    def _scores(self, X: Any) -> AnyArray:
        """What the model says of rows: numbers, scores of the second class, or class codes."""
        if self.has_scores:
            return np.asarray(self.model.predict_proba(X), np.float64)[:, 1]
        predictions = np.asarray(self.model.predict(X))
        return predictions.ravel() if self.data.task == "regression" else _codes(self.data, predictions)


def likeness_of(result: Result) -> Likeness:
    """The model of a study's table: its best method, fitted to all rows, and that method's out-of-fold predictions."""
    data, name = result.data, result.best
    assert data is not None
    if data.groups is not None or result.study.outer.is_ordered:
        raise BadStudy(
            "rows of groups or in the order of time are not simulated: the simulated rows are independent",
            "docs/coverage.md has grouped problems, docs/time-order.md series",
        )
    model = result.refit(name)  # refuses a study without a best method
    predictions = result.predictions().query("method == @name and repeat == 0")
    if len(predictions) < LEAST_TESTED:
        raise BadStudy(f"{len(predictions)} tested rows are too few to draw others like them", "Use folds")
    column = f"p_{data.classes[1]}" if data.task == "binary" else ""
    has_scores = hasattr(model, "predict_proba") and column in predictions and predictions[column].notna().all()
    predicted = predictions[column if has_scores else "prediction"].to_numpy()
    if data.task != "regression" and not has_scores:
        predicted = _codes(data, predicted)
    return Likeness(data, model, predicted, data.target[predictions["row"].to_numpy()], bool(has_scores))


def _codes(data: Dataset, labels: AnyArray) -> IntArray:
    codes = {label: code for code, label in enumerate(data.classes)}
    return np.array([codes[label] for label in labels.tolist()])


def _is_whole(values: AnyArray) -> bool:
    known = values[np.isfinite(values)]
    return bool((known == np.rint(known)).all())
