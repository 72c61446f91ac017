"""Distances from the differences themselves, and neighbours in the order of distance, then of row."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.arrays import FloatArray, IntArray

EPSILON = float(np.finfo(np.float64).eps)
ROUNDINGS = 4  # of every column, at most, in a sum of squares
POWERS = {"euclidean": 2.0, "l2": 2.0, "manhattan": 1.0, "l1": 1.0, "cityblock": 1.0, "chebyshev": float("inf")}


def power(core: Any) -> float | None:
    """The exponent of a Minkowski distance, or None where the distance is another.

    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> power(KNeighborsRegressor(p=1))
    1.0
    """
    if core.metric_params is not None or not isinstance(core.metric, str):
        return None
    if core.metric == "minkowski":
        return float(core.p) if isinstance(core.p, int | float | np.number) and core.p >= 1 else None
    return POWERS.get(core.metric)


def distances(asked: FloatArray, X: FloatArray, near: IntArray, p: float) -> FloatArray:
    """Distances of every asked row to the rows of its list, summed over the columns in their order.

    >>> distances(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]), np.array([[0]]), 2.0).tolist()
    [[5.0]]
    """
    whole = np.zeros(near.shape)
    for here, there in zip(_columns(asked), _columns(X), strict=True):
        gap = there.take(near)
        gap -= here[:, None]
        whole = _added(whole, gap, p)
    return _rooted(whole, p)


def sparse_distances(asked: Any, X: Any, near: IntArray, p: float) -> FloatArray:
    """The same for tables of which one is sparse."""
    from scipy.sparse import csr_array

    here, there = csr_array(asked, dtype=np.float64), csr_array(X, dtype=np.float64)
    gaps: Any = abs(there[near.ravel()] - here[np.repeat(np.arange(len(near)), near.shape[1])])
    if np.isinf(p):
        return np.asarray(gaps.max(axis=1).toarray(), np.float64).reshape(near.shape)
    gaps.data **= p
    return _rooted(np.asarray(gaps.sum(axis=1), np.float64).reshape(near.shape), p)


def in_order(distance: FloatArray, near: IntArray) -> tuple[FloatArray, IntArray]:
    """Each list by distance, equal ones by row.

    >>> in_order(np.array([[2.0, 1.0, 1.0]]), np.array([[0, 5, 3]]))[1].tolist()
    [[3, 5, 0]]
    """
    wrong = _out_of_order(distance)
    if not wrong.size:
        return distance, near
    if len(wrong) == len(distance):
        distance, near = _ordered(distance, near)
    else:
        distance, near = distance.copy(), near.copy()
        distance[wrong], near[wrong] = _ordered(distance[wrong], near[wrong])
    tied = _out_of_order(distance)
    if tied.size:
        order = np.lexsort((near[tied], distance[tied]), axis=1)
        distance[tied] = np.take_along_axis(distance[tied], order, axis=1)
        near[tied] = np.take_along_axis(near[tied], order, axis=1)
    return distance, near


def _out_of_order(distance: FloatArray) -> IntArray:
    return np.flatnonzero(~(distance[:, 1:] > distance[:, :-1]).all(axis=1))


def _ordered(distance: FloatArray, near: IntArray) -> tuple[FloatArray, IntArray]:
    """Each list by distance; lists are most often nearly in order, which a merge sort is quick with."""
    order = np.argsort(distance, axis=1, kind="stable")
    order += np.arange(len(distance))[:, None] * distance.shape[1]
    return distance.ravel().take(order), near.ravel().take(order)


def before_ties(reach: FloatArray, columns: int) -> FloatArray:
    """A little less than this distance: what is nearer is nearer however distances are rounded."""
    return np.asarray(reach * (1 - ROUNDINGS * (columns + 4) * EPSILON))


def norm_error(squares: FloatArray, columns: int) -> FloatArray:
    """How wrong squared distances may be that are computed from products of rows, of these squared norms together."""
    return np.asarray(ROUNDINGS * (columns + 4) * EPSILON * squares)


def squared_norms(X: Any) -> FloatArray:
    """Sums of squares by row, of a dense or a sparse table."""
    if isinstance(X, np.ndarray):
        return np.asarray(np.einsum("ij,ij->i", X, X))
    return np.asarray(X.multiply(X).sum(axis=1), np.float64).ravel()


def _columns(X: FloatArray) -> FloatArray:
    return np.ascontiguousarray(X.T, np.float64)


def _added(whole: FloatArray, gap: FloatArray, p: float) -> FloatArray:
    if p == 2:
        gap *= gap
        return np.add(whole, gap, out=whole)
    np.abs(gap, out=gap)
    if np.isinf(p):
        return np.maximum(whole, gap, out=whole)
    return np.add(whole, gap if p == 1 else gap**p, out=whole)


def _rooted(whole: FloatArray, p: float) -> FloatArray:
    if p == 2:
        return np.sqrt(whole, out=whole)
    return whole if p == 1 or np.isinf(p) else np.asarray(whole ** (1 / p))
