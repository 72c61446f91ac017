"""Racing drops by a paired test of the losses so far, and what can win no more."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import ttest_rel

from foldwise.testing.tuners import GivenTuning, play
from foldwise.tuners.racing import Racing, bounds_that_hold, can_win
from foldwise.tuners.rules import choose

VALUES = st.sampled_from([-1.0, -0.4, 0.0, 0.1, 0.2, 0.5, 1.0])
TABLES = arrays(np.float64, st.tuples(st.integers(1, 10), st.integers(1, 6)), elements=VALUES)


@settings(max_examples=10 * settings.default.max_examples)
@given(TABLES, st.randoms(use_true_random=False))
def test_whoever_can_win_no_more_does_not_win(truth, random):
    seen = np.array([[random.random() < 0.6 for _ in row] for row in truth])
    may_win = can_win(np.where(seen, truth, np.nan), np.zeros(len(truth), bool), bounds=(-1.0, 1.0))
    assert may_win[choose(truth)]


def test_a_bounded_loss_is_pruned_before_anyone_is_finished():
    scores = np.array([[0.0, 0.0, np.nan], [1.0, 0.9, np.nan], [0.9, 0.1, np.nan]])
    assert can_win(scores, np.zeros(3, bool), bounds=(0, 1)).tolist() == [True, False, True]
    assert can_win(scores, np.zeros(3, bool)).all()


def test_bounds_that_do_not_hold_prove_nothing():
    scores = np.array([[0.3, np.nan], [1.5, np.nan]])
    assert bounds_that_hold((0.0, 1.0), scores) == (-np.inf, np.inf)
    assert can_win(scores, np.zeros(2, bool), bounds=bounds_that_hold((0.0, 1.0), scores)).all()


def rounds(tuner, seen):
    """The evaluations of each step, as pairs of candidate and split."""
    for step in play(tuner, seen):
        yield [(candidate, split) for one in step for split in one.splits for candidate in one.candidates]


def naive_race(rows, level, first, cut):
    """The same with scipy's paired test, candidate by candidate."""
    alive, asked = list(range(len(rows))), []
    for fold in range(len(rows[0])):
        asked.append([(candidate, fold) for candidate in alive])
        so_far = {c: np.concatenate(rows[c][: fold + 1]) for c in alive}
        means = {c: np.mean([np.mean(part) for part in rows[c][: fold + 1]]) for c in alive}
        if fold + 1 < first:
            continue
        best = min(alive, key=lambda c: means[c])
        worse = [
            c for c in alive if c != best and ttest_rel(so_far[c], so_far[best], alternative="greater").pvalue < level
        ]
        alive = [c for c in alive if c not in worse]
        most = math.ceil(len(rows) / max(1, cut * (fold + 1)))
        alive = sorted(sorted(alive, key=lambda c: (means[c], c))[:most])
    return asked


@pytest.mark.parametrize("cut", [0, 1])
@pytest.mark.parametrize("first", [1, 3])
@pytest.mark.parametrize("level", [0.01, 0.2])
def test_rounds_are_those_of_a_naive_race(level, first, cut):
    rng = np.random.default_rng(first)
    shared = rng.exponential(size=(6, 15))
    rows = [[fold + gap + 0.3 * rng.normal(size=15) for fold in shared] for gap in np.linspace(0, 0.5, 12)]
    found = list(rounds(Racing(level, first, cut), GivenTuning(rows, bounds=(-np.inf, np.inf))))
    assert found == naive_race(rows, level, first, cut)
    assert len(found[-1]) < 12


def test_a_measure_of_whole_folds_is_raced_from_the_third_fold_on():
    rng = np.random.default_rng(0)
    field = GivenTuning([[np.array([gap + 0.01 * rng.normal()]) for _ in range(5)] for gap in (0.1, 0.9)])
    field.losses = lambda candidate, split: None
    assert [len(asks) for asks in rounds(Racing(0.05, cut=0), field)] == [2, 2, 2, 1, 1]


def test_candidates_without_a_score_are_dropped_and_equal_ones_stay():
    rows = [[np.full(4, np.nan)] * 3, [np.arange(4.0)] * 3, [np.arange(4.0)] * 3]
    found = [[candidate for candidate, _ in pairs] for pairs in rounds(Racing(cut=0), GivenTuning(rows))]
    assert found == [[0, 1, 2], [1, 2], [1, 2]]


def test_a_race_that_nobody_can_win_any_more_ends():
    rows = [[np.array([1.0, 2.0]), np.full(2, np.nan), np.array([1.0, 2.0])] for _ in range(3)]
    assert [len(asks) for asks in rounds(Racing(cut=0), GivenTuning(rows))] == [3, 3]
