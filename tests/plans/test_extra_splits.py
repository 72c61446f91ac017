"""Splits beside the outer ones: every pair of folds, and random splits inside both halves."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foldwise.data.dataset import make_dataset
from foldwise.errors import BadInterval
from foldwise.estimates.intervals import request_interval
from foldwise.plans.extra_splits import CUTS, extra_inner, extra_splits, halves, leave_two_out
from foldwise.splits.folds import KFold
from foldwise.splits.holdout import MonteCarlo
from foldwise.splits.making import make_splits
from foldwise.studies.study import IntervalRequest


def rows(count: int, **roles):
    rng = np.random.default_rng(0)
    return make_dataset(rng.normal(size=(count, 2)), rng.normal(size=count), **roles)


@given(st.integers(6, 30), st.integers(3, 6), st.integers(1, 3))
def test_every_pair_of_folds_is_left_out_once_in_every_repeat(count, folds, repeats):
    data = rows(count)
    outer = make_splits(KFold(folds), data, seed=1, repeats=repeats)
    found = leave_two_out(outer, count)
    assert len(found) == repeats * folds * (folds - 1) // 2
    for repeat in range(repeats):
        tests = [set(split.test) for split in outer if split.repeat == repeat]
        wanted = [a | b for a, b in combinations(tests, 2)]
        own = [split for split in found if split.repeat == repeat]
        assert [set(split.test) for split in own] == wanted
        assert all(sorted({*split.train, *split.test}) == list(range(count)) for split in own)
        assert all(not set(split.train) & set(split.test) for split in own)


@given(st.integers(20, 60), st.integers(2, 4), st.integers(0, 5))
@settings(max_examples=15)
def test_halves_are_disjoint_and_keep_the_number_of_test_rows(count, draws, seed):
    data = rows(count)
    outer = make_splits(MonteCarlo(draws, share=0.1), data, seed=seed)
    found = halves(outer, data, seed=seed)
    assert len(found) == 2 * CUTS * draws
    for cut in range(CUTS):
        sides = [[split for split in found if split.repeat == 2 * cut + side] for side in (0, 1)]
        used = [set().union(*({*split.train, *split.test} for split in side)) for side in sides]
        assert not used[0] & used[1]
        assert used[0] | used[1] == set(range(count))
        for side in sides:
            assert all(len(split.test) == len(outer[0].test) for split in side)
            assert [split.fold for split in side] == list(range(draws))


def test_cuts_differ_and_follow_from_the_seed():
    data = rows(40)
    outer = make_splits(MonteCarlo(2, share=0.1), data, seed=3)
    one, again, other = (halves(outer, data, seed=seed).fingerprint for seed in (3, 3, 4))
    assert one == again != other
    sides = {tuple(np.union1d(split.train, split.test)) for split in halves(outer, data, seed=3)}
    assert len(sides) == 2 * CUTS


def test_groups_stay_whole_in_both_halves():
    groups = np.arange(60) // 3
    data = rows(60, groups=groups)
    outer = make_splits(MonteCarlo(2, share=0.1), data, seed=0)
    for split in halves(outer, data, seed=0):
        assert not set(groups[split.train]) & set(groups[split.test])


def test_nothing_is_beside_the_outer_splits_of_other_intervals():
    data = rows(20)
    outer = make_splits(KFold(4), data, seed=0)
    assert extra_splits(None, outer, data, seed=0) is None
    assert extra_splits(request_interval("Bayle"), outer, data, seed=0) is None


@pytest.mark.parametrize(
    ("interval", "spec", "message"),
    [
        ("Bates", KFold(2), r"the Bates interval needs 3 or more outer folds, not: 2 folds\. Use outer=10"),
        ("Bates", MonteCarlo(5, share=0.1), "the Bates interval needs 3 or more outer folds, not: 5 random splits"),
        ("conservative z", KFold(5), r"needs random outer splits, not: 5 folds\. Use outer=fw\.MonteCarlo"),
        (
            "conservative z",
            MonteCarlo(5, share=0.5),
            r"half of 20 rows is too few for 10 test rows\. Use a smaller share",
        ),
    ],
)
def test_outer_splits_that_cannot_have_them_are_refused(interval, spec, message):
    data = rows(20)
    outer = make_splits(spec, data, seed=0)
    with pytest.raises(BadInterval, match=message):
        extra_splits(request_interval(interval), outer, data, seed=0)


def test_inner_splits_of_a_pair_on_pairs_are_the_other_folds():
    data = rows(30)
    outer = make_splits(KFold(5), data, seed=0)
    found = leave_two_out(outer, 30)
    tests = [split.test for split in outer]
    for split, inner in zip(found, extra_inner("pairs", found, outer, data, seed=0), strict=True):
        held = [test for test in tests if not np.isin(test, split.test).any()]
        assert [set(one.test) for one in inner] == [set(test) for test in held]
        assert all(set(one.train) == set(split.train) - set(one.test) for one in inner)


@pytest.mark.parametrize("word", ["lines", "aligned"])
def test_inner_splits_of_a_pair_cannot_be_lines(word):
    data = rows(30)
    outer = make_splits(KFold(7), data, seed=0)
    with pytest.raises(BadInterval, match="cannot use lines"):
        extra_inner(word, leave_two_out(outer, 30), outer, data, seed=0)


def test_inner_folds_of_a_pair_are_those_of_its_training_rows():
    data = rows(30)
    outer = make_splits(KFold(5), data, seed=0)
    found = leave_two_out(outer, 30)
    for split, inner in zip(found, extra_inner(3, found, outer, data, seed=0), strict=True):
        assert len(inner) == 3
        np.testing.assert_array_equal(np.sort(np.concatenate([one.test for one in inner])), split.train)


def test_extra_splits_go_by_name():
    """A user's own interval asks for them as a built-in one does."""
    data = rows(20)
    outer = make_splits(KFold(4), data, seed=0)
    own = extra_splits(IntervalRequest("mine", "leave-two-out"), outer, data, seed=0)
    assert own.fingerprint == extra_splits(request_interval("bates"), outer, data, seed=0).fingerprint
    with pytest.raises(BadInterval, match=r"extra splits 'leave-two'\. Did you mean 'leave-t"):
        extra_splits(IntervalRequest("mine", "leave-two"), outer, data, seed=0)
