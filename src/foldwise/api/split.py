"""`split`: the rows of a table to train on, to choose candidates on, and to test on."""

from __future__ import annotations

from typing import Any, NamedTuple

from foldwise.arrays import IntArray
from foldwise.data.dataset import make_dataset
from foldwise.splits.holdout import three_way


class Part(NamedTuple):
    """Some rows of a table."""

    X: Any
    y: Any
    rows: IntArray


class Parts(NamedTuple):
    """Rows to train on, to choose candidates on, and to judge on."""

    train: Part
    dev: Part
    test: Part


def split(
    X: Any,
    y: Any,
    *,
    test: float = 0.2,
    dev: float = 0.2,
    groups: Any = None,
    time: Any = None,
    stratify: Any = "auto",
    seed: int = 0,
) -> Parts:
    """Split a table at random into rows to train on, to choose candidates on, and to test on.

    `X`, `y`: the table and its target. `test`, `dev`: shares of all rows. `groups`: are kept whole.
    `time`: the last rows are for testing. `stratify`: equal shares of each class ("auto": for classification).
    `seed`: of the draw.

    >>> import numpy as np
    >>> import foldwise as fw
    >>> train, dev, test = fw.split(np.zeros((10, 2)), np.arange(10.0), test=0.2, dev=0.2)
    >>> len(train.y), len(dev.y), len(test.y)
    (6, 2, 2)
    """
    data = make_dataset(X, y, groups=groups, time=time, stratify=stratify)
    parts = three_way(data, test=test, dev=dev, seed=seed)
    return Parts(*(Part(data.take(rows), data.y[rows], rows) for rows in parts))
