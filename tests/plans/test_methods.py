"""Learners of a study: their names, the task they mean, and what cannot be one."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss, median_absolute_error
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import foldwise as fw
from foldwise.data.dataset import make_dataset
from foldwise.errors import BadLearner
from foldwise.losses.loss import make_losses
from foldwise.plans.methods import make_learner, make_learners, name_learners, task_hint

DATA = make_dataset(np.arange(20.0).reshape(10, 2), np.arange(10.0))


def test_learners_of_a_list_are_named_by_what_they_are():
    pipeline = make_pipeline(StandardScaler(), Ridge())
    found = name_learners(["ridge", Ridge(), fw.tune(Ridge(), alpha=[1]), pipeline, fw.learner("k-nn")], "regression")
    assert list(found) == ["ridge", "Ridge", "Ridge 2", "Ridge 3", "k-nn"]


def test_one_learner_needs_no_list_and_none_means_the_defaults():
    assert list(name_learners("ridge", "regression")) == ["ridge"]
    assert "ridge" in name_learners(None, "regression")
    assert "logistic" in name_learners(None, "binary")


@pytest.mark.parametrize(
    ("requests", "words"),
    [
        ([], "there are no learners"),
        ({}, "there are no learners"),
        ({" ": Ridge()}, "a learner has an empty name"),
        (["ridge", "ridge"], "learner 'ridge' is given twice"),
        ({"mine": Ridge}, r"learner 'mine' is the class Ridge.*Write Ridge\(\)"),
        ([Ridge], "learner 'Ridge' is the class Ridge"),
        ({"ridge", "lasso"}, "the learners are a set, which has no order. Give a list"),
        ([("mine", Ridge()), ("mine", Ridge())], "learner 'mine' is given twice"),
        ({"mine": 7}, "learner 'mine' is 7, which is no estimator"),
        ({"auto": Ridge()}, "the name 'auto' is reserved"),
        ({"baseline": Ridge()}, "the name 'baseline' is reserved"),
        ({"mine": fw.tune(Ridge(), alpha=[1], seed=3)}, "learner 'mine' has its own seed"),
        ({"all": fw.blend(["ridge", fw.blend(["ridge", "k-nn"])])}, "is itself a blend"),
    ],
)
def test_what_is_no_learner_is_refused_by_name(requests, words):
    with pytest.raises(BadLearner, match=words):
        make_learners(requests, DATA, make_losses(None, DATA))


def test_the_baseline_is_the_last_row_unless_it_is_named():
    losses = make_losses(None, DATA)
    assert [one.name for one in make_learners({"a": Ridge()}, DATA, losses)] == ["a", "baseline"]
    assert [one.name for one in make_learners(["baseline", "ridge"], DATA, losses)] == ["baseline", "ridge"]


def test_a_built_in_learner_may_have_another_name_and_values_of_its_own():
    found = make_learner("mine", fw.learner("ridge", alpha=[1.0, 2.0]), DATA)
    assert (found.name, [candidate["alpha"] for candidate in found.space.grid()]) == ("mine", [1.0, 2.0])


@pytest.mark.parametrize(
    ("requests", "loss", "task"),
    [
        ([Ridge()], None, "regression"),
        ({"a": LogisticRegression()}, None, "classification"),
        (["lasso", "k-nn"], None, "regression"),
        (["k-nn"], None, None),
        (["k-nn"], "squared", "regression"),
        (["k-nn"], "log", "classification"),
        (["k-nn"], log_loss, "classification"),
        (["k-nn"], [fw.loss(median_absolute_error, name="middle"), "squared"], "regression"),
        ([Ridge(), LogisticRegression()], None, None),
        ("blend(lasso+forest)", None, "regression"),
    ],
)
def test_learners_or_else_the_loss_tell_the_task(requests, loss, task):
    assert task_hint(requests, loss) == task
