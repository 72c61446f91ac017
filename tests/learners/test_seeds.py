"""Seeds (learners/model.py) are set on a shallow copy, and nothing of the estimator itself changes."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import BaggingRegressor, RandomForestRegressor, VotingRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from foldwise.learners.model import make_fitting

LEARNERS = {
    "bare": RandomForestRegressor(3),
    "pipeline": make_pipeline(StandardScaler(), PCA(2), RandomForestRegressor(3)),
    "target": Pipeline([("a", StandardScaler()), ("b", TransformedTargetRegressor(DecisionTreeRegressor()))]),
    "nested": BaggingRegressor(DecisionTreeRegressor(), n_estimators=2),
    "columns": make_pipeline(make_column_transformer((PCA(1), [0, 1])), RandomForestRegressor(2)),
    "several": VotingRegressor([("a", DecisionTreeRegressor()), ("b", RandomForestRegressor(2))]),
    "given": DecisionTreeRegressor(random_state=4),
}


def seeds_of(estimator):
    return {name: value for name, value in estimator.get_params(deep=True).items() if name.endswith("random_state")}


@pytest.mark.parametrize("name", LEARNERS)
def test_a_shallow_copy_has_the_seeds_a_clone_would_have(name):
    learner, fitting = clone(LEARNERS[name]), make_fitting(LEARNERS[name])
    expected = clone(learner).set_params(**{word: 11 + at for at, word in enumerate(fitting.seeds)})
    assert seeds_of(fitting.seeded(11)) == seeds_of(expected)
    assert seeds_of(fitting.estimator) == seeds_of(learner)
    X = np.random.default_rng(0).normal(size=(30, 3))
    found = clone(fitting.seeded(11)).fit(X, X[:, 0]).predict(X)
    np.testing.assert_array_equal(found, expected.fit(X, X[:, 0]).predict(X))
