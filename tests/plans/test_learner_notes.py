from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.neighbors import KNeighborsRegressor

from foldwise.data.dataset import make_dataset
from foldwise.learners.catalogue import builtin
from foldwise.learners.learner import Learner
from foldwise.plans.learner_notes import learner_notes

X, Y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40.0)


def test_a_plain_learner_has_none():
    assert learner_notes(Learner("mine", KNeighborsRegressor()), make_dataset(X, Y)) == ()


def test_weights_that_a_learner_does_not_take_are_named():
    data = make_dataset(X, Y, weights=np.ones(40))
    assert [code for code, _ in learner_notes(Learner("mine", KNeighborsRegressor()), data)] == ["weights"]
    assert learner_notes(builtin("baseline", data), data) == ()


def test_a_sample_is_named_with_its_size():
    data = make_dataset(X, Y)
    ((code, text),) = learner_notes(builtin("svm", data, overrides={"max_rows": 20}), data)
    assert (code, text) == ("sample", "svm learns from at most 20 rows, drawn from its training rows")


@pytest.mark.parametrize("role", ["time", "groups"])
def test_rows_drawn_at_random_to_stop_early_are_named_where_that_matters(role):
    learner = Learner("mine", HistGradientBoostingRegressor(early_stopping=True))
    assert learner_notes(learner, make_dataset(X, Y)) == ()
    ((_, text),) = learner_notes(learner, make_dataset(X, Y, **{role: np.arange(40) // 4}))
    assert text.endswith(f"whatever {role} says")


def test_rows_without_time_are_taken_in_their_order():
    data = make_dataset(X, Y)
    assert learner_notes(builtin("seasonal-naive", data), data)[0][0] == "time"
