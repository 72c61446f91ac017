"""What fits into a time limit."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import foldwise as fw
from foldwise.api.compare import make_comparison
from foldwise.data.dataset import make_dataset
from foldwise.plans.effort import DEFAULT_EFFORT, Words
from foldwise.plans.limit import LEAST, MOST_SLOW, choose, slowness
from foldwise.plans.order import cheap_first

NAMES = {name: name for name in ("ridge", "k-nn", "tree", "forest", "boosting")}


def table(rows: int, columns: int = 20, **roles):
    rng = np.random.default_rng(0)
    return make_dataset(rng.normal(size=(rows, columns)), rng.normal(size=rows), **roles)


def test_a_limit_that_is_long_enough_changes_nothing():
    decision = choose(Words(None), table(300), NAMES, left=100_000)
    assert (decision.words, decision.left_out) == ({}, ())


def test_a_shorter_one_takes_the_small_spaces_and_then_one_split():
    quick = choose(Words(None), table(1_000), NAMES, left=100).words
    assert quick == {"effort": "quick", "learners": list(NAMES)}
    split = choose(Words(None), table(1_000), NAMES, left=10).words
    assert split == {"effort": "quick", "learners": list(NAMES), "outer": 0.2, "inner": 0.25}


@pytest.mark.parametrize("rows", [10_000, 100_000])
def test_the_dearest_methods_are_left_out_by_name_and_three_are_tried(rows):
    decision = choose(Words(None), table(rows), NAMES, left=10)
    assert decision.words["learners"] == ["ridge", "tree", "boosting"]
    assert len(decision.words["learners"]) == LEAST
    assert decision.left_out == ("k-nn", "forest")
    assert (decision.words["outer"], decision.words["inner"]) == (0.2, 0.25)


def test_words_of_the_user_are_never_changed():
    said = Words(["forest", "k-nn:large"], outer=5, inner=3, effort="normal")
    assert choose(said, table(50_000), {name: name for name in said.learners}, left=1).words == {}
    named = choose(Words(list(NAMES), outer=5), table(50_000), NAMES, left=1)
    assert (named.words, named.left_out) == ({"effort": "quick"}, ())
    own = {"mine": fw.tune(Ridge(), alpha=[1.0, 2.0])}
    assert choose(Words(own, outer=5), table(50_000), own, left=1).words == {}
    assert choose(Words(own, repeats=2), table(50_000), own, left=1).words == {}


def test_time_ordered_data_keep_their_folds():
    decision = choose(Words(None), table(50_000, time=np.arange(50_000)), NAMES, left=10)
    assert "outer" not in decision.words


def test_the_default_effort_is_open_and_the_same_word_from_the_user_is_not():
    assert choose(Words(["forest"], effort=DEFAULT_EFFORT), table(5_000), {"forest": "forest"}, left=1).words
    said = Words(["forest"], outer=5, effort="normal")
    assert not choose(said, table(5_000), {"forest": "forest"}, left=1).words


def test_a_machine_is_never_called_faster_than_the_measured_one():
    assert 1 <= slowness() <= MOST_SLOW


def test_a_limited_run_goes_from_cheap_to_dear_with_stacks_and_defaults_last():
    learners = ["forest:small", "stack(ridge+tree)", "ridge", "k-nn", "tree"]
    runnable = make_comparison(learners, table(60, 3), None, outer=3, inner=2, defaults=True)
    names = [runnable.study.methods[at].name for at in cheap_first(runnable)]
    shown = [name for name in names if name in (*learners, "baseline")]
    assert shown == ["baseline", "ridge", "k-nn", "tree", "forest:small", "stack(ridge+tree)"]
    assert names[-1].endswith("(default parameters)")
