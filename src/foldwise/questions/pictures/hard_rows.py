"""Rows that are hard for every method: those whose smallest out-of-fold loss over the methods is largest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.data.dataset import Dataset
from foldwise.data.features import Feature, features
from foldwise.questions.contest import asked_for
from foldwise.questions.method import MethodAnswer
from foldwise.questions.out_of_fold import class_labels

MOST_ROWS = 10
MOST_COLUMNS = 6
MOST_METHODS = 6


def hard_rows(
    methods: Sequence[MethodAnswer], *, data: Dataset | None = None, values: bool = False
) -> dict[str, Any] | None:
    """The hardest rows by number with their loss under every method; with `values` also what they are.

    A loss is the mean over repeats. Where many rows share the largest loss, as they do under the 0-1 loss, those
    come first to whose true class the methods gave least. None where a loss has no rows, or no method is finished.
    """
    able = [method for method in asked_for(list(methods)) if method.status == "ok"]
    losses = {method.method.name: _losses(method) for method in able}
    known = {name: found for name, found in losses.items() if found is not None}
    if not known or len(known) < len(able):
        return None
    least = np.min(list(known.values()), axis=0)
    doubt = np.mean([_doubt(method) for method in able], axis=0)
    places = np.flatnonzero(np.isfinite(least) & (least > 0))
    order = places[np.lexsort((-doubt[places], -least[places]))][:MOST_ROWS]
    if not order.size:
        return None
    shown = list(known)[:MOST_METHODS]
    columns = _columns(data) if values and data is not None else []
    rows = [_row(int(at), least, {name: known[name] for name in shown}, able[0], columns, values) for at in order]
    is_count = set(np.unique(np.stack(list(known.values())))) <= {0.0, 1.0}
    return {
        "methods": shown,
        "columns": [column.name for column in columns],
        "rows": rows,
        "labels": _labels(data, order),
        "wrong": int((least == 1).sum()) if is_count else None,
        "judged": int(np.isfinite(least).sum()),
        "share": _share(least, order),
    }


def _losses(method: MethodAnswer) -> FloatArray | None:
    """The loss of each row, the mean over repeats; NaN for rows that were never held out."""
    study, judge = method.study, method.study.losses[0]
    if not judge.is_per_row:
        return None
    sums, counts = np.zeros(study.rows), np.zeros(study.rows)
    for at in range(len(study.outer)):
        fold = method.out_of_fold(at)
        answer = fold.first(judge.needs)
        found = None if answer is None else method.reading.row_losses(judge, answer, fold.split.test)
        if found is None:
            return None
        np.add.at(sums, fold.split.test, found)
        np.add.at(counts, fold.split.test, 1)
    means: FloatArray = np.divide(sums, counts, out=np.full(study.rows, np.nan), where=counts > 0)
    return means


def _doubt(method: MethodAnswer) -> FloatArray:
    """1 less the probability of the true class; 0 where there are no probabilities."""
    study, found = method.study, np.zeros(method.study.rows)
    for at in range(len(study.outer)):
        fold = method.out_of_fold(at)
        shares = fold.responses.get("predict_proba")
        if shares is not None and study.task != "regression" and np.ndim(shares) == 2:
            found[fold.split.test] = 1 - shares[np.arange(len(fold.target)), fold.target.astype(int)]
    return found


def _row(
    at: int,
    least: FloatArray,
    losses: dict[str, FloatArray],
    first: MethodAnswer,
    columns: Sequence[Feature],
    values: bool,
) -> dict[str, Any]:
    found: dict[str, Any] = {"row": at, "least": float(least[at])}
    found["losses"] = {name: float(own[at]) for name, own in losses.items()}
    if values:
        found["truth"] = _plain(class_labels(first.study, first.study.target[at : at + 1])[0])
        found["values"] = [column.value(at) for column in columns]
    return found


def _columns(data: Dataset) -> list[Feature]:
    return list(features(data))[:MOST_COLUMNS]


def _labels(data: Dataset | None, order: Any) -> list[str] | None:
    """What the user calls these rows, where it is not their number."""
    if data is None or data.row_labels is None:
        return None
    return [str(data.row_labels[at]) for at in order]


def _share(least: FloatArray, order: Any) -> float:
    """The share of the whole (smallest) loss that these rows have."""
    whole = float(np.nansum(least))
    return float(least[order].sum() / whole) if whole > 0 else 0.0


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
