"""Sums by class of many training parts: those of all rows, less those of the rows left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray, IntArray

MANY = 24  # rows to sum per part and class from which a matrix product is the faster way


class ClassSums:
    """Sums over training parts of anything that is known of every row, by class.

    What is summed about the class means of all rows keeps its digits when rows are taken off again.
    """

    def __init__(
        self,
        codes: IntArray,
        classes: int,
        trains: Sequence[IntArray],
        *,
        weights: FloatArray | None = None,
        is_less: bool = True,
    ) -> None:
        from scipy.sparse import csr_array

        self.codes, self.classes, self.parts, self.weights = codes, classes, len(trains), weights
        counts = np.stack([np.bincount(train, minlength=codes.size) for train in trains])
        few = (counts.max(axis=1) <= 1) & (2 * counts.sum(axis=1) > codes.size)
        self.is_less = few & is_less  # is a part told by the rows it leaves out?
        listed = np.where(self.is_less[:, None], 1 - counts, counts)
        part, row = np.nonzero(listed)
        place = part * classes + codes[row]
        order = np.argsort(place, kind="stable")
        heavy = listed[part, row].astype(np.float64)
        self.counts = self._whole(self._count(place, heavy), np.bincount(codes, minlength=classes).astype(float))
        heavy = heavy if weights is None else heavy * weights[row]
        ends = np.concatenate([[0], np.cumsum(np.bincount(place, minlength=self.parts * classes))])
        self._listed = csr_array((heavy[order], row[order], ends), shape=(self.parts * classes, codes.size))

    def weight(self) -> FloatArray:
        """Parts x classes: the weight of their rows."""
        return self.of(np.ones((self.codes.size, 1)))[..., 0]

    def of(self, values: FloatArray) -> FloatArray:
        """Parts x classes x columns: (weighted) sums of the columns."""
        listed = np.asarray(self._listed @ values).reshape(self.parts, self.classes, values.shape[1])
        return self._whole(listed, self._total(values))

    def products(self, values: FloatArray, *, is_pooled: bool) -> FloatArray:
        """Parts x classes (one, if pooled) x columns x columns: sums of products of the columns."""
        wide, listed = values.shape[1], self._listed
        if is_pooled:
            listed = type(listed)(
                (listed.data, listed.indices, listed.indptr[:: self.classes]), (self.parts, len(values))
            )
        made = np.empty((listed.shape[0], wide, wide))
        if listed.nnz < MANY * listed.shape[0]:
            for at in range(wide):
                made[:, at, at:] = listed @ (values[:, at : at + 1] * values[:, at:])
                made[:, at:, at] = made[:, at, at:]
        else:
            for at, (rows, heavy) in enumerate(_each(listed)):
                block = values[rows] * np.sqrt(heavy)[:, None]
                made[at] = block.T @ block
        split = [values] if is_pooled else [values[self.codes == code] for code in range(self.classes)]
        total = np.stack([block.T @ block for block in split])
        return self._whole(made.reshape(self.parts, -1, wide, wide), total)

    def _whole(self, listed: FloatArray, total: FloatArray) -> FloatArray:
        """The sums of the parts, whichever way they are told."""
        is_less = self.is_less.reshape(-1, *[1] * (listed.ndim - 1))
        return np.asarray(np.where(is_less, total - listed, listed))

    def _count(self, place: IntArray, heavy: FloatArray) -> FloatArray:
        counted = np.bincount(place, weights=heavy, minlength=self.parts * self.classes)
        return np.asarray(counted.reshape(self.parts, self.classes), np.float64)

    def _total(self, values: FloatArray) -> FloatArray:
        heavy = values if self.weights is None else values * self.weights[:, None]
        return np.stack([heavy[self.codes == code].sum(axis=0) for code in range(self.classes)])


def class_means(X: FloatArray, codes: IntArray, classes: int, weights: FloatArray | None = None) -> FloatArray:
    """The (weighted) mean of every class; of a class without weight, zeros.

    >>> class_means(np.array([[1.0], [3.0], [5.0]]), np.array([0, 0, 1]), 2).tolist()
    [[2.0], [5.0]]
    """
    heavy = np.ones(codes.size) if weights is None else weights
    size = np.bincount(codes, weights=heavy, minlength=classes)
    sums = np.stack([heavy[codes == code] @ X[codes == code] for code in range(classes)])
    return np.asarray(sums / np.where(size > 0, size, 1.0)[:, None])


def _each(listed: Any) -> Iterator[tuple[IntArray, FloatArray]]:
    for start, end in zip(listed.indptr[:-1].tolist(), listed.indptr[1:].tolist(), strict=True):
        yield listed.indices[start:end], listed.data[start:end]
