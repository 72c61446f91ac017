"""Rows to judge a fitted model on: unlike data to learn from, they may hold one row, one class or one value."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.arrays import AnyArray
from foldwise.data.columns import Column, fingerprint
from foldwise.data.dataset import Dataset, frozen, no_target
from foldwise.data.roles import refuse_missing, weight_values
from foldwise.data.tables import column_from, finish, open_table
from foldwise.errors import BadData, nearest


def make_judged(X: Any, y: Any, *, classes: Any = (), weights: Any = None) -> Dataset:
    """A dataset whose classes are those the model knows; none for a regression.

    >>> make_judged([[1.0], [2.0]], ["no", "no"], classes=["no", "yes"])
    Dataset(2 rows x 1 column, binary)
    """
    table = open_table(X)
    if y is None:
        raise no_target(table)
    if isinstance(y, str):
        target, _ = table.find(y, "the target")
        table = table.without([y])
    else:
        target, _ = column_from(y, "the target")
    if table.rows < 1 or len(target.values) != table.rows:
        raise BadData(
            f"the target has {len(target.values)} rows, but X has {table.rows}", "Give one value for each row"
        )
    refuse_missing(target, "the target")
    known = tuple(label.item() if isinstance(label, np.generic) else label for label in classes)
    container, kinds, digests = finish(table)
    return Dataset(
        X=container,
        names=table.names,
        kinds=kinds,
        y=frozen(_labels(target, known) if known else _numbers(target)),
        task="regression" if not known else "binary" if len(known) == 2 else "multiclass",
        classes=known,
        groups=None,
        time=None,
        weights=None if weights is None else frozen(weight_values(column_from(weights, "weights")[0])),
        strata=None,
        fingerprint=fingerprint(table.names, kinds, digests, target, known),
        is_series=table.is_series,
    )


def _numbers(target: Column) -> AnyArray:
    if target.labels:
        raise BadData("the target is text, but the model predicts numbers", "Give the target the model was trained for")
    return target.values.astype(np.float64)


def _labels(target: Column, classes: tuple[Any, ...]) -> AnyArray:
    found = target.texts if target.labels else target.values
    place = {label if isinstance(label, str) else float(label): label for label in classes}
    values = [value if isinstance(value, str) else float(value) for value in found.tolist()]
    strange = next((value for value in values if value not in place), None)
    if strange is not None:
        raise BadData(
            f"the target has the class {strange!r}, which the model does not know",
            nearest(str(strange), map(str, classes)),
        )
    return np.array([place[value] for value in values], dtype=object if isinstance(classes[0], str) else None)
