"""Which rows a model was trained on, so that it is not judged on them by mistake."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray
from foldwise.data.dataset import Dataset

_TRAINED_ON: dict[int, Dataset] = {}  # by id of the model, for as long as it lives in this process


def remember_rows(model: Any, data: Dataset) -> Any:
    """Note the data of a refitted model; the model itself is left alone, and nothing is worked out yet."""
    try:
        weakref.finalize(model, _TRAINED_ON.pop, id(model), None)
    except TypeError:  # it cannot be watched, so it is not noted
        return model
    _TRAINED_ON[id(model)] = data
    return model


def training_data(model: Any) -> Dataset | None:
    """The data that a model is known to have been trained on."""
    return _TRAINED_ON.get(id(model))


def rows_seen(model: Any, data: Dataset) -> int:
    """How many of these rows the model is known to have been trained on."""
    known = _TRAINED_ON.get(id(model))
    if known is None or known.names != data.names:
        return 0
    return int(np.isin(_row_hashes(data), _row_hashes(known)).sum())


def _row_hashes(data: Dataset) -> AnyArray:
    """A number for every row and its target: equal rows have equal ones, whatever holds them."""
    import pandas as pd

    X = data.X
    if hasattr(X, "iloc"):
        cells = pd.util.hash_pandas_object(
            X.astype({name: object for name in X if X[name].dtype == "category"}), index=False
        )
        rows = cells.to_numpy()
    elif hasattr(X, "tocsr"):
        rows = _sparse_hashes(X.tocsr())
    else:
        rows = pd.util.hash_pandas_object(pd.DataFrame(X), index=False).to_numpy()
    target = pd.util.hash_array(np.asarray(data.y))
    return np.asarray(rows * np.uint64(31) + target)


def _sparse_hashes(X: Any) -> AnyArray:
    """Sums of hashes of the cells that are not zero: the table is never written out."""
    import pandas as pd

    places = pd.util.hash_array(X.indices.astype(np.int64)) * np.uint64(3)
    cells = places ^ pd.util.hash_array(X.data.astype(np.float64) + 0.0)
    totals = np.concatenate([[np.uint64(0)], np.cumsum(cells, dtype=np.uint64)])
    return np.asarray(totals[X.indptr[1:]] - totals[X.indptr[:-1]])
