"""Fewer training rows: inside one another, with whole groups, every class, or the latest rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldwise.splits.subset import fewer_rows

TRAIN = st.lists(st.integers(0, 80), min_size=6, max_size=60).map(lambda rows: np.sort(np.array(rows)))


@given(TRAIN, st.integers(1, 20), st.integers(0, 3))
def test_smaller_subsets_lie_inside_larger_ones_and_copies_stay_together(train, count, seed):
    small, large = (fewer_rows(train, size, seed=seed) for size in (count, 2 * count))
    assert set(small) <= set(large) <= set(train)
    assert len(small) >= min(count, len(train))
    for row in set(small):
        assert (small == row).sum() == (train == row).sum()
    np.testing.assert_array_equal(small, np.sort(small))


@given(st.integers(0, 5), st.integers(10, 60), st.integers(1, 4))
def test_every_class_has_its_share_to_within_a_row(seed, count, divisor):
    classes = np.repeat([0, 1, 2], [90, 30, 30])
    chosen = fewer_rows(np.arange(150), count // divisor + 3, seed=seed, classes=classes)
    shares = np.bincount(classes[chosen], minlength=3) / len(chosen)
    np.testing.assert_allclose(shares, [0.6, 0.2, 0.2], atol=1.01 / len(chosen))


@given(st.integers(0, 5), st.integers(1, 50))
def test_groups_are_there_as_a_whole_or_not_at_all(seed, count):
    groups = np.random.default_rng(1).integers(0, 9, 60)
    chosen = fewer_rows(np.arange(60), count, seed=seed, groups=groups)
    inside = set(groups[chosen])
    assert {group for row, group in enumerate(groups) if row not in set(chosen)}.isdisjoint(inside)
    assert len(chosen) >= count


def test_in_time_the_latest_rows_are_taken():
    time = np.array([5, 1, 9, 7, 3, 8])
    assert fewer_rows(np.arange(6), 3, seed=0, time=time).tolist() == [2, 3, 5]


@pytest.mark.parametrize("seed", [0, 1])
def test_the_rows_depend_on_the_seed_and_the_training_rows_alone(seed):
    train = np.arange(0, 90, 2)
    np.testing.assert_array_equal(fewer_rows(train, 9, seed=seed), fewer_rows(train.copy(), 9, seed=seed))
    assert fewer_rows(train, 9, seed=seed).tolist() != fewer_rows(train, 9, seed=seed + 1).tolist()
