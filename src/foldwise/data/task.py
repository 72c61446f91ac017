"""Which question the target asks: regression, binary or multiclass.

The rule: text, booleans, categories and any two whole numbers are classes, and so are the codes 0, 1, 2, ... up to
at most 9, each in two rows or more; all other numbers are amounts, for regression.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from foldwise.data.columns import Column
from foldwise.errors import BadData, nearest

TASKS = ("regression", "classification", "binary", "multiclass")
LARGEST_CODE = 9  # of classes that are numbered 0, 1, 2, ...
MOST_DOUBTED = 50  # distinct whole numbers beyond which nobody takes them for classes
ROWS_PER_CLASS = 5  # with fewer on average, many distinct numbers are no classes unless the user says so
MOST_WORDS = 0.1  # of the distinct values of a target of numbers: "n/a", "unknown"
THOUSANDS = re.compile(r"[-+]?\d{1,3}(,\d{3})+(\.\d*)?")
# Beyond this, floats are whole numbers only for want of digits.
LARGEST_LABEL = 2.0**53


class TaskHint(str):
    """The task that learners or a loss ask for, with who asks.

    >>> TaskHint("regression", "the learner 'lasso'").asked_by
    "the learner 'lasso'"
    """

    asked_by: str

    def __new__(cls, task: str, asked_by: str) -> TaskHint:
        hint = super().__new__(cls, task)
        hint.asked_by = asked_by
        return hint


def find_task(
    target: Column, *, task: str | None = None, hint: str | None = None, is_category: bool = False
) -> tuple[str, str]:
    """The task, and the word that changes it where whole numbers could be read either way.

    `task` is the user's word, `hint` that of learners or a loss that can do one task only. Without either the rule
    above decides, the same for whole numbers stored as integers and as floats.

    >>> find_task(Column("number", np.array([0.5, 1.5, 2.0])))
    ('regression', '')
    >>> print(find_task(Column("number", np.array([0.0, 1.0, 2.0, 2.0, 1.0, 0.0])))[1])
    the target holds the codes 0 to 2; if they are amounts, say task="regression" (--task regression)
    """
    if task is not None and task not in TASKS:
        raise BadData(f"unknown task {task!r}", nearest(task, TASKS))
    wanted = task or hint
    who = getattr(hint, "asked_by", "") if task is None else ""
    if wanted == "regression":
        return _regression(target, who), ""
    if wanted is None and target.kind == "number" and not is_category:
        return _from_numbers(target)
    return _classification(target, task, who), ""


def distinct(target: Column) -> int:
    """How many values the target takes."""
    return len(np.unique(target.values))


def is_whole(target: Column) -> bool:
    """Whether all numbers of the target could be class labels."""
    values: Any = target.values
    return bool(np.all(values == np.floor(values)) and np.all(np.abs(values) < LARGEST_LABEL))


def _from_numbers(target: Column) -> tuple[str, str]:
    if not is_whole(target):
        return _regression(target), ""
    values, counts = np.unique(target.values, return_counts=True)
    if len(values) == 1:
        raise _constant(target)
    ends = f"{values[0]:.0f} {'and' if len(values) == 2 else 'to'} {values[-1]:.0f}"
    is_coded = values[0] == 0 and values[-1] == len(values) - 1 <= LARGEST_CODE and counts.min() > 1
    if len(values) == 2 or is_coded:
        what = f"the {'two numbers' if len(values) == 2 else 'codes'} {ends}"
        remedy = 'if they are amounts, say task="regression" (--task regression)'
        return _classification(target, None), f"the target holds {what}; {remedy}"
    if len(values) > MOST_DOUBTED:
        return "regression", ""
    remedy = 'if they are classes, say task="classification" (--task classification)'
    return "regression", f"the target holds {len(values)} distinct whole numbers, {ends}; {remedy}"


def _regression(target: Column, who: str = "") -> str:
    if target.labels:
        _refuse_written_numbers(target)
        problem = f"the target holds text ({target.texts[0]!r} in row 0)"
        problem = f"{who} is for regression, but {problem}" if who else f"{problem}, which regression cannot use"
        raise BadData(problem, "Give numbers, or learners and a loss for classes")
    if distinct(target) == 1:
        raise _constant(target)
    return "regression"


def _refuse_written_numbers(target: Column) -> None:
    """Refuse a text target that is numbers but for a few words, as files with decimal commas or "n/a" have."""
    words = {label for label in target.labels if not is_written_number(label)}
    if not words:
        problem = f"the target holds numbers written as text ({target.texts[0]!r} in row 0)"
        raise BadData(
            problem,
            "Make them numbers, with a point before the decimals (pandas.read_csv has decimal=','), or say "
            "task='classification'",
        )
    if len(words) <= MOST_WORDS * len(target.labels):
        rows = [row for row, text in enumerate(target.texts) if text in words]
        first = f"{target.texts[rows[0]]!r} in row {rows[0]} is no number"
        raise BadData(
            f"the target is numbers but for {len(rows)} row{'s' * (len(rows) > 1)}: {first}",
            "Leave such cells empty and say drop_missing_target=True (--drop-missing-target), "
            "or say task='classification'",
        )


def is_written_number(text: str) -> bool:
    """Would it be a number with a point before the decimals?

    >>> [is_written_number(text) for text in ("2.5", "-2,5", "1e3", "12,345.60", "2,5,1", "two")]
    [True, True, True, True, False, False]
    """
    if THOUSANDS.fullmatch(text.strip()):
        return True
    try:
        float(text.replace(",", ".", 1))
    except ValueError:
        return False
    return True


def _constant(target: Column) -> BadData:
    value = float(target.values[0])
    return BadData(f"the target is constant: all {len(target.values)} rows are {value:g}", "Give a target that varies")


def _classification(target: Column, task: str | None, who: str = "") -> str:
    is_for = f"{who} is for classification" if who else "the learners or the loss are for classes"
    if target.kind == "number" and not is_whole(target):
        row = int(np.argmax(target.values != np.floor(target.values)))
        value = f"({target.values[row]:g} in row {row})"
        problem = f"the target is continuous: it has numbers that are not whole {value}, so they are not class labels"
        raise BadData(
            f"{is_for}, but {problem}" if who else problem,
            "Use learners and a loss for regression if they are amounts, or whole numbers or text as labels",
        )
    classes, rows = distinct(target), len(target.values)
    if classes == 1:
        label = target.texts[0] if target.labels else target.values[0].item()
        raise BadData(f"the target has one class: all {rows} rows are {label!r}", "Give rows of at least two classes")
    is_many = classes > max(LARGEST_CODE + 1, rows / ROWS_PER_CLASS)
    if task is None and target.labels and is_many:
        _refuse_written_numbers(target)
    if task is None and target.kind == "number" and is_many:
        raise BadData(
            f"{is_for}, but the target has {classes} distinct numbers in {rows} rows",
            "Use learners and a loss for regression, or say task='classification'",
        )
    if task == "binary" and classes != 2:
        raise BadData(f"the task is binary, but the target has {classes} classes", "Use task='multiclass'")
    return "binary" if classes == 2 else "multiclass"
