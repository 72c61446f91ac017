"""Models of many replications predict as each of them alone."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from foldwise.lab.models import Constant, Each, Linear, LinearRule, Neighbours

RNG = np.random.default_rng(7)
INTERCEPT, SLOPES, X, Y = RNG.normal(size=3), RNG.normal(size=(3, 2)), RNG.normal(size=(3, 12, 2)), RNG.random((3, 12))


class Mean:
    """A fitted estimator."""

    def __init__(self, value):
        self.value = value

    def predict(self, rows):
        return np.full(len(rows), self.value)


@pytest.mark.parametrize(
    ("together", "alone"),
    [
        (Linear(INTERCEPT, SLOPES), lambda r: Linear(INTERCEPT[r], SLOPES[r])),
        (LinearRule(INTERCEPT, SLOPES), lambda r: LinearRule(INTERCEPT[r], SLOPES[r])),
        (Constant(INTERCEPT), lambda r: Constant(INTERCEPT[r])),
        (Neighbours(X, Y, 4), lambda r: Neighbours(X[r], Y[r], 4)),
        (Neighbours(X[..., :1], Y, 4), lambda r: Neighbours(X[r, :, :1], Y[r], 4)),
        (Each(tuple(map(Mean, INTERCEPT))), lambda r: Mean(INTERCEPT[r])),
    ],
    ids=["linear", "rule", "constant", "neighbours", "neighbours on a line", "each"],
)
def test_replications_predict_one_by_one(together, alone):
    new = RNG.normal(size=(3, 5, together.X.shape[-1] if isinstance(together, Neighbours) else 2))
    assert_allclose(together.predict(new), [alone(r).predict(new[r]) for r in range(3)])
    # rows without a replication axis are shown to every model
    assert_allclose(together.predict(new[0]), [alone(r).predict(new[0]) for r in range(3)])
