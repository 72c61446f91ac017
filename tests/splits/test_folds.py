"""K folds: disjoint, covering, balanced, stratified, repeatable."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldwise.errors import BadSplits
from foldwise.splits.folds import KFold, LeaveOneOut, Repeated
from foldwise.splits.making import make_splits

seeds = st.integers(-5, 2**40)


@given(rows=st.integers(2, 60), k=st.integers(2, 12), repeats=st.integers(1, 3), seed=seeds)
def test_folds_partition_the_rows_and_differ_by_at_most_one(table, is_partition_of, rows, k, repeats, seed):
    k = min(k, rows)
    splits = make_splits(k, table(rows), seed=seed, repeats=repeats)
    sizes = [len(s.test) for s in splits]
    assert is_partition_of(splits, range(rows))
    assert max(sizes) - min(sizes) <= 1
    assert (splits.folds, splits.repeats, splits.is_partition) == (k, repeats, True)
    assert [(s.repeat, s.fold) for s in splits] == [(r, f) for r in range(repeats) for f in range(k)]
    assert all((np.diff(s.train) > 0).all() and (np.diff(s.test) > 0).all() for s in splits)


@given(counts=st.lists(st.integers(3, 20), min_size=2, max_size=5), k=st.integers(2, 3), seed=seeds)
def test_stratified_folds_are_even_in_every_class_and_in_size(table, is_partition_of, counts, k, seed):
    codes = np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))
    data = table(len(codes), y=codes, classes=list("abcde"[: len(counts)]))
    splits = make_splits(k, data, seed=seed)
    per_class = np.array([np.bincount(codes[s.test], minlength=len(counts)) for s in splits])
    assert is_partition_of(splits, range(len(codes)))
    assert (np.ptp(per_class, axis=0) <= 1).all()
    assert np.ptp(per_class.sum(axis=1)) <= 1
    assert splits.scheme == f"{k} stratified folds"


def test_ceiling_folds_are_blocks_of_the_rounded_up_size(table, is_partition_of):
    """Seed 002: num_per_fold <- ceiling(num / folds), the last fold is shorter."""
    splits = make_splits(KFold(8, folds="ceiling"), table(100), seed=0)
    assert [len(s.test) for s in splits] == [13] * 7 + [9]
    assert is_partition_of(splits, range(100))
    assert splits.scheme == "8 folds (ceiling)"


def test_more_repeats_extend_fewer(table):
    data = table(30)
    once, thrice = make_splits(5, data, seed=3), make_splits(5, data, seed=3, repeats=3)
    first = [s.test.tolist() for s in thrice if s.repeat == 0]
    second = [s.test.tolist() for s in thrice if s.repeat == 1]
    assert first == [s.test.tolist() for s in once]
    assert first != second
    assert thrice.scheme == "5 folds, 3 repeats"


def test_repeated_splitters_are_the_same_as_repeats(table):
    data = table(30)
    nested = make_splits(Repeated(Repeated(KFold(5), 2), 2), data, seed=3)
    assert nested.fingerprint == make_splits(5, data, seed=3, repeats=4).fingerprint


def test_splits_depend_on_the_seed_and_not_on_global_state(table):
    data = table(40)
    np.random.seed(1)
    one = make_splits(5, data, seed=3).fingerprint
    np.random.seed(2)
    assert make_splits(5, data, seed=3).fingerprint == one
    assert make_splits(5, data, seed=4).fingerprint != one


@given(rows=st.sets(st.integers(0, 49), min_size=6), seed=seeds)
def test_splits_of_some_rows_have_their_absolute_numbers(table, is_partition_of, rows, seed):
    rows = sorted(rows)
    splits = make_splits(3, table(50), seed=seed, rows=np.array(rows[::-1]))
    assert is_partition_of(splits, rows)
    assert splits.fingerprint == make_splits(3, table(50), seed=seed, rows=np.array(rows)).fingerprint


def test_other_rows_get_another_permutation(table):
    low, high = (make_splits(4, table(40), seed=0, rows=np.arange(20) + start) for start in (0, 20))
    assert [s.test.tolist() for s in low] != [(s.test - 20).tolist() for s in high]


def test_all_rows_given_by_number_are_the_same_as_all_rows(table):
    data = table(20)
    assert make_splits(4, data, seed=0, rows=np.arange(20)).fingerprint == make_splits(4, data, seed=0).fingerprint


def test_copies_of_a_row_stay_on_one_side(table):
    """A bootstrap training set has copies; one of them in the test would leak."""
    rows = np.repeat(np.arange(10), [3, 1, 2, 1, 1, 1, 4, 1, 1, 1])
    splits = make_splits(5, table(20), seed=0, rows=rows)
    for split in splits:
        assert not set(split.train) & set(split.test)
        assert split.train.tolist() == [row for row in rows if row not in split.test]
    assert sorted(np.concatenate([s.test for s in splits])) == list(range(10))


def test_stratify_false_leaves_classes_alone(table):
    data = table(12, y=[0] * 11 + [1], classes=["a", "b"])
    assert make_splits(KFold(4, stratify=False), data, seed=0).scheme == "4 folds"


def test_given_strata_may_be_smaller_than_the_folds(table):
    data = table(12, strata=[0] * 10 + [1] * 2)
    splits = make_splits(4, data, seed=0)
    assert sorted(sum(row >= 10 for row in s.test) for s in splits) == [0, 0, 1, 1]


def test_leave_one_out_tests_rows_in_order(table, is_partition_of):
    splits = make_splits("loo", table(7), seed=0)
    assert [s.test.tolist() for s in splits] == [[i] for i in range(7)]
    assert is_partition_of(splits, range(7))
    assert (splits.kind, splits.scheme) == ("loo", "leave-one-out (7 splits)")
    assert make_splits(LeaveOneOut(), table(7), seed=9).fingerprint == splits.fingerprint
    assert make_splits(7, table(7), seed=9).kind == "loo"


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (True, "folds must .*True"),
        (0, "at least 2, not 0"),
        (1, "at least 2, not 1"),
        (-3, "at least 2, not -3"),
        (11, "cannot make 11 folds of 10 rows. Use at most 10 folds"),
        (1.5, "a held-out share must lie between 0 and 1, not 1.5. Use an int"),
        (0.0, "between 0 and 1, not 0.0"),
        (float("nan"), "between 0 and 1, not nan"),
        ("lo", "unknown splits 'lo'. Did you mean 'loo'?"),
        ("aligned", "'aligned' needs outer folds"),
        (None, "splits cannot be made from a NoneType. Use an int"),
        ({}, "from a dict"),
        ([], "from a list"),
        (KFold, "KFold is a class, not a splitter. Write KFold"),
    ],
)
def test_what_cannot_be_split_by_is_refused(table, spec, words):
    with pytest.raises(BadSplits, match=words):
        make_splits(spec, table(10), seed=0)


def test_bad_options_are_refused(table):
    with pytest.raises(BadSplits, match=r"unknown shape of folds 'ceilling'. Did you mean 'ceiling'?"):
        KFold(8, folds="ceilling")
    with pytest.raises(BadSplits, match="repeats must"):
        make_splits(5, table(10), seed=0, repeats=0)
    with pytest.raises(BadSplits, match=r"1,000,000,000 repeats are too many. Use at most 1,000"):
        make_splits(Repeated(KFold(2), 10**6), table(10), seed=0, repeats=1_000)
    with pytest.raises(BadSplits, match="nothing to stratify on"):
        make_splits(KFold(3, stratify=True), table(10), seed=0)
    with pytest.raises(BadSplits, match="cannot leave one out of 1 row"):
        make_splits("loo", table(10), seed=0, rows=np.array([3]))
    with pytest.raises(BadSplits, match="cannot repeat leave-one-out 2 times: every repeat would be the same"):
        make_splits("loo", table(10), seed=0, repeats=2)


def test_a_class_smaller_than_the_folds_is_named(table):
    data = table(20, y=[0] * 16 + [1] * 4, classes=["common", "rare"])
    with pytest.raises(BadSplits, match=r"10 stratified folds: class 'rare' has 4 rows. Use at most 4 folds"):
        make_splits(10, data, seed=0)
    single = table(20, y=[0] * 19 + [1], classes=np.array([5, 7]).tolist())
    with pytest.raises(BadSplits, match=r"class 7 has 1 row. Drop or join class 7, or stratify=False"):
        make_splits(3, single, seed=0)


def test_ceiling_folds_that_would_be_empty_or_unfair_are_refused(table):
    ceiling = KFold(7, folds="ceiling")
    with pytest.raises(BadSplits, match="cannot make 7 folds='ceiling' of 10 rows: blocks of 2 rows make only 5"):
        make_splits(ceiling, table(10), seed=0)
    with pytest.raises(BadSplits, match="knows neither groups nor time"):
        make_splits(ceiling, table(70, groups=np.arange(70) // 2), seed=0)
    with pytest.raises(BadSplits, match=r"is not stratified. Use KFold\(7, folds='ceiling', stratify=False\)"):
        make_splits(ceiling, table(70, y=np.arange(70) % 2, classes=["a", "b"]), seed=0)
