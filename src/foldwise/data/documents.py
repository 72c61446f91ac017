"""A series or list of documents: a table of one column of text."""

from __future__ import annotations

from typing import Any

import numpy as np

DOCUMENTS = "text"  # the name of the column where the documents have none


def documents(X: Any) -> Any:
    """A series, list or one-dimensional array of texts as a frame of one column; None where it is something else.

    >>> documents(["a fine wine", None, "a dull one"]).columns.tolist()
    ['text']
    >>> documents([[1, 2], [3, 4]]) is None
    True
    """
    values = _values(X)
    if not any(isinstance(text, str) for text in values) or not all(map(_is_document, values)):
        return None
    import pandas as pd

    name = getattr(X, "name", None)
    texts = [str(text) if isinstance(text, str) else None for text in values]
    return pd.DataFrame({DOCUMENTS if name in (None, "") else str(name): pd.Series(texts, dtype=object)})


def _values(X: Any) -> Any:
    import narwhals as nw

    if isinstance(X, list | tuple):
        return X
    if isinstance(X, np.ndarray):
        return X.tolist() if X.ndim == 1 and X.dtype.kind in "OUT" else ()
    if nw.dependencies.is_pandas_series(X) or nw.dependencies.is_polars_series(X):
        return () if str(X.dtype).lower().startswith(("categor", "enum")) else X.to_list()
    return ()


def _is_document(text: Any) -> bool:
    """Text, or what stands for missing text in lists and series."""
    is_missing = text is None or type(text).__name__ == "NAType" or (isinstance(text, float) and text != text)
    return isinstance(text, str) or is_missing
