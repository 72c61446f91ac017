"""k-nearest neighbours of a sample of rows, against fitting every candidate by itself."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from twin import assert_twins, bootstraps, folds

import foldwise as fw
from foldwise.data.dataset import make_dataset
from foldwise.learners.estimators.nearest import NearestClassifier, NearestRegressor
from foldwise.learners.sample import RowSample
from foldwise.solvers.nearest.sampled import SOLVERS

ROWS = 200
[SOLVER] = SOLVERS


def table(*, is_regression: bool = True):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, size=(ROWS, 3)).astype(float)  # with ties
    y = X[:, 0] - X[:, 1] + rng.normal(size=ROWS)
    return X, y if is_regression else np.array(["low", "mid", "top"])[np.digitize(y, (-2, 2))]


def sampled(kind):
    for k in (1, 4, 9):
        for how in ("uniform", "distance"):
            for seed in (0, 1):
                final = RowSample(kind(k, weights=how), max_rows=60, random_state=seed)
                yield final if k == 9 else make_pipeline(StandardScaler(), final)


@pytest.mark.parametrize("is_regression", [True, False])
def test_answers_are_those_of_the_learner_itself(is_regression):
    data = make_dataset(*table(is_regression=is_regression))
    models = list(sampled(NearestRegressor if is_regression else NearestClassifier))
    responses = ("predict",) if is_regression else ("predict", "predict_proba")
    assert_twins(SOLVER, models, data, folds(ROWS, 3) + bootstraps(ROWS, 1), responses, 0)


def test_scikit_learns_own_neighbours_are_left_to_the_plain_loop():
    assert not SOLVER.takes(RowSample(KNeighborsRegressor(3), random_state=0), make_dataset(*table()))


def test_a_built_in_learner_of_a_sample_has_the_numbers_of_the_plain_loop():
    words = {"outer": 3, "inner": 2, "jobs": 1, "seed": 4, "effort": "quick"}
    learner = fw.learner("k-nn", max_rows=50)
    quick, plain = (fw.compare({"k-nn": learner}, *table(), solvers=solvers, **words) for solvers in ("auto", False))
    for name in ("risk", "selection_score", "train_risk"):
        assert quick.to_dict()["methods"][0][name] == plain.to_dict()["methods"][0][name]
