"""Combined learners as methods: members that are rows are shared, others are hidden, and names follow their parts."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

import foldwise as fw
from foldwise.api.request import request
from foldwise.errors import BadLearner, BadStudy

X = np.random.default_rng(0).normal(size=(30, 2))
RIDGE = fw.tune(Ridge(), alpha=[0.1, 1.0])
K_NN = fw.tune(KNeighborsRegressor(), n_neighbors=[1, 3])


def study(learners, **options):
    return request(learners, X, X[:, 0], **{"outer": 3, "inner": 2} | options).study().study


def test_members_that_are_rows_are_shared_and_the_others_are_hidden():
    found = study({"ridge": RIDGE, "both": fw.stack({"ridge": RIDGE, "near": K_NN})})
    assert [(method.name, method.is_hidden) for method in found.methods] == [
        ("ridge", False),
        ("both", False),
        ("both: near", True),
        ("baseline", False),
    ]
    assert found.methods[1].members == (("ridge", "ridge"), ("near", "both: near"))
    assert [method.member_response for method in found.methods] == ["predict", "", "predict", ""]


def test_the_best_of_several_has_the_candidates_of_all_and_their_names_of_fits():
    found = study({"ridge": RIDGE, "near": K_NN, "best": fw.best_of({"ridge": RIDGE, "near": K_NN})})
    ridge, near, best, _ = found.methods
    assert [candidate["method"] for candidate in best.candidates] == ["ridge", "ridge", "near", "near"]
    assert best.identities == (*ridge.identities, *near.identities)


def stack_name(members, final=None, **options):
    found = study({"both": fw.stack(members, final)}, **options)
    return found.methods[0].identities[0]


def test_the_name_of_a_stack_changes_with_its_members_its_final_learner_and_its_inner_splits():
    members = {"ridge": RIDGE, "near": K_NN}
    plain = stack_name(members)
    assert plain == stack_name(members)
    wider = {"ridge": fw.tune(Ridge(), alpha=[0.1, 2.0]), "near": K_NN}
    others = [stack_name(wider), stack_name(members, Ridge(7.0)), stack_name(members, inner=3)]
    assert len({plain, *others}) == 4


@pytest.mark.parametrize(
    ("learner", "error", "words"),
    [
        (fw.stack([fw.tune(Ridge(), alpha=[1], inner=3), "k-nn"]), BadLearner, "has its own inner splits"),
        (fw.best_of([RIDGE, K_NN], rule="one_se"), BadStudy, "have no order of simplicity"),
        (fw.best_of([RIDGE, K_NN], tuner="halving(resource=max_iter)"), BadStudy, "share no resource 'max_iter'"),
        (
            fw.best_of([fw.tune(Ridge(), alpha=fw.log_range(0.1, 9), tuner="tpe", budget=5), K_NN]),
            BadStudy,
            "tries a fixed list of candidates",
        ),
    ],
)
def test_members_that_do_not_go_together_are_refused(learner, error, words):
    with pytest.raises(error, match=words):
        study({"both": learner})
