"""A neural net for tables: trained by torch, asked by NumPy alone, so that saved models load without torch."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.errors import BadData

NEEDS = "torch"  # imported when it is fitted; its version is part of what a store rests on

MOST_SEEDS = 2**31 - 1
LEAST_HELD_OUT = 2  # with fewer rows to look at, stopping would follow chance alone


class NeuralNet(BaseEstimator):  # type: ignore[misc]
    """Layers of rectified units, Adam, and early stopping on rows split off the training rows.

    `l1` and `l2` are penalties on the weights, beside the mean loss. The weights of the epoch with the smallest loss
    on the split-off rows are kept; after `patience` epochs without a smaller one, training ends. Batches are smaller
    than `batch_size` where a table has few rows. Columns should be scaled first.
    """

    _parameter_constraints = {
        "layers": [Interval(Integral, 1, None, closed="left")],
        "width": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "dropout": [Interval(Real, 0, 1, closed="left")],
        "l1": [Interval(Real, 0, None, closed="left")],
        "l2": [Interval(Real, 0, None, closed="left")],
        "max_epochs": [Interval(Integral, 1, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "patience": [Interval(Integral, 1, None, closed="left")],
        "validation_share": [Interval(Real, 0, 1, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        layers: int = 2,
        width: int = 64,
        learning_rate: float = 1e-3,
        dropout: float = 0.0,
        l1: float = 0.0,
        l2: float = 0.0,
        max_epochs: int = 200,
        batch_size: int = 64,
        patience: int = 20,
        validation_share: float = 0.15,
        random_state: Any = None,
    ) -> None:
        self.layers = layers
        self.width = width
        self.learning_rate = learning_rate
        self.dropout = dropout
        self.l1 = l1
        self.l2 = l2
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.patience = patience
        self.validation_share = validation_share
        self.random_state = random_state

    def _train(self, X: FloatArray, targets: FloatArray, strata: IntArray, weights: FloatArray) -> None:
        """Fit the weights to rows with positive weight; `targets` has one column per output."""
        from foldwise.learners.estimators.torch_training import train

        seed = int(check_random_state(self.random_state).randint(MOST_SEEDS))
        held_out = split_off(strata, self.validation_share, np.random.default_rng(seed))
        net = train(X, targets, weights / weights.mean(), held_out, seed, self.get_params(deep=False))
        self.coefs_, self.intercepts_ = net.coefs, net.intercepts
        self.held_out_losses_ = net.held_out_losses
        self.n_iter_, self.best_epoch_ = net.epochs, net.best_epoch

    def _outputs(self, X: Any) -> FloatArray:
        """The last layer for these rows, before it becomes values or shares."""
        check_is_fitted(self)
        out: FloatArray = validate_data(self, X, dtype=np.float64, reset=False)
        for coefs, intercepts in zip(self.coefs_[:-1], self.intercepts_[:-1], strict=True):
            out = np.maximum(out @ coefs + intercepts, 0.0)
        return out @ self.coefs_[-1] + self.intercepts_[-1]


class NeuralNetRegressor(RegressorMixin, NeuralNet):  # type: ignore[misc]
    """A neural net that predicts numbers; the target is standardised on the training rows."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NeuralNetRegressor:
        self._validate_params()
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        X, y, weights = _weighted_rows(X, np.asarray(y, np.float64), sample_weight)
        self.target_mean_ = float(np.average(y, weights=weights))
        spread = float(np.sqrt(np.average((y - self.target_mean_) ** 2, weights=weights)))
        self.target_scale_ = spread if spread > 0 else 1.0
        targets = ((y - self.target_mean_) / self.target_scale_)[:, None]
        self._train(X, targets, np.zeros(len(y), np.int64), weights)
        return self

    def predict(self, X: Any) -> FloatArray:
        return self._outputs(X)[:, 0] * self.target_scale_ + self.target_mean_


class NeuralNetClassifier(ClassifierMixin, NeuralNet):  # type: ignore[misc]
    """A neural net that predicts the shares of the classes."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NeuralNetClassifier:
        self._validate_params()
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        X, y, weights = _weighted_rows(X, y, sample_weight)
        self.classes_, codes = np.unique(y, return_inverse=True)
        targets = np.eye(len(self.classes_))[codes]
        self._train(X, targets, codes.astype(np.int64), weights)
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        outputs = self._outputs(X)
        odds = np.exp(outputs - outputs.max(axis=1, keepdims=True))
        return odds / odds.sum(axis=1, keepdims=True)  # type: ignore[no-any-return]

    def predict(self, X: Any) -> AnyArray:
        outputs = self._outputs(X)
        return self.classes_[np.argmax(outputs, axis=1)]  # type: ignore[no-any-return]


def split_off(strata: IntArray, share: float, rng: np.random.Generator) -> AnyArray:
    """Which rows early stopping looks at: the share of every stratum, whose last row always stays in training.

    >>> chosen = split_off(np.array([0] * 8 + [1] * 4 + [2]), 0.25, np.random.default_rng(0))
    >>> [int(chosen[a:b].sum()) for a, b in ((0, 8), (8, 12), (12, 13))]
    [2, 1, 0]
    """
    rows = len(strata)
    shuffled = rng.permutation(rows)
    order = shuffled[np.argsort(strata[shuffled], kind="stable")]
    steps = np.floor(np.arange(rows + 1) * share + 0.5)
    chosen = np.zeros(rows, bool)
    chosen[order[np.diff(steps) > 0]] = True
    left = np.bincount(strata[~chosen], minlength=int(strata.max()) + 1)
    chosen[left[strata] == 0] = False
    return chosen if chosen.sum() >= LEAST_HELD_OUT else np.zeros(rows, bool)


def _weighted_rows(X: FloatArray, y: AnyArray, sample_weight: Any) -> tuple[FloatArray, AnyArray, FloatArray]:
    """The rows that count; those of weight zero must not even be looked at to stop."""
    if sample_weight is not None and not np.any(np.asarray(sample_weight)):
        raise BadData("all rows have weight zero", "Give some rows a positive weight")
    weights: FloatArray = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    counts = weights > 0
    return X[counts], y[counts], weights[counts]
