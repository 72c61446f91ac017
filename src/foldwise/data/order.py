"""A table and its target that were given in the wrong order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from foldwise.errors import BadData


def check_order(X: Any, y: Any) -> None:
    """Refuse a table where the target should be, and a column where the table should be.

    >>> import numpy as np
    >>> check_order(np.zeros(5), np.zeros((5, 3)))
    Traceback (most recent call last):
    foldwise.errors.BadData: X is one column and y is a table of 3: they seem to be swapped. Write (X, y).
    """
    if _width(y) < 2 and not _is_file(y):
        return
    if isinstance(X, str) and not _is_file(X):
        found = f"X is {X!r}, which is no file, and y is {_words(y)}"
    elif getattr(X, "ndim", 2) == 1 or (isinstance(X, list) and X and not hasattr(X[0], "__len__")):
        found = f"X is one column and y is {_words(y)}"
    else:
        return
    raise BadData(f"{found}: they seem to be swapped", "Write (X, y)")


def _width(values: Any) -> int:
    """Columns of a table; 0 of what is none."""
    if isinstance(values, list | tuple) and values and isinstance(values[0], list | tuple):
        return len(values[0])
    shape = getattr(values, "shape", ())
    return int(shape[1]) if isinstance(shape, tuple) and len(shape) == 2 else 0


def _is_file(value: Any) -> bool:
    try:
        return isinstance(value, str | Path) and Path(value).is_file()
    except (OSError, ValueError):  # too long for a path, or with characters that no path can have
        return False


def _words(y: Any) -> str:
    return f"the file {str(y)!r}" if _is_file(y) else f"a table of {_width(y)}"
