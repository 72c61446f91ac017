"""`fw.split` (api/split.py): three parts of a table that share no row."""

from __future__ import annotations

import numpy as np
import pandas as pd

import foldwise as fw


def test_every_row_is_in_one_part_with_its_own_target():
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20.0)
    parts = fw.split(X, y, test=0.2, dev=0.3, seed=3)
    assert sorted(np.concatenate([part.rows for part in parts])) == list(range(20))
    assert [len(part.rows) for part in parts] == [10, 6, 4]
    for part in parts:
        np.testing.assert_array_equal(part.X, X[part.rows])
        np.testing.assert_array_equal(part.y, y[part.rows])


def test_the_seed_decides_and_frames_stay_frames():
    frame = pd.DataFrame({"a": list("abcdefghij"), "b": np.arange(10.0)})
    one, same, other = (fw.split(frame, np.arange(10.0), seed=seed) for seed in (0, 0, 1))
    assert one.test.rows.tolist() == same.test.rows.tolist()
    assert one.test.rows.tolist() != other.test.rows.tolist()
    assert list(one.train.X.columns) == ["a", "b"]


def test_groups_stay_whole_time_ends_in_the_test_and_classes_are_shared_out():
    X, groups = np.zeros((30, 1)), np.arange(30) // 3
    parts = fw.split(X, np.arange(30.0), groups=groups)
    assert len({group for part in parts for group in set(groups[part.rows])}) == sum(
        len(set(groups[part.rows])) for part in parts
    )
    train, dev, test = fw.split(X, np.arange(30.0), time=np.arange(30)[::-1])
    assert test.rows.max() < dev.rows.min() <= dev.rows.max() < train.rows.min()
    rare = np.array(["rare"] * 5 + ["often"] * 25)
    assert [int((part.y == "rare").sum()) for part in fw.split(X, rare)] == [3, 1, 1]
