"""scikit-learn's own settings do not change an answer."""

from __future__ import annotations

import numpy as np
from sklearn import config_context
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import foldwise as fw


def test_weights_reach_a_pipeline_also_where_metadata_are_routed():
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(40, 2)), rng.uniform(0.5, 2.0, 40)
    y = X[:, 0] + rng.normal(size=40)
    learner = {"mine": fw.tune(make_pipeline(StandardScaler(), Ridge()), alpha=[0.1, 10.0])}
    words = {"weights": weights, "outer": 3, "inner": 2, "jobs": 1, "solvers": False}
    plain = fw.compare(learner, X, y, **words)
    with config_context(enable_metadata_routing=True):
        routed = fw.compare(learner, X, y, **words)
        model = routed.refit()
    assert routed.to_dict()["methods"][0]["risk"] == plain.to_dict()["methods"][0]["risk"]
    assert (model.predict(X) == plain.refit().predict(X)).all()
