"""Blends as text and as methods: members that are rows are shared, others are hidden, names follow their parts."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

import foldwise as fw
from foldwise.api.request import request
from foldwise.errors import BadLearner
from foldwise.plans.blends import read_blend, with_all_members

X = np.random.default_rng(0).normal(size=(60, 3))
RIDGE = fw.tune(Ridge(), alpha=[0.1, 1.0])
K_NN = fw.tune(KNeighborsRegressor(), n_neighbors=[1, 3])


@pytest.mark.parametrize("text", ["blend(ridge+k-nn)", "blend(ridge, k-nn)", " blend( ridge +k-nn)"])
def test_members_are_joined_by_a_plus_or_a_comma(text):
    assert list(read_blend(text).members) == ["ridge", "k-nn"]


def test_objects_and_names_are_read_too_and_other_learners_are_none():
    blend = fw.blend(["ridge", "k-nn"])
    assert read_blend(blend) is blend
    assert read_blend(fw.learner("blend(ridge+k-nn)")).members == ["ridge", "k-nn"]
    assert [read_blend(other) for other in ("ridge", fw.learner("ridge"), 7, None)] == [None] * 4


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ("bland(ridge+k-nn)", "there is no learner called 'bland' that has members. Did you mean 'blend'"),
        ("blend(ridge)", "needs two or more learners, not 1"),
        ("blend(ridge+)", "has an empty name"),
        ("blend(ridge+k-nn", "the brackets of .* do not match"),
        ("blend(ridge+k-nn))", "the brackets of .* do not match"),
        ("blend(ridge+blend(k-nn+tree))", "has a member that is itself a blend"),
        (fw.learner("blend(ridge+k-nn)", alpha=[1.0]), "has no parameter 'alpha' of its own"),
    ],
)
def test_a_misspelt_blend_is_refused_in_words(request_, words):
    with pytest.raises(BadLearner, match=words):
        read_blend(request_)


def test_without_brackets_all_other_learners_are_members():
    quick = {"ridge": fw.learner("ridge", alpha=[0.1, 10.0]), "near": fw.learner("k-nn", n_neighbors=[3, 9])}
    y = np.arange(60.0)
    short = fw.compare({**quick, "blend": "blend"}, X, y, outer=3, inner=2)
    long = fw.compare({**quick, "blend": "blend(ridge+near)"}, X, y, outer=3, inner=2)
    assert short.to_dict()["methods"][2]["risk"] == long.to_dict()["methods"][2]["risk"]
    named = {"a": "ridge", "b": "k-nn", "baseline": "baseline", "blend": "blend"}
    assert with_all_members(named) == {**named, "blend": "blend(a+b)"}
    with pytest.raises(BadLearner, match="needs two or more learners, not 1"):
        fw.compare(["ridge", "blend"], X, y)


def study(learners, **options):
    return request(learners, X, X[:, 0], **{"outer": 3, "inner": 2} | options).study().study


def test_members_that_are_rows_are_shared_and_the_others_are_hidden():
    found = study({"ridge": RIDGE, "both": fw.blend({"ridge": RIDGE, "near": K_NN})})
    assert [(method.name, method.is_hidden) for method in found.methods] == [
        ("ridge", False),
        ("both", False),
        ("both: near", True),
        ("baseline", False),
    ]
    assert found.methods[1].members == (("ridge", "ridge"), ("near", "both: near"))
    assert [method.member_response for method in found.methods] == ["predict", "", "predict", ""]


def blend_name(members, **options):
    return study({"both": fw.blend(members)}, **options).methods[0].identities[0]


def test_the_name_of_a_blend_changes_with_its_members_the_loss_and_its_inner_splits():
    members = {"ridge": RIDGE, "near": K_NN}
    plain = blend_name(members)
    assert plain == blend_name(members)
    wider = {"ridge": fw.tune(Ridge(), alpha=[0.1, 2.0]), "near": K_NN}
    others = [blend_name(wider), blend_name(members, loss="absolute"), blend_name(members, inner=3)]
    assert len({plain, *others}) == 4


def test_members_that_do_not_go_together_are_refused():
    with pytest.raises(BadLearner, match="has its own inner splits"):
        study({"both": fw.blend([fw.tune(Ridge(), alpha=[1], inner=3), "k-nn"])})
