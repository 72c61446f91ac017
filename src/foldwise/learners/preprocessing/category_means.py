"""Target means of the values of a column; loads scikit-learn, so import it only when it is used."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import OrdinalEncoder
from sklearn.utils.validation import check_is_fitted

from foldwise.arrays import AnyArray, FloatArray, IntArray

PARTS = 5  # the means a training row is given come from the other four
DOUBT = 5  # so many rows speak for values that say nothing, before the rows of one value are compared
MOST_DRAWN = 1e4  # values that say nothing are drawn to the overall mean as by so many rows of it


class CategoryMeans(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """How far the mean target of every value, or the share of every class, is from the overall one, after shrinkage.

    Training rows are given means of other training rows, or a value seen once
    would tell the learner its own target. Values that are new are 0, in training and later, whichever part they are in.

    >>> X = np.array([["a"], ["a"], ["b"], ["b"], ["c"]], dtype=object)
    >>> means = CategoryMeans().fit(X, np.array([1.0, 1.0, 3.0, 3.0, 7.0]))
    >>> means.transform(np.array([["a"], ["b"], ["c"], ["new"]], dtype=object)).round(2).tolist()
    [[-0.89], [0.0], [1.14], [0.0]]
    """

    def __init__(self, is_classification: bool = False) -> None:
        self.is_classification = is_classification

    def fit(self, X: Any, y: Any) -> CategoryMeans:
        self.codes_ = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, dtype=np.int64).fit(X)
        targets = self._targets(np.asarray(y))
        self.n_features_in_ = self.codes_.n_features_in_
        self.means_ = self._means(self.codes_.transform(X), targets)
        return self

    def transform(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        return _encoded(self.means_, self.codes_.transform(X))

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> FloatArray:
        """Fit, and encode each training row by the rows of the other parts."""
        codes = self.fit(X, y).codes_.transform(X)
        targets = self._targets(np.asarray(y))
        made = _encoded(self.means_, codes)
        parts = _parts(len(codes))
        for part in range(PARTS):
            inside = parts == part
            if inside.all() or not inside.any():  # fewer rows than parts
                continue
            made[inside] = _encoded(self._means(codes[~inside], targets[~inside]), codes[inside])
        return made

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        names = [f"x{j}" for j in range(self.n_features_in_)] if input_features is None else input_features
        outputs = len(self.means_)
        return np.array([f"{name}_{j}" if outputs > 1 else name for j in range(outputs) for name in names], object)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Models of version 0.1 have scikit-learn's encoders where there are distances now."""
        super().__setstate__(state)
        self.means_ = [[_distances_of(one) for one in output] for output in getattr(self, "means_", [])]

    def _means(self, codes: IntArray, targets: FloatArray) -> list[list[FloatArray]]:
        """By output and column, the distance of each value's mean from the overall one, and 0 for new values."""
        known = zip(codes.T, self.codes_.categories_, strict=True)
        columns = [_Column(column, len(values)) for column, values in known]
        return [[column.distances(target) for column in columns] for target in targets.T]

    def _targets(self, y: AnyArray) -> FloatArray:
        """One column per output: the target, the second of two classes, or each of more."""
        if not self.is_classification:
            return y.astype(np.float64)[:, None]
        self.classes_ = np.unique(y)
        wanted = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        return np.asarray(y[:, None] == wanted[None, :], dtype=np.float64)


class _Column:
    """The codes of one column; what they say of a target is found in as many additions as there are rows.

    The formula, and the order of the additions, are those of scikit-learn's `TargetEncoder`, so that the means are its
    own to the last bit.
    """

    def __init__(self, codes: IntArray, values: int) -> None:
        self.counts = np.bincount(codes, minlength=values)
        self.seen = np.flatnonzero(self.counts)
        self.codes = np.r_[np.arange(len(self.counts)), codes]  # first what each value is drawn by, and then its rows

    def distances(self, target: FloatArray) -> FloatArray:
        """How far each value's mean is from the overall one; 0 for values of no row, and for new ones at the end."""
        drawn, mean = self.drawn(target), float(np.mean(target))
        sums, counts = (
            np.bincount(self.codes, np.r_[np.full(len(self.counts), first), rest])[self.seen]
            for first, rest in ((drawn * mean, target), (drawn, np.ones(len(target))))
        )
        found = np.zeros(len(self.counts) + 1)
        found[self.seen] = sums / counts - mean
        return found

    def drawn(self, target: FloatArray) -> float:
        """The rows of overall mean that a value's own rows are mixed with: variance within over that between values.

        scikit-learn's own choice takes the variance within each value, which is 0 where a value has one row, and so
        does not draw the rarest values at all.
        """
        codes = self.codes[len(self.counts) :]
        own = np.bincount(codes, target, len(self.counts)) / np.maximum(self.counts, 1)
        total = float(np.var(target))
        freedom = len(target) - len(self.seen)
        within = (float(np.sum((target - own[codes]) ** 2)) + DOUBT * total) / (freedom + DOUBT)
        between = total - within
        return MOST_DRAWN if between * MOST_DRAWN <= within else within / between


def _distances_of(found: Any) -> FloatArray:
    is_present = isinstance(found, np.ndarray)
    return np.asarray(found if is_present else np.r_[found.encodings_[0] - found.target_mean_, 0.0])


def _encoded(means: list[list[FloatArray]], codes: IntArray) -> FloatArray:
    """Distances from the overall mean: the mean itself would tell a training row which part it is in."""
    made = [values[codes[:, at]] for distances in means for at, values in enumerate(distances)]
    return np.column_stack(made)


def _parts(rows: int) -> IntArray:
    """Parts of equal size; shuffled, since rows may come in an order that means something."""
    parts = np.empty(rows, np.int64)
    parts[np.random.default_rng(0).permutation(rows)] = np.arange(rows) % min(PARTS, rows)
    return parts
