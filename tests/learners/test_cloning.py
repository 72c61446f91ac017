"""Clones without scikit-learn's detours are those that it makes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.ensemble import BaggingRegressor, VotingRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import Ridge
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from foldwise.learners import cloning
from foldwise.learners.cloning import cloned
from foldwise.learners.identity import identity_of


class Careless(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Changes what it is given, which scikit-learn refuses to clone."""

    def __init__(self, shape: Any = 1) -> None:
        self.shape = [shape]


class Counting(Ridge):  # type: ignore[misc]
    """Says itself what its clones are."""

    def __sklearn_clone__(self) -> Counting:
        return Counting(alpha=self.alpha + 1)


LEARNERS = {
    "plain": Ridge(alpha=np.float64(0.5), positive=True),
    "pipeline": make_pipeline(StandardScaler(with_mean=False), DecisionTreeRegressor(random_state=3)),
    "passing": Pipeline([("none", "passthrough"), ("ridge", Ridge())]),
    "inside": BaggingRegressor(TransformedTargetRegressor(Ridge(alpha=3.0), func=np.log1p, inverse_func=np.expm1)),
    "columns": make_pipeline(make_column_transformer((StandardScaler(), [0, 1])), Ridge()),
    "several": VotingRegressor([("a", Ridge()), ("b", DecisionTreeRegressor())]),
    "kernel": GaussianProcessRegressor(RBF(2.0)),
    "own": Counting(alpha=1.0),
    "array": Ridge(alpha=np.array([1.0, 2.0])),
    "table": make_pipeline(StandardScaler(), Ridge()).set_output(transform="pandas"),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_a_clone_has_the_same_parameters_and_shares_no_estimator(name: str) -> None:
    learner = LEARNERS[name]
    found, expected = cloned(learner), clone(learner)
    assert type(found) is type(expected)
    assert identity_of(found) == identity_of(expected)
    assert vars(found).keys() == vars(expected).keys()
    ours, theirs = found.get_params(deep=True), learner.get_params(deep=True)
    for word, value in theirs.items():
        if hasattr(value, "get_params") or isinstance(value, list | np.ndarray):
            assert ours[word] is not value, word
        assert type(ours[word]) is type(value), word


def test_nothing_that_was_learnt_is_in_a_clone() -> None:
    model = Ridge().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    assert vars(cloned(model)).keys() == vars(Ridge()).keys()
    frozen = FrozenEstimator(model)
    assert cloned(frozen) is clone(frozen)  # a frozen one stays as it is


def test_output_of_steps_stays_as_it_was_set() -> None:
    step = cloned(LEARNERS["table"]).steps[0][1]
    assert step._sklearn_output_config == {"transform": "pandas"}
    assert step._sklearn_output_config is not LEARNERS["table"].steps[0][1]._sklearn_output_config


def test_what_cannot_be_cloned_is_refused_in_the_words_of_scikit_learn() -> None:
    with pytest.raises(RuntimeError, match="either does not set or modifies parameter shape"):
        cloned(Careless(2))
    with pytest.raises(TypeError, match="Cannot clone object"):
        cloned(7)


def test_the_parameters_of_a_class_are_looked_up_once() -> None:
    cloned(LEARNERS["pipeline"])
    before = cloning._plain_names.cache_info().misses
    cloned(LEARNERS["pipeline"])
    assert cloning._plain_names.cache_info().misses == before
