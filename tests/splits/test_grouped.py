"""Whole groups stay together, and folds stay even."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldwise.errors import BadSplits
from foldwise.splits.folds import LeaveOneGroupOut
from foldwise.splits.making import make_splits
from foldwise.splits.nesting import inner_splits

group_sizes = st.lists(st.integers(1, 9), min_size=4, max_size=25)


def rows_in_groups(sizes):
    return np.random.default_rng(1).permutation(np.repeat(np.arange(len(sizes)), sizes))


def keeps_groups(split, groups):
    return not set(groups[split.train]) & set(groups[split.test])


@given(sizes=group_sizes, k=st.integers(2, 4), seed=st.integers(0, 10**6))
def test_grouped_folds_keep_groups_and_balance_rows(table, is_partition_of, sizes, k, seed):
    """Dealing to the smallest fold leaves folds apart by at most the largest group."""
    groups = rows_in_groups(sizes)
    splits = make_splits(k, table(len(groups), groups=groups), seed=seed, repeats=2)
    assert is_partition_of(splits, range(len(groups)))
    assert all(keeps_groups(s, groups) for s in splits)
    for repeat in range(2):
        assert np.ptp([len(s.test) for s in splits if s.repeat == repeat]) <= max(sizes)
    assert (splits.kind, splits.scheme) == ("grouped", f"{k} grouped folds, 2 repeats")


@given(sizes=group_sizes, seed=st.integers(0, 10**6))
def test_groups_hold_at_both_levels(table, sizes, seed):
    groups = rows_in_groups(sizes)
    data = table(len(groups), groups=groups)
    outer = make_splits(3, data, seed=seed)
    for spec in ("aligned", 2, 0.3, "logo"):
        inner = inner_splits(spec, outer, data, seed=seed)
        assert all(keeps_groups(s, groups) for splits in (*inner.splits, inner.final) for s in splits)


def test_repeats_differ_even_when_group_sizes_do(table):
    groups = np.repeat(np.arange(12), np.arange(4, 16))
    splits = make_splits(3, table(len(groups), groups=groups), seed=0, repeats=2)
    first, second = ([s.test.tolist() for s in splits if s.repeat == r] for r in (0, 1))
    assert sorted(first) != sorted(second)


def test_grouped_and_stratified_folds_share_out_the_classes(table, is_partition_of):
    """Groups of one class each: every fold gets a fifth of the rare class."""
    groups = np.repeat(np.arange(50), 4)
    codes = (groups % 5 == 0).astype(int)
    data = table(200, y=codes, classes=["common", "rare"], groups=groups)
    splits = make_splits(5, data, seed=0)
    assert is_partition_of(splits, range(200))
    assert all(keeps_groups(s, groups) for s in splits)
    assert [int(codes[s.test].sum()) for s in splits] == [8] * 5
    assert splits.scheme == "5 grouped and stratified folds"


def test_no_fold_is_empty_when_there_are_just_enough_groups(table):
    groups = np.repeat(np.arange(4), [50, 1, 1, 1])
    data = table(53, y=[0, 1] * 26 + [0], classes=["a", "b"], groups=groups)
    assert sorted(len(s.test) for s in make_splits(4, data, seed=0)) == [1, 1, 1, 50]


def test_leave_one_group_out_follows_the_groups(table, is_partition_of):
    groups = np.array([2, 0, 1, 0, 2, 5])
    splits = make_splits("logo", table(6, groups=groups), seed=0)
    assert [s.test.tolist() for s in splits] == [[1, 3], [2], [0, 4], [5]]
    assert is_partition_of(splits, range(6))
    assert splits.scheme == "leave-one-group-out (4 groups)"
    assert make_splits(LeaveOneGroupOut(), table(6, groups=groups), seed=1).fingerprint == splits.fingerprint


def test_grouped_refusals_say_what_was_found(table):
    two = table(10, groups=np.arange(10) % 2)
    with pytest.raises(BadSplits, match=r"cannot make 5 grouped folds: there are only 2 groups. Use at most 2 folds"):
        make_splits(5, two, seed=0)
    with pytest.raises(BadSplits, match="cannot leave one group out: the data have no groups"):
        make_splits("logo", table(10), seed=0)
    with pytest.raises(BadSplits, match="cannot leave one group out: there is only 1 group"):
        make_splits("logo", table(3, groups=[0, 0, 0]), seed=0)
    with pytest.raises(BadSplits, match="cannot repeat leave-one-group-out"):
        make_splits("logo", two, seed=0, repeats=2)
    with pytest.raises(BadSplits, match="'logo'"):
        make_splits("loo", two, seed=0)
    both = table(10, groups=np.arange(10) // 2, time=np.arange(10))
    with pytest.raises(BadSplits, match=r"keep whole groups together and are ordered in time.*Give one of groups"):
        make_splits(5, both, seed=0)
