from __future__ import annotations

import numpy as np
import pytest

from foldwise.data.columns import canonical
from foldwise.data.task import find_task
from foldwise.errors import BadData


def task_of(values, **options):
    return find_task(canonical("y", np.asarray(values)), **options)


@pytest.mark.parametrize(
    ("values", "task", "reason"),
    [
        ([0.5, 1.0, 2.0], "regression", ""),
        ([True, False], "binary", ""),
        (["a", "b"], "binary", ""),
        (["a", "b", "c"], "multiclass", ""),
        ([0, 1] * 3, "binary", 'the two numbers 0 and 1; if they are amounts, say task="regression"'),
        ([3, 7], "binary", "the two numbers 3 and 7"),
        ([0, 1, 2] * 2, "multiclass", 'the codes 0 to 2; if they are amounts, say task="regression"'),
        (list(range(10)) * 2, "multiclass", "the codes 0 to 9"),
        (list(range(11)) * 20, "regression", 'whole numbers, 0 to 10; if they are classes, say task="classification"'),
        ([0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4], "regression", "6 distinct whole numbers"),
        ([0, 1, 3] * 50, "regression", "3 distinct whole numbers, 0 to 3"),
        ([1, 2, 3, 4, 5] * 50, "regression", "5 distinct whole numbers, 1 to 5"),
        (list(range(1, 21)) * 50, "regression", "20 distinct whole numbers, 1 to 20"),
        ([1e300, 2e300], "regression", ""),
    ],
)
def test_the_task_is_read_from_the_target(values, task, reason):
    found, words = task_of(values)
    assert found == task
    assert reason in words if reason else not words


@pytest.mark.parametrize("values", [[0, 1] * 9, [0, 1, 2] * 9, [1, 2, 3, 4, 5] * 9, list(range(25)) * 9])
def test_whole_numbers_are_read_the_same_stored_as_integers_and_as_floats(values):
    assert task_of(np.array(values, np.int64)) == task_of(np.array(values, np.float64))


def test_numbers_that_are_a_category_are_classes():
    assert find_task(canonical("y", np.array([1, 2, 5])), is_category=True) == ("multiclass", "")


def test_the_users_word_goes_before_the_hint_and_the_hint_before_the_target():
    assert task_of([0, 1, 0], task="regression", hint="classification") == ("regression", "")
    assert task_of([0, 1, 0], hint="regression") == ("regression", "")
    assert task_of([1, 2, 5] * 3, hint="classification")[0] == "multiclass"
    assert task_of(range(30), task="classification", hint="regression")[0] == "multiclass"
    assert task_of([True, False], task="regression")[0] == "regression"
    assert task_of([1, 2], task="multiclass")[0] == "binary"


def test_learners_for_classes_do_not_make_classes_of_amounts():
    """Four hundred rows with two hundred values: not "class 25 has 1 row"."""
    with pytest.raises(BadData, match="are for classes, but the target has 200 distinct numbers in 400 rows"):
        task_of(list(range(200)) * 2, hint="classification")


@pytest.mark.parametrize(
    ("values", "options", "words"),
    [
        ([5, 5, 5], {}, "the target is constant: all 3 rows are 5"),
        ([0.5, 0.5], {}, "the target is constant: all 2 rows are 0.5"),
        ([1, 1], {"task": "regression"}, "the target is constant"),
        (["a", "a"], {}, "one class: all 2 rows are 'a'"),
        ([3, 3], {"hint": "classification"}, "one class: all 2 rows are 3"),
        (["a", "b"], {"task": "regression"}, r"holds text \('a' in row 0\)"),
        (["2,5", "3,5"], {"task": "regression"}, r"numbers written as text \('2,5' in row 0\). Make them numbers"),
        ([f"{at}.5" for at in range(20)], {}, r"numbers written as text \('0.5' in row 0\)"),
        ([*map(str, range(20)), "n/a", "n/a"], {}, "numbers but for 2 rows: 'n/a' in row 20 is no number. Leave such"),
        (["?", *map(str, range(20))], {"task": "regression"}, "numbers but for 1 row: '\\?' in row 0 is no number"),
        ([1, 0.5], {"hint": "classification"}, r"not whole \(0.5 in row 1\)"),
        ([0, 1, 2], {"task": "binary"}, "the task is binary, but the target has 3 classes"),
        ([0, 1], {"task": "regresion"}, "unknown task 'regresion'. Did you mean 'regression'?"),
    ],
)
def test_targets_that_do_not_fit_the_task_are_refused(values, options, words):
    with pytest.raises(BadData, match=words):
        task_of(values, **options)
