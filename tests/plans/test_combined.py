"""Combined learners as text."""

from __future__ import annotations

import numpy as np
import pytest

import foldwise as fw
from foldwise.errors import BadLearner
from foldwise.plans.combined import read_combined, with_all_members


@pytest.mark.parametrize("text", ["stack(ridge+k-nn)", "stack(ridge, k-nn)", " stack( ridge +k-nn)"])
def test_members_are_joined_by_a_plus_or_a_comma(text):
    found = read_combined(text)
    assert (found.combines, list(found.members)) == ("stack", ["ridge", "k-nn"])


def test_objects_and_names_are_read_too_and_other_learners_are_none():
    blend = fw.blend(["ridge", "k-nn"])
    assert read_combined(blend) is blend
    assert read_combined(fw.learner("best-of(ridge+k-nn)")).combines == "best_of"
    assert [read_combined(other) for other in ("ridge", fw.learner("ridge"), 7, None)] == [None] * 4


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ("stak(ridge+k-nn)", "there is no way to combine learners called 'stak'. Did you mean 'stack'"),
        ("stack(ridge)", "needs two or more learners, not 1"),
        ("stack(ridge+)", "has an empty name"),
        ("stack(ridge+k-nn", "the brackets of .* do not match"),
        ("stack(ridge+k-nn))", "the brackets of .* do not match"),
        ("stack(ridge+blend(k-nn+tree))", "has a member that is itself made of learners"),
        (fw.learner("stack(ridge+k-nn)", alpha=[1.0]), "has no parameter 'alpha' of its own"),
    ],
)
def test_a_misspelt_combination_is_refused_in_words(request_, words):
    with pytest.raises(BadLearner, match=words):
        read_combined(request_)


def test_without_brackets_all_other_learners_are_members():
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60.0)
    quick = {"ridge": fw.learner("ridge", alpha=[0.1, 10.0]), "near": fw.learner("k-nn", n_neighbors=[3, 9])}
    short = fw.compare({**quick, "blend": "blend"}, X, y, outer=3, inner=2)
    long = fw.compare({**quick, "blend": "blend(ridge+near)"}, X, y, outer=3, inner=2)
    assert short.to_dict()["methods"][2]["risk"] == long.to_dict()["methods"][2]["risk"]
    assert with_all_members(
        {"a": "ridge", "b": "k-nn", "baseline": "baseline", "blend": "blend", "stack": "stack"}
    ) == {
        "a": "ridge",
        "b": "k-nn",
        "baseline": "baseline",
        "blend": "blend(a+b)",
        "stack": "stack(a+b)",
    }


def test_a_blend_of_one_other_learner_is_refused():
    with pytest.raises(BadLearner, match="needs two or more learners, not 1"):
        fw.compare(["ridge", "blend"], np.zeros((20, 2)), np.arange(20.0))
