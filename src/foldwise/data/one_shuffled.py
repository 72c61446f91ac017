"""A table with one of its columns shuffled among its rows, the others as they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.arrays import IntArray


def with_column_shuffled(table: Any, column: int, order: IntArray) -> Any:
    """A copy in the same container, where row i has this column's value of row `order[i]`.

    >>> with_column_shuffled(np.array([[1.0, 2.0], [3.0, 4.0]]), 0, np.array([1, 0])).tolist()
    [[3.0, 2.0], [1.0, 4.0]]
    """
    if hasattr(table, "isetitem"):
        made = table.copy()
        made.isetitem(column, table.iloc[:, column].array.take(order))
        return made
    if hasattr(table, "iloc"):  # documents, in a series
        made = table.iloc[order]
        made.index = table.index
        return made
    if hasattr(table, "tocsc"):
        from scipy import sparse

        values = table[:, [column]].toarray()
        changes = values[order, 0] - values[:, 0], (np.arange(len(order)), np.full(len(order), column))
        return (table + sparse.csr_matrix(changes, shape=table.shape)).asformat(table.format)
    made = table.copy()
    made[:, column] = table[order, column]
    return made
