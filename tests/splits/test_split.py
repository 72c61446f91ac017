"""Splits are values: one line each, equal fingerprints for equal rows."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from foldwise.splits import split as split_file
from foldwise.splits.folds import KFold
from foldwise.splits.making import Predefined, make_splits
from foldwise.splits.split import Rest, Split, Splits, partition, union


def test_splits_print_on_one_line_with_their_size(table):
    splits = make_splits(5, table(10), seed=0)
    assert repr(splits) == "Splits('5 folds', splits=5)"
    assert repr(splits[0]) == "Split(train=8, test=2)"
    assert (splits.folds, splits.repeats, len(list(splits))) == (5, 1, 5)


def test_a_split_is_frozen():
    with pytest.raises(AttributeError):
        Split(np.array([0]), np.array([1])).train = np.array([2])


def test_lazy_training_rows_equal_the_eager_ones(table, monkeypatch):
    """Leave-one-out keeps no training rows, and nobody can tell."""
    eager = make_splits("loo", table(9), seed=0)
    monkeypatch.setattr(split_file, "EAGER_ROWS", 0)
    lazy = make_splits("loo", table(9), seed=0)
    lazy = pickle.loads(pickle.dumps(lazy))
    assert type(lazy[0]) is not type(eager[0])
    assert all((a.train == b.train).all() and (a.test == b.test).all() for a, b in zip(eager, lazy, strict=True))
    assert eager.fingerprint == lazy.fingerprint
    assert repr(lazy[3]) == "Split(train=8, test=1)"


def test_light_splits_keep_test_rows_alone(table):
    """Of a partition the training rows follow from the tests; while they are held they are one array."""
    splits = make_splits(4, table(14), seed=0, rows=np.array([0, 1, 3, 4, 6, 7, 9, 11, 13]), repeats=2)
    light = pickle.loads(pickle.dumps(splits.light()))
    assert "train" not in vars(light[0])
    assert all((a.train == b.train).all() and (a.test == b.test).all() for a, b in zip(splits, light, strict=True))
    held = light[5].train
    assert light[5].train is held
    assert light.fingerprint == splits.fingerprint
    shares = make_splits(0.2, table(9), seed=0)
    assert shares.light() is shares


def test_fingerprints_follow_the_rows_not_the_way_they_were_made(table):
    data = table(12)
    folds = make_splits(4, data, seed=0)
    labels = np.empty(12, dtype=int)
    for split in folds:
        labels[split.test] = split.fold
    pairs = [(split.train, split.test) for split in folds]
    assert make_splits(labels, data, seed=5).fingerprint == folds.fingerprint
    assert make_splits(pairs, data, seed=5).fingerprint == folds.fingerprint
    assert make_splits(4, data, seed=1).fingerprint != folds.fingerprint


def test_fingerprints_of_other_splits_see_the_training_rows(table):
    data = table(6)
    one = make_splits([([0, 1], [4]), ([2, 3], [5])], data, seed=0)
    other = make_splits([([0, 2], [4]), ([2, 3], [5])], data, seed=0)
    assert one.fingerprint != other.fingerprint


def test_splitters_are_plain_values():
    assert KFold(5) == KFold(5) != KFold(6)
    assert repr(Predefined([0, 1, 0])) == "Predefined(labels=3)"


@pytest.mark.parametrize(
    ("kind", "facts"),
    [
        ("folds", (False, False, True)),
        ("lines", (False, False, True)),
        ("holdout", (True, False, True)),
        ("time", (False, True, False)),
        ("time_holdout", (True, True, False)),
        ("bootstrap", (False, False, False)),
        ("pairs", (False, False, False)),
    ],
)
def test_what_others_ask_follows_from_the_kind(kind, facts):
    splits = Splits((), "", kind, is_partition=False)
    assert (splits.is_one_test_set, splits.is_ordered, splits.is_exchangeable) == facts


def test_training_rows_are_counted_without_working_them_out():
    rows = np.array([2, 3, 5, 8, 9, 12])
    whole = partition(rows, [np.array([0, 1, 2, 0, 1, 2])], scheme="3-fold", kind="folds")
    others = [*whole.light(), Rest(rows, rows[:2], 0, 0), Rest(rows, rows[:2], 0, 0, rows[:3])]
    counts = [split.train_rows for split in (*others, Split(rows, rows[:1]))]
    assert not any("_last" in vars(split) for split in others)
    assert counts == [split.train.size for split in others] + [6] == [4, 4, 4, 4, 3, 6]


def test_all_rows_are_one_array_for_all_who_hold_them():
    one, other = union(np.array([0, 2]), np.array([1, 3])), union(np.array([3]), np.array([0, 1, 2]))
    assert one is other
    assert one.tolist() == [0, 1, 2, 3]
    assert union(np.array([0]), np.array([2])).tolist() == [0, 2]
