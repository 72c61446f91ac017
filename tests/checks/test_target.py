"""Columns that are the target or give it away, in whatever form they come."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from cases import check_cases, codes_in
from looking import quick, told
from rows_cases import codes, table

import foldwise as fw

X, Y = table(120)
WAVE = np.sin(np.arange(120))
CLASSES = np.array(["a", "b", "c"])[np.digitize(Y, np.quantile(Y, [0.3, 0.6]))]


@pytest.mark.parametrize("code", codes_in("target"))
def test_a_check_fires_where_it_should_and_is_silent_elsewhere(code):
    check_cases(code)


def frame_and_target(rows=120):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(rows, 3)), columns=list("abc"))
    return frame, frame["a"] + rng.normal(size=rows)


def leaks(frame, y):
    found = fw.check(frame.assign(y=y), "y", learners=["ridge" if y.dtype.kind == "f" else "logistic"])
    return {(one.code, one.columns[0]) for one in found if one.code.startswith("FW2")}


FORMS = {
    "words": lambda y: pd.Series(np.where(y > 0, "yes", "no")),
    "categories": lambda y: pd.Series(pd.Categorical(np.where(y > 0, "yes", "no"))),
    "numbers from 1": lambda y: pd.Series(np.where(y > 0, 2, 1)),
    "four words": lambda y: pd.cut(y, 4, labels=list("pqrs")).astype(str),
}


@pytest.mark.parametrize("kind", FORMS)
def test_the_classes_themselves_are_the_target(kind):
    frame, y = frame_and_target()
    target = FORMS[kind](y)
    assert leaks(frame.assign(leak=target), target) == {("FW201", "leak")}


def test_the_classes_under_other_words_are_not_refused():
    frame, y = frame_and_target()
    target = FORMS["words"](y)
    assert leaks(frame.assign(leak=target.map({"yes": "ja", "no": "nein"})), target) == {("FW202", "leak")}


def test_a_copy_with_missing_values_is_judged_by_the_values_it_has():
    frame, y = frame_and_target()
    leak = y.where(np.arange(len(y)) % 10 > 0)
    assert leaks(frame.assign(leak=leak), y) == {("FW202", "leak")}
    assert leaks(frame.assign(other=frame["b"].where(np.arange(len(y)) % 10 > 0)), y) == set()


@pytest.mark.parametrize("is_class", [False, True])
def test_a_column_is_not_blamed_for_what_copies_of_rows_tell(is_class):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(50, 3)), columns=["a", "b", "y"])
    if is_class:
        table["y"] = np.where(table.y > 0, "up", "down")

    codes = fw.check(pd.concat([table] * 5, ignore_index=True), "y").codes
    assert "FW101" in codes
    assert "FW202" not in codes
    table["leak"] = table.y.map({"up": "x", "down": "z"}) if is_class else 2 * table.y + 1
    assert "FW202" in fw.check(pd.concat([table] * 5, ignore_index=True), "y").codes


MADE_OF_THE_TARGET = {
    "its square and its sign": {"v": Y**2, "w": np.where(Y > 0, "up", "down")},
    "a sum of two": {"v": Y + WAVE, "w": WAVE},
    "a sum of three": {"v": Y + WAVE, "w": WAVE - X[:, 0], "x0": X[:, 0]},
    "four bands": {"v": pd.qcut(Y, 4, labels=list("dcba")).astype(str)},
    "text with a unit": {"v": [f"{value:.3f} EUR" for value in Y]},
}


@pytest.mark.parametrize("name", MADE_OF_THE_TARGET)
def test_what_is_made_of_the_target_is_told(name):
    assert "FW202" in told(**MADE_OF_THE_TARGET[name])


NOT_MADE_OF_IT = {
    "another square and its sign": {"v": WAVE**2, "w": np.where(WAVE > 0, "up", "down")},
    "a sum with something else": {"v": Y + 3 * WAVE, "w": np.cos(np.arange(120))},
    "bands of another column": {"v": pd.qcut(X[:, 3], 4, labels=list("dcba")).astype(str)},
    "text with a unit": {"v": [f"{value:.3f} EUR" for value in WAVE]},
}


@pytest.mark.parametrize("name", NOT_MADE_OF_IT)
def test_what_is_made_of_something_else_is_let_be(name):
    assert "FW202" not in told(**NOT_MADE_OF_IT[name])


def test_a_straight_line_of_the_target_is_told_in_24_rows():
    found = quick(["linear"], np.column_stack([X[:24], 2 * Y[:24] + 1]), Y[:24], outer=4)

    assert found.codes == ["FW202"]


def test_one_column_for_each_class_but_the_last_is_told():
    table_of = np.column_stack([X, CLASSES == "a", CLASSES == "b"])
    shuffled = np.column_stack([X, np.roll(CLASSES, 1) == "a", np.roll(CLASSES, 1) == "b"])

    assert "FW202" in codes(table_of, CLASSES)
    assert "FW202" not in codes(shuffled, CLASSES)


@pytest.mark.parametrize("size", [2e-6, 1e-7])
def test_a_sum_is_found_where_two_columns_differ_by_hardly_anything(size):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 6))
    noise = rng.normal(size=400)
    columns = np.column_stack([X, X[:, 0] + size * noise])

    found = quick(["linear"], columns, noise + X[:, 3] + 0.5 * X[:, 4], outer=5)

    assert "FW202" in [one.code for one in found]
