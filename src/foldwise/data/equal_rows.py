"""Rows that are equal, or nearly so: which they are, and groups that keep them together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray

WORD = "duplicates"  # groups="duplicates": rows that are equal or nearly so are never on both sides of a split
NEIGHBOURS = 10  # a row is a near copy if it is much closer than the tenth nearest
MANY = 40  # neighbours in the columns of fine numbers, those with another value in a quarter of the rows
FINE, SPIKE = 0.25, 0.05  # and rows with the commonest value
MOST_COPIES = 12  # of a row, one after another, that are seen
JUMP = 0.5  # of the distance to the next row, at most, where several copies end
CLOSE = 0.2  # of the distance to that one, at most
CHANCE = 0.005  # of the rows that may be taken for copies
LEAST_GAP = 0.6  # of the rows within a wider distance are copies: by chance half of them at most
MOST_ROWS = 20_000  # among which near copies are looked for: it takes rows x rows steps
MOST_LABELS = 100  # a column with more has names rather than categories, and is left out of distances
MOST_MISSING = 0.2  # of the values of a column that tells how far apart rows are
CHUNK = 2_000_000  # differences at a time
FEW_CELLS = 250_000  # distances at a time, which the processor keeps at hand
LEAST_ASKED = 8  # rows at a time: a large table is not read again for each
FEW_COLUMNS, LEAF = 6, 40  # up to which a tree finds neighbours sooner; rows in one of its leaves
SMALL = 1e-4  # of the squared lengths of two rows: from there on their product gives the distance to eleven digits


def hash_column(values: AnyArray, salt: int) -> AnyArray:
    """A number of 64 bits for every value of a column, equal where the values are; NaN is one value, and so is zero."""
    numbers = np.asarray(values, dtype=np.float64) + 0.0
    missing = np.isnan(numbers)
    bits = np.where(missing, 0.0, numbers).view(np.uint64) ^ np.where(missing, _FILLED, np.uint64(0))
    with np.errstate(over="ignore"):
        bits = bits + np.uint64(0x9E3779B97F4A7C15) * np.uint64(salt + 1)
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(bits ^ (bits >> np.uint64(31)))


_FILLED = np.uint64(0x7FF8DEADBEEF0001)


def hash_rows(columns: Sequence[AnyArray]) -> AnyArray:
    """The sum of the hashes of the cells: equal rows have equal sums, and others hardly ever.

    >>> rows = hash_rows([np.array([1.0, 1.0, 2.0]), np.array([np.nan, np.nan, 0.0])])
    >>> bool(rows[0] == rows[1]), bool(rows[0] == rows[2])
    (True, False)
    """
    total = np.zeros(len(columns[0]), dtype=np.uint64)
    for salt, values in enumerate(columns):
        total += hash_column(values, salt)
    return total


def table_columns(X: Any, kinds: Sequence[str]) -> Iterator[AnyArray]:
    """The columns of a canonical table as numbers: microseconds, or codes of text and categories, -1 where missing."""
    for at, kind in enumerate(kinds):
        yield column_numbers(X[:, at] if isinstance(X, np.ndarray) else X.iloc[:, at].to_numpy(), kind)[0]


def column_numbers(raw: AnyArray, kind: str) -> tuple[FloatArray, tuple[Any, ...]]:
    """One column as numbers, and the labels that codes stand for."""
    if kind in ("text", "category"):
        import pandas as pd

        codes, labels = pd.factorize(raw)
        return (codes.astype(np.float64), tuple(labels)) if len(labels) else (np.full(len(codes), np.nan), ())
    if raw.dtype.kind == "M":
        stamps = raw.astype("datetime64[us]").view(np.int64).astype(np.float64)
        stamps[np.isnat(raw)] = np.nan
        return stamps, ()
    return np.asarray(raw, dtype=np.float64), ()


def spread_out(columns: Sequence[AnyArray], is_label: Sequence[bool], rows: IntArray | None = None) -> FloatArray:
    """Points whose distances say how alike (some) rows are: numbers in standard deviations, and 1 for another label."""
    chosen: Any = slice(None) if rows is None else rows
    labels = {at: int(columns[at][chosen].max(initial=-1)) + 2 for at, label in enumerate(is_label) if label}
    labels = {at: width for at, width in labels.items() if width <= MOST_LABELS}
    most = sum(labels.values()) + len(columns) - sum(is_label)
    points, width = np.zeros((len(columns[0][chosen]), most)), 0  # column by column: of a wide table this is large
    for at, (column, label) in enumerate(zip(columns, is_label, strict=True)):
        values = column[chosen]
        if at in labels:
            points[np.arange(len(values)), width + values.astype(np.int64) + 1] = 1 / np.sqrt(2)
            width += labels[at]
        elif not label and np.isnan(values).mean() <= MOST_MISSING and (scaled := in_deviations(values)) is not None:
            points[:, width] = scaled
            width += 1
    return points[:, :width]


def in_deviations(values: FloatArray) -> FloatArray | None:
    """Numbers in standard deviations from their mean, 0 where they are missing; None where they do not differ.

    >>> in_deviations(np.array([1.0, 3.0, np.nan]))
    array([-1.,  1.,  0.])
    """
    missing = np.isnan(values)
    is_whole = not missing.any()
    known = np.clip(values if is_whole else values[~missing], -1e300, 1e300)  # infinities are far, not lost
    if not len(known) or known.min() == known.max():
        return None
    known /= np.abs(known).max()
    known -= known.mean()
    width = np.sqrt(known @ known / len(known))
    if width == 0:
        return None
    known /= width
    if is_whole:
        return known
    deviations = np.zeros(len(values))
    deviations[~missing] = known
    return deviations


def nearest(points: FloatArray, sample: IntArray, count: int = NEIGHBOURS) -> tuple[FloatArray, IntArray]:
    """Distances to the nearest other rows and which these are, for a sample; distances[row, rank], ascending."""
    count = min(count, len(points) - 1)
    if 0 < points.shape[1] <= FEW_COLUMNS:
        return _nearest_by_tree(points, sample, count)
    squares = np.einsum("ij,ij->i", points, points)
    distances, rows = np.empty((len(sample), count)), np.empty((len(sample), count), dtype=np.int64)
    step = max(LEAST_ASKED, FEW_CELLS // len(points))
    for start in range(0, len(sample), step):
        part = sample[start : start + step]
        to_all = points[part] @ points.T
        to_all *= -2
        to_all += squares
        to_all[np.arange(len(part)), part] = np.inf
        # row by row, and none of the others kept: of a large table these places take as much memory as the distances
        places = np.array([np.argpartition(row, count - 1)[:count].copy() for row in to_all])
        gaps = np.take_along_axis(to_all, places, axis=1) + squares[part, None]
        # of the small ones the formula above loses the digits which tell near copies apart
        row, rank = np.nonzero(gaps <= SMALL * (squares[part, None] + squares[places]))
        gaps[row, rank] = _squared_gaps(points, part[row], places[row, rank])
        order = np.argsort(gaps, axis=1)
        distances[start : start + len(part)] = np.sqrt(np.take_along_axis(gaps, order, axis=1))
        rows[start : start + len(part)] = np.take_along_axis(places, order, axis=1)
    return distances, rows


def _nearest_by_tree(points: FloatArray, sample: IntArray, count: int) -> tuple[FloatArray, IntArray]:
    from scipy.spatial import KDTree

    distances, rows = map(np.asarray, KDTree(points, LEAF, balanced_tree=False).query(points[sample], count + 1))
    is_itself = rows == sample[:, None]
    is_itself[~is_itself.any(axis=1), -1] = True  # among so many equal rows the row itself was not listed
    return distances[~is_itself].reshape(-1, count), rows[~is_itself].astype(np.int64).reshape(-1, count)


def _squared_gaps(points: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """The squared distance of each of the first rows to its partner among the second."""
    squares, step = np.empty(len(first)), max(1, CHUNK // max(1, points.shape[1]))
    for start in range(0, len(first), step):
        part = slice(start, start + step)
        gaps = points[first[part]] - points[second[part]]
        squares[part] = np.einsum("ij,ij->i", gaps, gaps)
    return squares


class NearCopies:
    """Rows that are near copies of each other: so near that chance has one row in 200 there.

    The distances to the farther neighbours say how many dimensions the rows fill (Levina and Bickel, 2004), and so
    how many rows are as near by chance: beside the tenth neighbour, or, in the columns of fine numbers alone, beside
    the next row after several copies. Columns of few values have clumps of rows without copies. Copies of a `sample`
    of the `rows` are looked for, by its places among them.
    """

    def __init__(self, columns: Sequence[AnyArray], is_label: Sequence[bool], sample: IntArray, rows: IntArray) -> None:
        self.sample, self.rows = sample, rows
        fine = [values for values, label in zip(columns, is_label, strict=True) if not label and is_fine(values[rows])]
        self._fine = np.zeros((len(sample), 0)), np.zeros((len(sample), 0), dtype=np.int64)
        if len(fine) > 1 and len(rows) > 2 * MANY:
            points = spread_out(fine, [False] * len(fine), rows)
            self._fine = nearest(points, sample, MANY) if points.shape[1] > 1 else self._fine
        if len(fine) == len(columns) and self._fine[0].shape[1]:
            self._all = self._fine[0][:, :NEIGHBOURS], self._fine[1][:, :NEIGHBOURS]
        else:
            self._all = nearest(spread_out(columns, is_label, rows), sample, NEIGHBOURS)

    def links(self, *, is_sure: bool = False) -> tuple[IntArray, IntArray]:
        """Which rows of the sample (by place) have a copy, and which row it is; once for every copy.

        Where it must be sure, only if there are clearly fewer rows within a wider limit that are no copies.
        """
        owners, copies = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for look, wider in ((self._beside_tenth, 2.0), (self._several, 1.6)):
            owner, copy = look(1.0)
            if not is_sure or len(np.unique(owner)) >= LEAST_GAP * len(np.unique(look(wider)[0])):
                owners.append(owner)
                copies.append(copy)
        return np.concatenate(owners), np.concatenate(copies)

    @cached_property
    def reach(self) -> FloatArray:
        """How near to each row of the sample a copy is, by the distance to its tenth neighbour."""
        distances = self._all[0]
        limit = min(CLOSE, (CHANCE / (NEIGHBOURS - 1)) ** (1 / _dimensions(distances, NEIGHBOURS // 2 - 1)))
        return np.asarray(limit * distances[:, -1])

    def _beside_tenth(self, slack: float) -> tuple[IntArray, IntArray]:
        distances, rows = self._all
        owner, rank = np.nonzero(distances < slack * self.reach[:, None])
        return owner, rows[owner, rank]

    def _several(self, slack: float) -> tuple[IntArray, IntArray]:
        distances, rows = self._fine
        owner, rank = np.nonzero(np.arange(distances.shape[1]) < _several(distances, slack)[:, None])
        return owner, rows[owner, rank]


def is_fine(values: AnyArray) -> bool:
    """Has it many values, and none that many rows share?"""
    counts = np.unique(values, return_counts=True)[1]
    return bool(len(counts) > FINE * len(values) and counts.max() <= SPIKE * len(values))


def _several(distances: FloatArray, slack: float) -> IntArray:
    """How many of its nearest rows are copies of each row, after which the next one is far."""
    counts = np.zeros(len(distances), dtype=np.int64)
    if not distances.shape[1]:
        return counts
    dimensions = _dimensions(distances, MOST_COPIES)
    for copies in range(MOST_COPIES, 0, -1):
        limit = min(JUMP, (CHANCE / MOST_COPIES) ** (1 / (copies * dimensions)))
        counts[distances[:, copies - 1] < slack * limit * distances[:, copies]] = copies
    return counts


def _dimensions(distances: FloatArray, first: int) -> float:
    """How many the rows fill, by the neighbours from there on: nearer ones may be copies of one row."""
    known, count = np.maximum(distances, 1e-300), distances.shape[1]
    logs = np.log(known[:, -1:] / known[:, first:-1]).sum(axis=1)
    return sum((rank - first) / rank for rank in range(first + 1, count)) / max(float(logs.mean()), 1e-9)


def duplicate_groups(X: Any, kinds: Sequence[str]) -> IntArray:
    """A group for every set of rows that are equal in all features or, up to 20,000 rows, nearly so.

    >>> duplicate_groups(np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]]), ("number", "number")).tolist()
    [0, 1, 0]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if hasattr(X, "tocsr"):
        return _sparse_groups(X.tocsr())
    columns = list(table_columns(X, kinds))
    _, first, codes = np.unique(hash_rows(columns), return_index=True, return_inverse=True)
    codes = codes.astype(np.int64)
    if not NEIGHBOURS < len(first) <= MOST_ROWS:
        return _in_order(codes)
    is_label = [kind in ("text", "category") for kind in kinds]
    owners, copies = NearCopies(columns, is_label, np.arange(len(first)), first).links()
    links = coo_array((np.ones(len(owners)), (owners, copies)), shape=(len(first), len(first)))
    return _in_order(connected_components(links, directed=False)[1][codes].astype(np.int64))


def _sparse_groups(X: Any) -> IntArray:
    X.sum_duplicates()
    rows = zip(X.indptr[:-1], X.indptr[1:], strict=True)
    seen: dict[bytes, int] = {}
    cells = (X.indices[a:b].tobytes() + X.data[a:b].tobytes() for a, b in rows)
    return np.array([seen.setdefault(row, len(seen)) for row in cells], dtype=np.int64)


def _in_order(codes: IntArray) -> IntArray:
    """The same groups, numbered in the order in which they appear."""
    _, first, codes = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[codes]
