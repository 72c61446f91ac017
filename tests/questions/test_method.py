"""What a method's records say of it (questions/method.py), beside scikit-learn's loops."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import PredefinedSplit, cross_val_score

import foldwise as fw

ALPHAS = [0.01, 1.0, 100.0]


def test_optimism_is_the_risk_less_the_smallest_score_of_plain_cross_validation():
    rng = np.random.default_rng(3)
    X, labels = rng.normal(size=(48, 5)), np.arange(48) % 4
    y = X[:, 0] + rng.normal(size=48)
    result = fw.compare({"ridge": fw.tune(Ridge(), alpha=ALPHAS)}, X, y, outer=labels, inner=3, optimism=True, jobs=1)
    method = result.to_dict()["methods"][0]
    plain = [
        -cross_val_score(Ridge(alpha), X, y, cv=PredefinedSplit(labels), scoring="neg_mean_squared_error").mean()
        for alpha in ALPHAS
    ]
    assert method["optimism"] == pytest.approx(method["risk"] - min(plain), rel=1e-9)
