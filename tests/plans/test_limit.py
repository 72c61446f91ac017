"""What fits into a time limit."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import foldwise as fw
from foldwise.data.dataset import make_dataset
from foldwise.plans import cost, limit
from foldwise.plans.cost import TuningCost
from foldwise.plans.effort import StudyChoices
from foldwise.plans.limit import choose

NAMES = {name: name for name in ("ridge", "k-nn", "tree", "forest", "boosting")}


def table(rows: int, columns: int = 20, **roles):
    rng = np.random.default_rng(0)
    return make_dataset(rng.normal(size=(rows, columns)), rng.normal(size=rows), **roles)


def test_a_limit_that_is_long_enough_changes_nothing():
    decision = choose(StudyChoices(None), table(300), NAMES, left=100_000)
    assert (decision.options, decision.left_out) == ({}, ())


def test_a_shorter_one_takes_the_small_spaces_and_then_one_split():
    quick = choose(StudyChoices(None), table(800), NAMES, left=60).options
    assert quick == {"effort": "quick", "learners": list(NAMES)}
    split = choose(StudyChoices(None), table(800), NAMES, left=10).options
    assert split == {"effort": "quick", "learners": list(NAMES), "outer": 0.2, "inner": 0.25}


@pytest.mark.parametrize(("rows", "left"), [(100_000, 56), (300_000, 116)])
def test_every_method_keeps_its_place_and_dear_ones_learn_from_a_sample(rows, left):
    decision = choose(StudyChoices(None), table(rows), NAMES, left=left)
    assert decision.options == {"effort": "quick", "learners": list(NAMES), "outer": 0.2, "inner": 0.25}
    assert decision.left_out == ()
    assert 1_000 <= decision.changes["k-nn"]["max_rows"] < rows / 2
    assert 1_000 <= decision.changes["forest"]["max_rows"] < rows / 2
    assert "ridge" not in decision.changes
    assert "max_rows" not in decision.changes.get("boosting", {})


@pytest.mark.few(2)
@pytest.mark.parametrize(("rows", "left"), [(100_000, 8), (100_000, 28), (300_000, 8), (300_000, 28)])
def test_boosting_and_forests_do_not_starve(rows, left):
    """They are the best most often: they are tried in any case, whatever folds and rows the others would like."""
    decision = choose(StudyChoices(None), table(rows), NAMES, left=left)
    assert {"ridge", "tree", "forest", "boosting"} <= set(decision.options["learners"])
    assert decision.changes["forest"]["max_rows"] < rows / 2
    assert "ridge" not in decision.changes
    assert len(decision.changes["boosting"]["max_iter"]) < 5


def test_more_time_means_more_rows():
    most = [choose(StudyChoices(None), table(100_000), NAMES, left=left).changes for left in (10, 30, 100, 300)]
    forests = [found.get("forest", {"max_rows": 100_000})["max_rows"] for found in most]
    assert forests == sorted(forests)
    assert forests[0] < forests[-1]


def test_boosting_has_a_shorter_run_of_larger_steps_where_the_long_one_takes_too_long():
    found = [choose(StudyChoices(None), table(100_000), NAMES, left=left).changes for left in (5, 20, 300)]
    rounds = [one["boosting"]["max_iter"][-1] if "boosting" in one else 400 for one in found]
    assert rounds == sorted(rounds)
    assert (rounds[0], rounds[-1]) == (25, 400)
    assert found[0]["boosting"]["learning_rate"] > 0.1


def test_what_no_sample_makes_cheap_enough_is_left_out_by_name_and_boosting_is_tried(monkeypatch):
    dear = {name: TuningCost(1e9, predicting=1.0) for name in ("k-nn", "tree", "forest", "boosting")}
    monkeypatch.setattr(cost, "TUNING_COSTS", {"ridge": TuningCost(1e-3), **dear})
    decision = choose(StudyChoices(None), table(10_000), {**NAMES, "blend(ridge+tree)": "blend(ridge+tree)"}, left=10)
    assert decision.left_out == ("k-nn", "tree", "blend(ridge+tree)")
    assert decision.options["learners"] == ["ridge", "forest", "boosting"]


def test_a_combination_of_what_is_left_out_is_left_out():
    names = {**NAMES, "blend(ridge+tree)": "blend(ridge+tree)"}
    costs = dict.fromkeys(names, 1.0) | {"tree": 1e9, "blend(ridge+tree)": 0.1}
    assert limit._share_out(costs, 1_000, 10)[1] == ("tree", "blend(ridge+tree)")


def test_where_one_split_is_narrow_it_comes_before_small_spaces():
    words = [choose(StudyChoices(None), table(20_000), NAMES, left=left).options for left in (1e6, 400, 30)]
    assert words[0] == {}
    assert words[1] == {"outer": 0.2, "inner": 0.25}
    assert words[2]["effort"] == "quick"


def test_words_of_the_user_are_never_changed():
    said = StudyChoices(["forest", "k-nn:large"], outer=5, inner=3, effort="normal")
    assert choose(said, table(50_000), {name: name for name in said.learners}, left=1).options == {}
    named = choose(StudyChoices(list(NAMES), outer=5), table(50_000), NAMES, left=1)
    assert (named.options, named.left_out) == ({"effort": "quick"}, ())
    own = {"mine": fw.tune(Ridge(), alpha=[1.0, 2.0])}
    assert choose(StudyChoices(own, outer=5), table(50_000), own, left=1).options == {}
    assert choose(StudyChoices(own, repeats=2), table(50_000), own, left=1).options == {}


def test_time_ordered_data_keep_their_folds():
    decision = choose(StudyChoices(None), table(50_000, time=np.arange(50_000)), NAMES, left=10)
    assert "outer" not in decision.options


def test_the_default_effort_is_open_and_the_same_word_from_the_user_is_not():
    assert choose(StudyChoices(["forest"], effort=None), table(5_000), {"forest": "forest"}, left=1).options
    said = StudyChoices(["forest"], outer=5, effort="normal")
    assert not choose(said, table(5_000), {"forest": "forest"}, left=1).options
