"""`split`: the rows of a table to train on, to choose candidates on, and to test on."""

from __future__ import annotations

from typing import Any, NamedTuple

from foldwise.api.calls import known_keywords
from foldwise.api.request import as_data
from foldwise.arrays import IntArray
from foldwise.data.roles import Roles
from foldwise.shown import code_html, table_html
from foldwise.splits.holdout import three_way


class Part(NamedTuple):
    """Some rows of a table."""

    X: Any
    y: Any
    rows: IntArray

    def __repr__(self) -> str:
        return f"Part(rows={len(self.rows)})"

    def _repr_html_(self) -> str:
        return code_html(repr(self))


class Parts(NamedTuple):
    """Rows to train on, to choose candidates on, and to judge on."""

    train: Part
    dev: Part
    test: Part

    def __repr__(self) -> str:
        return f"Parts(train={len(self.train.rows)}, dev={len(self.dev.rows)}, test={len(self.test.rows)})"

    def _repr_html_(self) -> str:
        return table_html({"part": self._fields, "rows": [len(part.rows) for part in self]})


@known_keywords
def split(
    X: Any,
    y: Any = None,
    *,
    test: float = 0.2,
    dev: float = 0.2,
    groups: Any = None,
    time: Any = None,
    stratify: Any = "auto",
    seed: int = 0,
) -> Parts:
    """Split a table at random into rows to train on, to choose candidates on, and to test on.

    `X`, `y`: the table and its target, or a frame or file and the name of a column. `test`, `dev`: shares of all rows.
    `groups`: are kept whole.
    `time`: the last rows are for testing. `stratify`: equal shares of each class ("auto": for classification).
    `seed`: of the draw.

    >>> import numpy as np
    >>> import foldwise as fw
    >>> train, dev, test = fw.split(np.zeros((10, 2)), np.arange(10.0), test=0.2, dev=0.2)
    >>> len(train.y), len(dev.y), len(test.y)
    (6, 2, 2)
    """
    data = as_data(X, y, None, Roles(groups, time, stratify=stratify))
    parts = three_way(data, test=test, dev=dev, seed=seed)
    return Parts(*(Part(data.take(rows), data.y[rows], rows) for rows in parts))
