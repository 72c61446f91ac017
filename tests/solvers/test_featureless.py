from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from twin import assert_twins, bootstraps, folds

from foldwise.data.dataset import make_dataset
from foldwise.solvers.featureless import FeaturelessSolver
from foldwise.solvers.finding import find


@pytest.mark.parametrize("weights", [None, np.arange(30) % 4 + 0.5])
def test_the_mean_is_the_dummys_to_the_bit(weights):
    rng = np.random.default_rng(0)
    data = make_dataset(rng.normal(size=(30, 2)), rng.normal(size=30) * 1e6, weights=weights)
    splits = [*folds(30, 7), *bootstraps(30, 3)]
    assert_twins(FeaturelessSolver(), [DummyRegressor()], data, splits, ("predict",), 0.0)


@pytest.mark.parametrize("weights", [None, np.arange(30) % 4 + 0.5])
@pytest.mark.parametrize("classes", [["b", "a"], [3, 1, 2]])
def test_the_shares_are_the_dummys_to_the_bit_also_of_a_class_that_is_missing(classes, weights):
    y = [classes[at % len(classes)] for at in range(30)]
    data = make_dataset(np.zeros((30, 1)), y, weights=weights, task_hint="classification")
    one_class = np.flatnonzero(data.target == 0)
    splits = [*folds(30, 7), *bootstraps(30, 3), (one_class, np.arange(5))]
    assert_twins(
        FeaturelessSolver(), [DummyClassifier(strategy="prior")], data, splits, ("predict", "predict_proba"), 0.0
    )


def test_other_dummies_are_left_to_themselves():
    data = make_dataset(np.zeros((9, 1)), np.arange(9.0))
    others = (DummyRegressor(strategy="median"), DummyRegressor(strategy="constant", constant=1.0))
    assert all(find([other], data, is_builtin=False) is None for other in others)
    assert find([DummyRegressor()], data, is_builtin=True).name == "baseline"
