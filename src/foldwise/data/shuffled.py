"""A table whose target, or one of its columns, is given to other rows, as if it told nothing."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from foldwise.arrays import AnyArray, IntArray
from foldwise.data.dataset import Dataset, frozen
from foldwise.errors import BadData

Way = Literal["rows", "within", "groups", "time"]


def way_of(data: Dataset, within: AnyArray | None = None) -> Way:
    """How targets may be exchanged: freely, within blocks, between whole groups, or shifted in time.

    Rows of a group are not exchangeable with others. Where the target is one value per group, groups exchange theirs;
    where it varies within them, it is exchanged within each.
    """
    if data.time is not None and (within is not None or data.groups is not None):
        raise BadData("targets in time order cannot be exchanged within groups too", "Leave groups or time out")
    if data.time is not None:
        return "time"
    if within is not None or _strata(data) is not None:
        return "within"
    if data.groups is None:
        return "rows"
    _, first, group = np.unique(data.groups, return_index=True, return_inverse=True)
    return "groups" if bool((data.y[first][group] == data.y).all()) else "within"


def shuffled(data: Dataset, draw: np.random.Generator, within: AnyArray | None = None) -> Dataset:
    """The data with exchanged targets; features, groups, weights and times stay where they are.

    >>> from foldwise.data.dataset import make_dataset
    >>> data = make_dataset([[1.0], [2.0], [3.0], [4.0]], [1.5, 2.5, 3.5, 9.0])
    >>> sorted(shuffled(data, np.random.default_rng(0)).y.tolist())
    [1.5, 2.5, 3.5, 9.0]
    """
    order = _order(data, draw, within)
    y = frozen(data.y[order])
    name = hashlib.blake2b(data.fingerprint.encode() + order.astype("<i8").tobytes(), digest_size=16).hexdigest()
    strata = data.strata[order] if data.strata is not None and _strata(data) is None else data.strata
    return replace(data, y=y, strata=strata, fingerprint=name)


def draw_for(data: Dataset, seed: int, at: int) -> np.random.Generator:
    """Random numbers for one permutation of these data; other data have others.

    The same permutations for all data would not be exchangeable with the order as it is, and p not uniform over data.
    """
    name = hashlib.blake2b(data.fingerprint.encode(), digest_size=8).digest()
    return np.random.default_rng([seed, at, int.from_bytes(name, "little")])


def _strata(data: Dataset) -> IntArray | None:
    """Strata besides the classes themselves, which are exchanged with the target."""
    is_own = data.task != "regression" and data.strata is not None and np.array_equal(data.strata, data.codes)
    return None if is_own else data.strata


def _order(data: Dataset, draw: np.random.Generator, within: AnyArray | None) -> IntArray:
    """From which row each row gets its target."""
    match way_of(data, within):
        case "rows":
            return draw.permutation(data.rows)
        case "time":
            assert data.time is not None
            places = np.argsort(data.time, kind="stable")
            order = np.empty(data.rows, np.int64)
            order[places] = np.roll(places, int(draw.integers(1, data.rows)))
            return order
        case "groups":
            assert data.groups is not None
            _, first, group = np.unique(data.groups, return_index=True, return_inverse=True)
            return np.asarray(first[draw.permutation(len(first))][group], np.int64)
        case "within":
            strata = _strata(data)
            blocks = within if within is not None else data.groups if strata is None else strata
            order = np.arange(data.rows)
            for block in np.unique(np.asarray(blocks)):
                rows = np.flatnonzero(np.asarray(blocks) == block)
                order[rows] = draw.permutation(rows)
            return order


def with_column_shuffled(table: Any, column: int, order: IntArray) -> Any:
    """A copy in the same container, where row i has this column's value of row `order[i]`.

    >>> with_column_shuffled(np.array([[1.0, 2.0], [3.0, 4.0]]), 0, np.array([1, 0])).tolist()
    [[3.0, 2.0], [1.0, 4.0]]
    """
    if hasattr(table, "isetitem"):
        changed = table.copy()
        changed.isetitem(column, table.iloc[:, column].array.take(order))
        return changed
    if hasattr(table, "iloc"):  # documents, in a series
        changed = table.iloc[order]
        changed.index = table.index
        return changed
    if hasattr(table, "tocsc"):
        from scipy import sparse

        values = table[:, [column]].toarray()
        changes = values[order, 0] - values[:, 0], (np.arange(len(order)), np.full(len(order), column))
        return (table + sparse.csr_matrix(changes, shape=table.shape)).asformat(table.format)
    changed = table.copy()
    changed[:, column] = table[order, column]
    return changed
