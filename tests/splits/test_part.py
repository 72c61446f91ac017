"""Rows to be split: their copies, their random numbers, and what a split of them must respect."""

from __future__ import annotations

import numpy as np
import pytest

from foldwise.errors import BadSplits
from foldwise.splits.part import check_classes, check_respects, make_part, refuse_groups_with_time, with_copies
from foldwise.splits.split import Split, Splits


def one_split(train, test):
    return Splits((Split(np.array(train), np.array(test), 0, 0),), kind="given", scheme="by hand", is_partition=False)


def test_a_row_given_twice_is_there_once_with_two_copies(table):
    part = make_part(table(6), seed=0, rows=[4, 1, 4])
    assert part.rows.tolist() == [1, 4]
    assert part.copies.tolist() == [1, 2]
    (split,) = with_copies(one_split([4], [1]), part)
    assert (split.train.tolist(), split.test.tolist()) == ([4, 4], [1])


def test_random_numbers_depend_on_seed_purpose_and_rows_alone(table):
    def draw(purpose="folds", seed=0, rows=None):
        return make_part(table(6), seed=seed, rows=rows).random(purpose).random()

    assert draw() == draw(rows=range(6)) == draw(rows=[5, 4, 3, 2, 1, 0])
    assert len({draw(), draw("order"), draw(seed=1), draw(rows=[0, 1, 2]), draw(rows=[0, 0, 1, 2, 3, 4])}) == 5


def test_a_group_on_both_sides_is_refused_by_its_name(table):
    part = make_part(table(4, groups=[0, 0, 1, 1]), seed=0)
    check_respects(one_split([0, 1], [2, 3]), part)
    with pytest.raises(BadSplits, match=r"group 'g1' has rows on both sides of fold 0 \(by hand\)"):
        check_respects(one_split([0, 1, 2], [3]), part)


def test_training_rows_may_not_be_later_than_test_rows(table):
    part = make_part(table(4, time=[3, 2, 1, 0]), seed=0)
    check_respects(one_split([3, 2], [1, 0]), part)
    with pytest.raises(BadSplits, match="fold 0 trains on rows that are later in time than its test rows"):
        check_respects(one_split([1], [0, 2]), part)


def test_the_order_of_the_rows_is_time_only_where_none_is_given(table):
    assert make_part(table(3), seed=0).time is None
    assert make_part(table(3), seed=0, ordered=True).time.tolist() == [0, 1, 2]
    assert make_part(table(3, time=[5, 4, 3]), seed=0, ordered=True).time.tolist() == [5, 4, 3]


def test_groups_and_time_together_are_refused(table):
    with pytest.raises(BadSplits, match="keep whole groups together and are ordered in time as well"):
        refuse_groups_with_time(make_part(table(2, groups=[0, 1], time=[0, 1]), seed=0))


def test_a_class_smaller_than_the_folds_is_named(table):
    part = make_part(table(5, y=[0, 0, 0, 1, 1], classes=("no", "yes")), seed=0)
    check_classes(part, 2)
    with pytest.raises(BadSplits, match=r"class 'yes' has 2 rows. Use at most 2 folds"):
        check_classes(part, 3)
