"""Held-out shares: ceil(share x rows), respecting classes, groups and time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldwise.errors import BadSplits
from foldwise.splits.holdout import Holdout, MonteCarlo, three_way
from foldwise.splits.making import make_splits

shares = st.floats(0.02, 0.9)


@given(rows=st.integers(20, 80), share=shares, seed=st.integers(0, 10**6))
def test_a_share_holds_out_its_ceiling(table, rows, share, seed):
    (split,) = make_splits(share, table(rows), seed=seed)
    assert len(split.test) == math.ceil(share * rows)
    assert sorted([*split.train, *split.test]) == list(range(rows))


@given(counts=st.lists(st.integers(2, 30), min_size=2, max_size=5), share=shares, seed=st.integers(0, 10**6))
def test_a_stratified_share_is_even_to_one_row_per_class(table, counts, share, seed):
    codes = np.repeat(np.arange(len(counts)), counts)
    rows = len(codes)
    count = math.ceil(share * rows)
    if count == rows:
        return
    (split,) = make_splits(share, table(rows, y=codes, classes=list("abcde"[: len(counts)])), seed=seed)
    held = np.bincount(codes[split.test], minlength=len(counts))
    assert len(split.test) == count
    assert (np.abs(held - np.array(counts) * count / rows) < 1).all()


@given(sizes=st.lists(st.integers(1, 9), min_size=2, max_size=20), share=shares, seed=st.integers(0, 10**6))
def test_a_grouped_share_takes_whole_groups_until_it_is_reached(table, sizes, share, seed):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    rows = len(groups)
    if math.ceil(share * rows) == rows:
        return
    (split,) = make_splits(share, table(rows, groups=groups), seed=seed)
    held = set(groups[split.test])
    assert held
    assert held.isdisjoint(groups[split.train])
    assert len(split.train)
    enough = len(split.test) >= math.ceil(share * rows)
    assert enough or len(held) == len(sizes) - 1
    assert len(split.test) - max(sizes) < math.ceil(share * rows)


@pytest.mark.parametrize("seed", range(6))
def test_a_grouped_share_leaves_a_group_to_train_on(table, seed):
    (split,) = make_splits(0.5, table(10, groups=[0] + [1] * 9), seed=seed)
    assert {len(split.train), len(split.test)} == {1, 9}


def test_a_share_in_time_is_the_last_rows(table):
    time = np.random.default_rng(0).permutation(40)
    (split,) = make_splits(0.25, table(40, time=time), seed=0)
    assert sorted(time[split.test]) == list(range(30, 40))
    tied = make_splits(0.25, table(8, time=[0, 1, 1, 2, 3, 4, 4, 4]), seed=0)[0]
    assert tied.test.tolist() == [5, 6, 7]


def test_schemes_are_said_in_words(table):
    groups, codes = np.arange(20) // 2, np.arange(20) % 2
    assert make_splits(0.2, table(20), seed=0).scheme == "20% held out"
    assert make_splits(0.2, table(20, groups=groups), seed=0).scheme == "20% held out, whole groups"
    assert make_splits(0.2, table(20, time=groups), seed=0).scheme == "20% held out, the last in time"
    stratified = make_splits(MonteCarlo(4, share=0.3), table(20, y=codes, classes=["a", "b"]), seed=0)
    assert stratified.scheme == "4 random splits, 30% held out, stratified"


def test_monte_carlo_draws_are_independent_and_extend(table):
    data = table(30)
    ten, twenty = (make_splits(MonteCarlo(n), data, seed=1) for n in (10, 20))
    assert [s.test.tolist() for s in ten] == [s.test.tolist() for s in twenty][:10]
    assert len({tuple(s.test) for s in twenty}) == 20
    assert (ten.kind, ten.is_partition) == ("monte_carlo", False)
    repeated = make_splits(MonteCarlo(10), data, seed=1, repeats=2)
    assert len(repeated) == 20
    assert [s.test.tolist() for s in repeated][:10] == [s.test.tolist() for s in ten]


def test_repeated_holdouts_are_monte_carlo(table):
    splits = make_splits(Holdout(0.2), table(30), seed=1, repeats=3)
    assert [(s.repeat, s.fold) for s in splits] == [(0, 0), (1, 0), (2, 0)]
    assert splits.kind == "monte_carlo"
    assert splits[0].test.tolist() == make_splits(0.2, table(30), seed=1)[0].test.tolist()
    assert make_splits(0.2, table(30), seed=1).kind == "holdout"


@given(rows=st.integers(10, 60), test=st.floats(0.05, 0.4), dev=st.floats(0.05, 0.4), seed=st.integers(0, 99))
def test_three_way_shares_are_of_all_rows(table, rows, test, dev, seed):
    parts = three_way(table(rows), test=test, dev=dev, seed=seed)
    assert sorted(np.concatenate(parts)) == list(range(rows))
    assert len(parts[2]) == math.ceil(test * rows)
    assert len(parts[1]) == math.ceil(dev * rows)
    assert parts[2].tolist() == make_splits(test, table(rows), seed=seed)[0].test.tolist()


def test_three_way_respects_time_groups_and_classes(table):
    time = np.random.default_rng(0).permutation(20)
    train, dev, test = three_way(table(20, time=time), test=0.2, dev=0.2, seed=0)
    assert max(time[train]) < min(time[dev])
    assert max(time[dev]) < min(time[test])
    groups = np.arange(20) // 4
    parts = three_way(table(20, groups=groups), test=0.2, dev=0.2, seed=0)
    assert sum(len(set(groups[part])) for part in parts) == 5
    codes = np.arange(20) % 2
    parts = three_way(table(20, y=codes, classes=["a", "b"]), test=0.2, dev=0.2, seed=0)
    assert [int(codes[part].sum()) for part in parts] == [6, 2, 2]


def test_three_way_without_dev_rows(table):
    train, dev, test = three_way(table(10), test=0.3, dev=None, seed=0)
    assert (len(train), len(dev), len(test)) == (7, 0, 3)


def test_shares_that_cannot_be_had_are_refused(table):
    with pytest.raises(BadSplits, match="cannot hold out 95% of 5 rows: none is left to train on"):
        make_splits(0.95, table(5), seed=0)
    with pytest.raises(BadSplits, match="held-out share"):
        MonteCarlo(10, share=2)
    with pytest.raises(BadSplits, match="no rows of 10 are left to train on"):
        three_way(table(10), test=0.5, dev=0.5, seed=0)
    with pytest.raises(BadSplits, match="cannot hold out a stratified share: class 'b' has 1 row"):
        make_splits(0.2, table(10, y=[0] * 9 + [1], classes=["a", "b"]), seed=0)
    with pytest.raises(BadSplits, match="there is only 1 group"):
        make_splits(0.2, table(10, groups=[0] * 10), seed=0)
    with pytest.raises(BadSplits, match="cannot hold out the last 2 rows in time: all earlier rows have the same time"):
        make_splits(0.2, table(10, time=[0] * 10), seed=0)
