"""Time order: train on the past alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from foldwise.errors import BadSplits
from foldwise.splits.holdout import Bootstrap, MonteCarlo
from foldwise.splits.making import make_splits
from foldwise.splits.nesting import inner_splits
from foldwise.splits.temporal import TimeOrdered, steps_ahead


@given(rows=st.integers(12, 60), k=st.integers(2, 5), gap=st.integers(0, 1), window=st.none() | st.integers(1, 9))
def test_time_ordered_folds_are_those_of_scikit_learn_in_time_order(table, rows, k, gap, window):
    from sklearn.model_selection import TimeSeriesSplit

    order = np.random.default_rng(rows).permutation(rows)
    time = np.empty(rows)
    time[order] = np.arange(rows)
    mine = make_splits(TimeOrdered(k, gap=gap, window=window), table(rows, time=time), seed=0)
    theirs = TimeSeriesSplit(n_splits=k, gap=gap, max_train_size=window).split(order)
    for split, (train, test) in zip(mine, theirs, strict=True):
        assert split.train.tolist() == sorted(order[train])
        assert split.test.tolist() == sorted(order[test])
    assert not mine.is_partition


@given(times=st.lists(st.integers(0, 30), min_size=40, max_size=60), k=st.integers(2, 3))
def test_equal_times_are_never_parted(table, times, k):
    time = np.array(times, dtype=float)
    assume(np.bincount(times).max() <= len(times) // (k + 1))  # else a block may have no rows left
    splits = make_splits(TimeOrdered(k), table(len(times), time=time), seed=0)
    assert all(time[s.train].max() < time[s.test].min() for s in splits)


@pytest.mark.parametrize("inner", [4, 0.25, TimeOrdered(2, gap=1)])
def test_time_holds_at_both_levels(table, inner):
    time = np.random.default_rng(0).permutation(60).astype(float)
    data = table(60, time=time)
    outer = make_splits(5, data, seed=0)
    nested = inner_splits(inner, outer, data, seed=0)
    assert outer.scheme == "5 time-ordered folds (expanding, gap 0)"
    for split, splits in zip(outer, nested.splits, strict=True):
        assert all(time[s.train].max() < time[s.test].min() for s in splits)
        assert all(set(s.train) | set(s.test) <= set(split.train) for s in splits)


def test_time_ordered_without_times_goes_by_the_rows_at_both_levels(table):
    data = table(60)
    outer = make_splits(TimeOrdered(4, window=10, gap=2), data, seed=0)
    assert outer.scheme == "4 time-ordered folds (sliding over 10 rows, gap 2)"
    assert [(s.train[0], s.train[-1], s.test[0], s.test[-1]) for s in outer] == [
        (start - 12, start - 3, start, start + 11) if start > 12 else (0, 9, 12, 23) for start in (12, 24, 36, 48)
    ]
    for spec in (3, 0.2):
        inner = inner_splits(spec, outer, data, seed=0)
        assert all(s.train.max() < s.test.min() for splits in (*inner.splits, inner.final) for s in splits)


def test_time_refusals_say_why(table):
    with pytest.raises(BadSplits, match=r"cannot make 5 time-ordered folds of 4 rows. Use at most 3 folds"):
        make_splits(TimeOrdered(5), table(4), seed=0)
    with pytest.raises(BadSplits, match="too many rows have the same time"):
        make_splits(3, table(20, time=[0] * 10 + [1] * 10), seed=0)
    with pytest.raises(BadSplits, match=r"with gap 6: fold 0 has only 5 rows before it. Use a gap of at most 4"):
        make_splits(TimeOrdered(3, gap=6), table(20), seed=0)
    with pytest.raises(BadSplits, match="window must"):
        TimeOrdered(3, window=0)
    data = table(20, time=np.arange(20))
    with pytest.raises(BadSplits, match="cannot repeat time-ordered folds 2 times"):
        make_splits(3, data, seed=0, repeats=2)
    with pytest.raises(BadSplits, match="later in time"):
        make_splits("loo", data, seed=0)
    with pytest.raises(BadSplits, match="cannot repeat a held-out share in time 10 times"):
        make_splits(MonteCarlo(10), data, seed=0)
    with pytest.raises(BadSplits, match="a bootstrap draw cannot keep the order of time"):
        make_splits(Bootstrap(10), data, seed=0)


@given(rows=st.integers(20, 60), k=st.integers(2, 4), gap=st.integers(0, 2), horizon=st.integers(1, 4))
def test_a_horizon_is_the_test_size_of_scikit_learn(table, rows, k, gap, horizon):
    from sklearn.model_selection import TimeSeriesSplit

    mine = make_splits(TimeOrdered(k, gap=gap, horizon=horizon), table(rows), seed=0)
    theirs = TimeSeriesSplit(n_splits=k, gap=gap, test_size=horizon).split(np.arange(rows))
    for split, (train, test) in zip(mine, theirs, strict=True):
        assert split.train.tolist() == train.tolist()
        assert split.test.tolist() == test.tolist()
    assert mine.scheme == f"{k} time-ordered folds (expanding, gap {gap}, horizon {horizon})"


def test_a_horizon_too_long_for_the_rows_is_refused(table):
    with pytest.raises(BadSplits, match=r"cannot make 4 time-ordered folds of 5 rows each: there are 20. Use at"):
        make_splits(TimeOrdered(4, horizon=5), table(20), seed=0)
    with pytest.raises(BadSplits, match="Use a shorter horizon"):
        make_splits(TimeOrdered(2, horizon=15), table(20), seed=0)
    with pytest.raises(BadSplits, match="horizon"):
        TimeOrdered(3, horizon=0)


@pytest.mark.parametrize(
    ("splitter", "steps"),
    [
        (TimeOrdered(4), 1),
        (TimeOrdered(4, gap=3), 4),
        (TimeOrdered(4, horizon=5), 5),
        (TimeOrdered(4, horizon=5, gap=2), 7),
        (TimeOrdered(4, horizon=1), 1),
    ],
)
def test_steps_ahead_count_the_gap_and_the_horizon_that_was_asked_for(table, splitter, steps):
    splits = make_splits(splitter, table(60), seed=0)
    assert steps_ahead(splits, None, 60) == steps
    backwards = make_splits(splitter, table(60, time=np.arange(60.0)[::-1]), seed=0)
    assert steps_ahead(backwards, np.arange(60)[::-1], 60) == steps


def test_steps_ahead_are_times_not_rows(table):
    time = np.repeat(np.arange(30.0), 2)
    splits = make_splits(TimeOrdered(4, horizon=6, gap=4), table(60, time=time), seed=0)
    assert steps_ahead(splits, time.astype(int), 60) == 5
