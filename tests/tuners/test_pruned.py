"""The pruned grid chooses what the whole grid chooses, with fewer fits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor

import foldwise as fw
from foldwise.errors import BadStudy
from foldwise.tuners.pruned import next_fit
from foldwise.tuners.rules import choose

SCORES = arrays(
    np.float64, st.tuples(st.integers(1, 12), st.integers(1, 6)), elements=st.sampled_from([0, 0.1, 0.2, 1, 3])
)


def race(truth):
    """Score one evaluation after another until none is left."""
    scores = np.full(truth.shape, np.nan)
    while specs := next_fit(scores, np.zeros(len(truth), bool)):
        for candidate, split in specs:
            assert np.isnan(scores[candidate, split])
            scores[candidate, split] = truth[candidate, split]
    return scores


@settings(max_examples=10 * settings.default.max_examples)
@given(SCORES)
def test_the_winner_of_the_whole_grid_wins_also_on_ties(truth):
    assert choose(race(truth)) == choose(truth)


@settings(max_examples=2 * settings.default.max_examples)
@given(arrays(np.float64, (8, 5), elements=st.floats(0, 1e6)))
def test_rounding_changes_no_choice(truth):
    assert choose(race(truth)) == choose(truth)


def test_a_candidate_that_has_lost_is_not_scored_on():
    truth = np.array([[0.1, 0.1, 0.1], [9.0, 9.0, 9.0], [0.05, 0.5, 0.5]])
    assert np.isnan(race(truth)).tolist() == [[False] * 3, [False, True, True], [False, False, True]]


@pytest.mark.few(1)
@pytest.mark.parametrize("inner", ["aligned", 4])
def test_a_study_gives_the_same_answer_with_fewer_fits(inner):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70, 3))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=70)
    learners = {
        "svr": fw.tune(SVR(), C=[0.01, 1.0, 100.0], gamma=[0.01, 0.5, 20.0]),
        "tree": fw.tune(DecisionTreeRegressor(random_state=0), max_depth=range(1, 9)),
    }
    whole, pruned = (
        fw.compare(learners, X, y, outer=7, inner=inner, tuner=name, jobs=1) for name in ("grid", "pruned")
    )
    assert pruned.fits < whole.fits
    assert pruned.is_finished
    assert pruned.best == whole.best
    for one, other in zip(pruned.to_dict()["methods"], whole.to_dict()["methods"], strict=True):
        for name in ("risk", "low", "high", "selection_score", "folds", "difference"):
            assert one[name] == pytest.approx(other[name], nan_ok=True) if name != "folds" else one[name] == other[name]


def test_what_needs_all_scores_is_refused():
    X, y = np.arange(40.0)[:, None], np.arange(40.0)
    tree = fw.tune(DecisionTreeRegressor(), max_depth=[1, 2])
    with pytest.raises(BadStudy, match="the rule 'one_se' of 'tree' needs the scores of all candidates"):
        fw.compare(["tree"], X, y, outer=3, inner=2, tuner="pruned", rule="one_se")
    with pytest.raises(BadStudy, match="needs a loss that is never negative, and of 'r2' that is not known"):
        fw.compare(tree, X, y, outer=3, inner=2, tuner="pruned", loss="r2")
    with pytest.raises(BadStudy, match="optimism needs all candidates"):
        fw.compare(tree, X, y, outer=3, inner=2, tuner="pruned", optimism=True)
