"""Bootstrap: as many rows as there are, drawn with replacement, tested on the others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldwise.errors import BadSplits
from foldwise.splits.holdout import Bootstrap
from foldwise.splits.making import make_splits
from foldwise.splits.nesting import inner_splits


@given(rows=st.integers(2, 50), seed=st.integers(0, 10**6))
def test_a_draw_has_all_its_rows_in_train_or_test(table, rows, seed):
    splits = make_splits(Bootstrap(3), table(rows), seed=seed)
    for split in splits:
        assert len(split.train) == rows
        assert (np.diff(split.train) >= 0).all()
        assert sorted({*split.train, *split.test}) == list(range(rows))
        assert not set(split.train) & set(split.test)
        assert len(split.test)
    assert (splits.kind, splits.is_partition, splits.scheme) == ("bootstrap", False, "3 bootstrap draws")


def test_about_a_third_of_the_rows_are_left_to_test(table):
    """The chance of never being drawn is (1 - 1/n)^n, near 1/e."""
    splits = make_splits(Bootstrap(50), table(500), seed=0)
    assert np.mean([len(s.test) for s in splits]) / 500 == pytest.approx((1 - 1 / 500) ** 500, abs=0.01)


def test_stratified_draws_keep_the_class_sizes(table):
    codes = np.array([0] * 30 + [1] * 7)
    splits = make_splits(Bootstrap(20), table(37, y=codes, classes=["a", "b"]), seed=0)
    assert all(np.bincount(codes[s.train]).tolist() == [30, 7] for s in splits)


def test_grouped_draws_take_whole_groups(table):
    groups = np.repeat(np.arange(8), [1, 2, 3, 4, 1, 2, 3, 4])
    for split in make_splits(Bootstrap(20), table(20, groups=groups), seed=0):
        assert set(groups[split.train]).isdisjoint(groups[split.test])
        times = np.bincount(split.train, minlength=20)
        assert all(len(set(times[groups == g])) == 1 for g in range(8))
        assert sum(times[groups == g][0] for g in range(8)) == 8


def test_inner_splits_of_a_draw_keep_copies_together(table):
    data = table(30)
    outer = make_splits(Bootstrap(4), data, seed=0)
    inner = inner_splits(3, outer, data, seed=0)
    for split, splits in zip(outer, inner.splits, strict=True):
        for one in splits:
            assert not set(one.train) & set(one.test)
            assert one.train.tolist() == [row for row in split.train if row not in one.test]
            assert len(set(one.test)) == len(one.test)


def test_a_draw_without_test_rows_is_refused(table):
    with pytest.raises(BadSplits, match="leaves rows to test: 100 draws of 3 rows left none"):
        make_splits(Bootstrap(1), table(3, strata=[0, 1, 2]), seed=0)
    with pytest.raises(BadSplits, match="splits must"):
        Bootstrap(0)
