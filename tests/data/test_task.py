from __future__ import annotations

import numpy as np
import pytest

from foldwise.data.columns import canonical
from foldwise.data.task import find_task
from foldwise.errors import BadData


def task_of(values, **options):
    return find_task(canonical("y", np.asarray(values)), **options)


@pytest.mark.parametrize(
    ("values", "task"),
    [
        ([0.5, 1.0, 2.0], "regression"),
        ([0, 1] * 3, "binary"),
        ([3.0, 7.0], "binary"),
        ([True, False], "binary"),
        (["a", "b"], "binary"),
        (["a", "b", "c"], "multiclass"),
        ([0, 1, 2] * 5, "multiclass"),
        ([0, 1, 2] * 4, "regression"),
        (list(range(20)) * 5, "multiclass"),
        (list(range(21)) * 5, "regression"),
        ([1e300, 2e300], "regression"),
    ],
)
def test_the_task_is_read_from_the_target(values, task):
    found, reason = task_of(values)
    assert found == task
    assert reason.startswith("the target has")
    assert reason.endswith(task)


def test_the_users_word_goes_before_the_hint_and_the_hint_before_the_target():
    assert task_of([0, 1, 0], task="regression", hint="classification") == (
        "regression",
        "the task was given: regression",
    )
    assert task_of([0, 1, 0], hint="regression")[0] == "regression"
    assert task_of(range(30), hint="classification")[0] == "multiclass"
    assert task_of(range(30), task="classification", hint="regression")[0] == "multiclass"
    assert task_of([True, False], task="regression")[0] == "regression"
    assert task_of([1, 2], task="multiclass")[0] == "binary"


@pytest.mark.parametrize(
    ("values", "options", "words"),
    [
        ([5, 5, 5], {}, "the target is constant: all 3 rows are 5"),
        ([0.5, 0.5], {}, "the target is constant: all 2 rows are 0.5"),
        ([1, 1], {"task": "regression"}, "the target is constant"),
        (["a", "a"], {}, "one class: all 2 rows are 'a'"),
        ([3, 3], {"hint": "classification"}, "one class: all 2 rows are 3"),
        (["a", "b"], {"task": "regression"}, r"holds text \('a' in row 0\)"),
        ([1, 0.5], {"hint": "classification"}, r"not whole \(0.5 in row 1\)"),
        ([0, 1, 2], {"task": "binary"}, "the task is binary, but the target has 3 classes"),
        ([0, 1], {"task": "regresion"}, "unknown task 'regresion'. Did you mean 'regression'?"),
    ],
)
def test_targets_that_do_not_fit_the_task_are_refused(values, options, words):
    with pytest.raises(BadData, match=words):
        task_of(values, **options)
