"""What every splitter must do."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.data.dataset import Dataset, make_dataset
from foldwise.splits.making import make_splits
from foldwise.testing.contract import keep


class SplitterContract:
    """`splitter` is anything that `outer=` takes, and `data` a table that it can split."""

    def test_train_and_test_rows_are_disjoint(self, splitter: Any, data: Dataset) -> None:
        for split in make_splits(splitter, data, seed=3):
            assert not set(split.train.tolist()) & set(split.test.tolist())

    def test_rows_are_sorted_and_exist(self, splitter: Any, data: Dataset) -> None:
        for split in make_splits(splitter, data, seed=3):
            for rows in (split.train, split.test):
                assert rows.size > 0
                assert (np.diff(rows) >= 0).all()
                assert rows.min() >= 0
                assert rows.max() < data.rows

    def test_the_same_seed_gives_the_same_splits(self, splitter: Any, data: Dataset) -> None:
        np.random.seed(1)
        first = make_splits(splitter, data, seed=3).fingerprint
        np.random.seed(2)
        assert make_splits(splitter, data, seed=3).fingerprint == first

    def test_groups_are_never_divided(self, splitter: Any, data: Dataset) -> None:
        if data.groups is not None:
            for split in make_splits(splitter, data, seed=3):
                assert not set(data.groups[split.train]) & set(data.groups[split.test])

    def test_a_part_of_the_rows_is_split_within_itself(self, splitter: Any, data: Dataset) -> None:
        rows = np.arange(0, data.rows - data.rows // 5)
        for split in make_splits(splitter, data, seed=3, rows=rows):
            assert set(split.train.tolist()) | set(split.test.tolist()) <= set(rows.tolist())

    def test_a_partition_says_so(self, splitter: Any, data: Dataset) -> None:
        splits = make_splits(splitter, data, seed=3)
        tested = np.sort(np.concatenate([split.test for split in splits if split.repeat == 0]))
        if splits.is_partition:
            np.testing.assert_array_equal(tested, np.arange(data.rows))


def check_splitter(splitter: Any, X: Any = None, y: Any = None, *, groups: Any = None, time: Any = None) -> None:
    """Raise AssertionError, with a sentence, where a splitter does not do what a study needs.

    `splitter`: anything `outer=` takes. `X`, `y`, `groups` and `time`: a table to split; else a made-up one.

    >>> from sklearn.model_selection import KFold
    >>> check_splitter(KFold(4, shuffle=True))
    """
    if X is None:
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    keep(SplitterContract(), f"splitter {splitter!r}", splitter, make_dataset(X, y, groups=groups, time=time))
