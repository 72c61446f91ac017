"""Which question the target asks: regression, binary or multiclass."""

from __future__ import annotations

from typing import Any

import numpy as np

from foldwise.data.columns import Column
from foldwise.errors import BadData, nearest

TASKS = ("regression", "classification", "binary", "multiclass")
MOST_CLASSES = 20
ROWS_PER_CLASS = 5
# Beyond this, floats are whole numbers only for want of digits.
LARGEST_LABEL = 2.0**53


def find_task(
    target: Column, *, task: str | None = None, hint: str | None = None, is_category: bool = False
) -> tuple[str, str]:
    """The task and a sentence that says why; `task` is the user's word, `hint` the learners' or the loss's.

    >>> find_task(Column("number", np.array([0.5, 1.5, 2.0])))
    ('regression', 'the target has numbers that are not whole: regression')
    """
    if task is not None and task not in TASKS:
        raise BadData(f"unknown task {task!r}", nearest(task, TASKS))
    asked = task or hint
    if asked == "regression":
        return _regression(target, "the task was given" if task else "the learners or the loss ask for it")
    if asked is None and target.kind in ("number", "boolean") and not is_category:
        return _from_numbers(target)
    return _classification(target, task)


def distinct(target: Column) -> int:
    """How many values the target takes."""
    return len(np.unique(target.values))


def is_whole(target: Column) -> bool:
    """Whether all numbers of the target could be class labels."""
    values: Any = target.values
    return bool(np.all(values == np.floor(values)) and np.all(np.abs(values) < LARGEST_LABEL))


def _from_numbers(target: Column) -> tuple[str, str]:
    if target.kind == "boolean":
        return _classification(target, None)
    if not is_whole(target):
        return _regression(target, "the target has numbers that are not whole")
    found, rows = distinct(target), len(target.values)
    if found == 1:
        raise _constant(target)
    if found == 2 or found <= min(MOST_CLASSES, rows / ROWS_PER_CLASS):
        return _classification(target, None)
    return "regression", f"the target has {found} distinct whole numbers in {rows} rows: regression"


def _regression(target: Column, reason: str) -> tuple[str, str]:
    if target.labels:
        found = f"the target holds text ({target.texts[0]!r} in row 0), which regression cannot use"
        raise BadData(found, "Give numbers, or use task='classification'")
    if distinct(target) == 1:
        raise _constant(target)
    return "regression", f"{reason}: regression"


def _constant(target: Column) -> BadData:
    value = float(target.values[0])
    return BadData(f"the target is constant: all {len(target.values)} rows are {value:g}", "Give a target that varies")


def _classification(target: Column, task: str | None) -> tuple[str, str]:
    if target.kind == "number" and not is_whole(target):
        row = int(np.argmax(target.values != np.floor(target.values)))
        value = f"({target.values[row]:g} in row {row})"
        raise BadData(
            f"the target has numbers that are not whole {value}, so they are not class labels",
            "Use whole numbers or text as labels, or task='regression' if it is continuous",
        )
    found = distinct(target)
    if found == 1:
        label = target.texts[0] if target.labels else target.values[0].item()
        problem = f"the target has one class: all {len(target.values)} rows are {label!r}"
        raise BadData(problem, "Give rows of at least two classes")
    if task == "binary" and found != 2:
        raise BadData(f"the task is binary, but the target has {found} classes", "Use task='multiclass'")
    name = "binary" if found == 2 else "multiclass"
    return name, f"the target has {found} distinct values: {name}"
