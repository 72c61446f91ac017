"""The tuner of a learner, the space of its search, and the name of its proposals."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVR

import foldwise as fw
from foldwise.api.request import request
from foldwise.errors import BadStudy
from foldwise.learners.learner import Learner
from foldwise.plans.searches import Tuning, current, first_points, tuner_of
from foldwise.spaces.point import candidate_at

X = np.random.default_rng(0).normal(size=(30, 2))


def svr(**options):
    return fw.tune(SVR(C=3.0), C=fw.log_range(0.1, 10), **options)


def study(learners, **options):
    return (
        request(learners, X, X[:, 0], **{"outer": 3, "inner": 2, "tuner": "tpe", "budget": 9} | options).study().study
    )


def test_a_learners_own_tuner_and_budget_come_before_those_of_the_study():
    given = Tuning(tuner="tpe", budget="1 min", stop="noise")
    shared = tuner_of(svr().as_learner("a"), given, sharing=3)
    assert (shared.name, shared.limits.seconds, shared.limits.stop) == ("tpe", 20.0, "noise")
    own = tuner_of(svr(tuner="random", budget=7).as_learner("a"), given, sharing=3)
    assert (own.name, own.limits.budget, own.limits.seconds) == ("random", 7, None)


def test_a_tuner_without_a_time_is_refused_a_budget_in_time():
    with pytest.raises(BadStudy, match="the tuner 'racing' of 'a' has no budget in time"):
        tuner_of(svr().as_learner("a"), Tuning(tuner="racing", budget="1 min"), sharing=1)


def test_a_search_starts_from_the_learners_own_values_where_the_space_has_them():
    learner = svr().as_learner("a")
    assert current(learner) == {"C": 3.0}
    first = candidate_at(learner.space, first_points(learner, seed=0)[0])
    assert first["C"] == pytest.approx(3.0)
    assert isinstance(learner, Learner)


def test_what_only_a_list_of_candidates_can_give_is_refused():
    with pytest.raises(BadStudy, match="optimism needs all candidates on the outer splits"):
        study({"a": svr()}, optimism=True)
    with pytest.raises(BadStudy, match="needs a tuner that works in rounds"):
        study({"a": svr()}, tuner="grid", budget=None, stop="noise")


def names(**options):
    return study({"a": svr()}, **options).methods[0].proposals_name


def test_the_name_of_the_proposals_changes_with_all_they_depend_on_but_the_budget():
    assert names() == names(budget=20) != ""
    others = [names(tuner="random"), names(seed=1), names(loss="absolute"), names(inner=3), names(budget="1 min")]
    assert len({names(), *others}) == 6
