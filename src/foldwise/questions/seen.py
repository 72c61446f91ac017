"""Which rows a model was trained on, so that it is not judged on them by mistake."""

from __future__ import annotations

import hashlib
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from foldwise.data.dataset import Dataset

_SEEN: WeakKeyDictionary[Any, frozenset[bytes]] = WeakKeyDictionary()
MOST_ROWS = 200_000  # above this a memory of all rows would cost more than it saves


def remember_rows(model: Any, data: Dataset) -> Any:
    """Note the rows of a refitted model for as long as it lives in this process; the model itself is left alone."""
    if data.rows <= MOST_ROWS:
        _SEEN[model] = frozenset(_row_names(data))
    return model


def rows_seen(model: Any, data: Dataset) -> int:
    """How many of these rows the model is known to have been trained on."""
    try:
        seen = _SEEN.get(model)
    except TypeError:  # a model that cannot be a key was never noted
        return 0
    return sum(name in seen for name in _row_names(data)) if seen else 0


def _row_names(data: Dataset) -> list[bytes]:
    table = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    if isinstance(table, np.ndarray):
        cells = np.column_stack([table, np.asarray(data.target, dtype=float)])
        return [hashlib.blake2b(row.tobytes(), digest_size=12).digest() for row in cells]
    texts = table.astype(str).agg("|".join, axis=1)
    pairs = zip(texts, np.asarray(data.target).tolist(), strict=True)
    return [hashlib.blake2b(f"{text}|{value}".encode(), digest_size=12).digest() for text, value in pairs]
