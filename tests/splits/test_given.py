"""Labels, index pairs and scikit-learn's splitters, as they are or not at all."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from foldwise.errors import BadSplits
from foldwise.splits.making import Pairs, Predefined, make_splits
from foldwise.splits.nesting import inner_splits


def as_lists(splits):
    return [(s.train.tolist(), s.test.tolist()) for s in splits]


@pytest.mark.parametrize(
    "labels",
    [
        [7, 3, 3, 9, 7, 9],
        np.array([0.7, 0.3, 0.3, 0.9, 0.7, 0.9]),
        list("baacbc"),
        pd.Series(list("baacbc"), index=range(10, 16)),
        pd.Categorical(list("baacbc")),
        pd.Series(pd.to_datetime(["2021", "2020", "2020", "2022", "2021", "2022"])),
        np.array([[7], [3], [3], [9], [7], [9]]),
    ],
    ids=["list", "floats", "text", "series", "categories", "dates", "column"],
)
def test_fold_numbers_are_ranks_of_the_labels(table, labels):
    splits = make_splits(labels, table(6), seed=0)
    assert [s.test.tolist() for s in splits] == [[1, 2], [0, 4], [3, 5]]
    assert (splits.scheme, splits.kind, splits.is_partition) == ("3 folds by given labels", "folds", True)


def test_labels_of_some_rows_are_those_present(table):
    splits = make_splits(Predefined([0, 1, 2, 0, 1, 2]), table(6), seed=0, rows=np.array([1, 2, 4, 5]))
    assert as_lists(splits) == [([2, 5], [1, 4]), ([1, 4], [2, 5])]


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([0, 1, 0], r"fold labels of shape \(3,\) do not match the data, which have 4 rows"),
        ([0.0, np.nan, 1.0, np.nan], "2 fold labels missing, the first at row 1"),
        (["a", None, "b", "a"], "1 fold label missing, the first at row 1"),
        (pd.Series([1, None, 2, 2], dtype="Int64"), "1 fold label missing, the first at row 1"),
        (pd.Series([pd.NaT, pd.Timestamp(0)] * 2), "2 fold labels missing, the first at row 0"),
        (["a", "a", "a", "a"], "fold labels must have at least 2 values: all 4 rows have 'a'"),
        (np.array(["a", 1, 2, 3], dtype=object), "fold labels mix text with other values"),
        (np.zeros((4, 2)), r"fold labels of shape \(4, 2\)"),
    ],
)
def test_labels_that_make_no_folds_are_refused(table, labels, words):
    with pytest.raises(BadSplits, match=words):
        make_splits(labels, table(4), seed=0)


def test_pairs_are_taken_as_they_are(table):
    pairs = [([2, 0, 0], [1]), (np.array([True, True, False, False, False]), [-1, 2])]
    splits = make_splits(pairs, table(5), seed=0)
    assert as_lists(splits) == [([0, 0, 2], [1]), ([0, 1], [2, 4])]
    assert (splits.kind, splits.is_partition, splits.scheme) == ("pairs", False, "2 given index pairs")
    assert make_splits(iter(pairs), table(5), seed=0).fingerprint == splits.fingerprint
    assert make_splits(Pairs(pairs), table(5), seed=0).fingerprint == splits.fingerprint
    assert make_splits(pairs[:1], table(5), seed=0).kind == "holdout"


def test_pairs_of_some_rows_lose_the_others(table):
    pairs = [([0, 1], [2]), ([2, 3], [0, 4]), ([0], [4])]
    splits = make_splits(pairs, table(5), seed=0, rows=np.array([0, 1, 2]))
    assert as_lists(splits) == [([0, 1], [2]), ([2], [0])]
    with pytest.raises(BadSplits, match="no index pair has both training and test rows among these 2 rows"):
        make_splits(pairs, table(5), seed=0, rows=np.array([1, 3]))


def test_pairs_that_partition_the_rows_again_and_again_are_repeats(table):
    folds = make_splits(3, table(9), seed=0, repeats=2)
    pairs = [(s.train, s.test) for s in folds]
    again = make_splits(pairs, table(9), seed=1)
    assert [(s.repeat, s.fold) for s in again] == [(r, f) for r in (0, 1) for f in range(3)]
    assert (again.is_partition, again.kind) == (True, "folds")
    assert not make_splits(pairs[:-1], table(9), seed=1).is_partition
    assert not make_splits(pairs[1:-2], table(9), seed=1).is_partition


def test_pairs_whose_tests_overlap_are_no_partition(table):
    pairs = [([2, 3], [0, 1]), ([0, 3], [1, 2]), ([0, 1], [2, 3])]
    splits = make_splits(pairs, table(4), seed=0)
    assert (splits.is_partition, splits.kind) == (False, "pairs")


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        (([0, 1], [5]), "the test rows of split 1 name row 5, but there are only 5 rows"),
        (([-6], [1]), "the training rows of split 1 name row -6"),
        (([0, 1], [1, 2]), "row 1 is both a training and a test row of split 1"),
        (([0], [2, 2]), "row 2 is twice among the test rows of split 1"),
        (([], [1]), "the training rows of split 1 are empty"),
        (([0], np.array([1.0])), "the test rows of split 1 are not a list of row numbers"),
        (([0], [True, False]), "the test rows of split 1 are a mask of 2 for 5 rows"),
        (([0], [False] * 5), "the test rows of split 1 are empty"),
    ],
)
def test_pairs_that_are_not_splits_are_refused(table, pair, words):
    with pytest.raises(BadSplits, match=words):
        make_splits([([0], [1]), pair], table(5), seed=0)


def test_repeats_of_given_splits_are_refused(table):
    with pytest.raises(BadSplits, match="cannot repeat given fold labels 3 times"):
        make_splits([0, 1, 0, 1], table(4), seed=0, repeats=3)
    with pytest.raises(BadSplits, match="cannot repeat given index pairs 3 times"):
        make_splits([([0], [1])], table(4), seed=0, repeats=3)
    with pytest.raises(BadSplits, match="lists of index pairs, one per outer split, are for inner alone"):
        make_splits([[([0], [1])]], table(4), seed=0)
    with pytest.raises(BadSplits, match=r"index pairs must be a list of \(train rows, test rows\)"):
        Pairs([0, 1])


def test_given_splits_must_respect_groups_and_time(table):
    from sklearn.model_selection import KFold

    grouped = table(6, groups=[0, 0, 1, 1, 2, 2])
    with pytest.raises(BadSplits, match="group 'g1' has rows on both sides of fold 1"):
        make_splits([([0, 1], [2, 3]), ([0, 2], [3])], grouped, seed=0)
    with pytest.raises(BadSplits, match="group 'g0'"):
        make_splits([0, 1, 0, 1, 0, 1], grouped, seed=0)
    with pytest.raises(BadSplits, match="6 splits by KFold"):
        make_splits(KFold(6), grouped, seed=0)
    assert make_splits([4, 4, 2, 2, 2, 2], grouped, seed=0).kind == "grouped"
    timed = table(4, time=[0, 1, 1, 2])
    assert make_splits([([0, 1], [2, 3]), ([0, 1, 2], [3])], timed, seed=0).kind == "time"
    with pytest.raises(BadSplits, match="fold 1 trains on rows that are later in time"):
        make_splits([([0, 1], [2, 3]), ([0, 3], [1])], timed, seed=0)


def test_scikit_learn_splitters_give_their_own_splits(table):
    from sklearn.model_selection import GroupKFold, KFold, RepeatedStratifiedKFold, ShuffleSplit

    codes, groups = np.arange(24) % 2, np.arange(24) // 2
    data = table(24, y=codes, classes=["a", "b"])
    for splitter in (KFold(4, shuffle=True, random_state=1), RepeatedStratifiedKFold(n_splits=3, random_state=2)):
        mine = make_splits(splitter, data, seed=0)
        theirs = [(train.tolist(), test.tolist()) for train, test in splitter.split(data.X, data.y)]
        assert as_lists(mine) == theirs
        assert mine.is_partition
    assert mine.repeats == 10
    grouped = make_splits(GroupKFold(4), table(24, groups=groups), seed=0)
    theirs = GroupKFold(4).split(data.X, data.y, groups)
    assert as_lists(grouped) == [(train.tolist(), test.tolist()) for train, test in theirs]
    shuffled = make_splits(ShuffleSplit(3, random_state=0), data, seed=0)
    theirs = ShuffleSplit(3, random_state=0).split(data.X)
    assert as_lists(shuffled) == [(np.sort(train).tolist(), np.sort(test).tolist()) for train, test in theirs]
    assert shuffled.scheme == "3 splits by ShuffleSplit"


def test_a_splitter_without_a_seed_gets_the_studys_and_is_left_alone(table):
    from sklearn.model_selection import KFold

    splitter = KFold(4, shuffle=True)
    one, same, other = (make_splits(splitter, table(20), seed=seed) for seed in (0, 0, 1))
    assert one.fingerprint == same.fingerprint != other.fingerprint
    assert splitter.random_state is None
    twice = make_splits(splitter, table(20), seed=0, repeats=2)
    assert as_lists(twice)[:4] == as_lists(one)
    assert as_lists(twice)[4:] != as_lists(one)
    assert (twice.repeats, twice.folds) == (2, 4)
    with pytest.raises(BadSplits, match="cannot repeat the splitter KFold 2 times"):
        make_splits(KFold(4), table(20), seed=0, repeats=2)


def test_a_splitter_with_its_own_generator_is_not_used_up(table):
    from sklearn.model_selection import ShuffleSplit

    splitter = ShuffleSplit(2, random_state=np.random.RandomState(0))
    assert as_lists(make_splits(splitter, table(20), seed=0)) == as_lists(make_splits(splitter, table(20), seed=0))


def test_inner_scikit_learn_splitters_see_the_training_rows(table):
    from sklearn.model_selection import KFold

    data = table(12)
    outer = make_splits(3, data, seed=0)
    inner = inner_splits(KFold(2), outer, data, seed=0)
    for split, splits in zip(outer, inner.splits, strict=True):
        theirs = KFold(2).split(split.train)
        assert as_lists(splits) == [(split.train[a].tolist(), split.train[b].tolist()) for a, b in theirs]


def test_a_splitter_that_fails_is_named(table):
    from sklearn.model_selection import GroupKFold

    class Nothing:
        def split(self, X, y, groups):
            return []

    with pytest.raises(BadSplits, match=r"the splitter GroupKFold failed on 6 rows: .*groups"):
        make_splits(GroupKFold(2), table(6), seed=0)
    with pytest.raises(BadSplits, match="the splitter Nothing gave no splits of 6 rows"):
        make_splits(Nothing(), table(6), seed=0)


@pytest.mark.parametrize("given", ["splitter", "pairs"])
def test_splits_that_train_on_the_rows_before_their_tests_are_ordered_in_time(table, given):
    """Without a time column the tuning inside them must not look ahead either."""
    from sklearn.model_selection import TimeSeriesSplit

    data = table(40)
    spec = TimeSeriesSplit(4) if given == "splitter" else list(TimeSeriesSplit(4).split(np.zeros((40, 1))))
    outer = make_splits(spec, data, seed=0)
    assert (outer.kind, outer.is_partition) == ("time", False)
    inner = inner_splits(3, outer, data, seed=0)
    assert all(split.train.max() < split.test.min() for splits in (*inner.splits, inner.final) for split in splits)


def test_other_pairs_are_not_taken_for_an_order_in_time(table):
    one_backwards = [([0, 1], [2, 3]), ([2, 3], [0])]
    assert make_splits(one_backwards, table(6), seed=0).kind == "pairs"
    assert make_splits([([0, 1, 2], [3, 4, 5])], table(6), seed=0).kind == "holdout"
    grouped = table(6, groups=[0, 0, 1, 1, 2, 2])
    assert make_splits([([0, 1], [2, 3]), ([0, 1, 2, 3], [4, 5])], grouped, seed=0).kind == "pairs"
