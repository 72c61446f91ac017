"""Candidates with less of a learner's own resource."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import Ridge

import foldwise as fw
from foldwise.api.request import request
from foldwise.errors import BadSpace, BadStudy

TREES = "halving(resource=n_estimators, factor=2, least=5)"
X = np.arange(60.0).reshape(30, 2)


def study(learner):
    return request({"mine": learner}, X, X[:, 0], outer=3, inner=2, solvers=False).study(is_alone=True)


def test_the_candidates_are_repeated_with_fewer_trees_on_every_level():
    depths = [1, 2, 3, 4]
    runnable = study(fw.tune(RandomForestRegressor(20), max_depth=depths, tuner=TREES))
    (method,) = runnable.study.methods
    assert (method.levels, method.listed) == (1, 4)
    found = [(one.max_depth, one.n_estimators) for one in runnable.estimators[0]]
    assert found == [(depth, trees) for trees in (20, 10) for depth in depths]
    assert len(set(method.identities)) == len(method.candidates) == len(method.responses) == 8


@pytest.mark.parametrize(
    ("learner", "error", "words"),
    [
        (fw.tune(Ridge(), alpha=[1, 2, 3, 4], tuner=TREES), BadSpace, "cannot use its resource with learner 'mine'"),
        (
            fw.tune(RandomForestRegressor(), n_estimators=[5, 10, 20, 40], tuner=TREES),
            BadStudy,
            "the resource 'n_estimators' of halving is also tuned by learner 'mine'",
        ),
        (
            fw.tune(
                HistGradientBoostingRegressor(), max_depth=[1, 2, 3, 4], tuner="halving(resource=l2_regularization)"
            ),
            BadStudy,
            "the resource 'l2_regularization' of learner 'mine' is 0.0. Give it a whole number",
        ),
    ],
)
def test_a_resource_that_cannot_be_halved_is_refused(learner, error, words):
    with pytest.raises(error, match=words):
        study(learner)
