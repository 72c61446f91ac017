"""Copies of the target among the features, in whatever form they come."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import foldwise as fw


def table(rows=120):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(rows, 3)), columns=list("abc"))
    return frame, frame["a"] + rng.normal(size=rows)


def codes(frame, y):
    found = fw.check(frame.assign(y=y), "y", learners=["ridge" if y.dtype.kind == "f" else "logistic"])
    return {(one.code, one.columns[0]) for one in found if one.code.startswith("FW2")}


CLASSES = {
    "words": lambda y: pd.Series(np.where(y > 0, "yes", "no")),
    "categories": lambda y: pd.Series(pd.Categorical(np.where(y > 0, "yes", "no"))),
    "numbers from 1": lambda y: pd.Series(np.where(y > 0, 2, 1)),
    "four words": lambda y: pd.cut(y, 4, labels=list("pqrs")).astype(str),
}


@pytest.mark.parametrize("kind", CLASSES)
def test_the_classes_themselves_are_the_target(kind):
    frame, y = table()
    target = CLASSES[kind](y)
    assert codes(frame.assign(leak=target), target) == {("FW201", "leak")}


def test_the_classes_under_other_words_are_not_refused():
    frame, y = table()
    target = CLASSES["words"](y)
    assert codes(frame.assign(leak=target.map({"yes": "ja", "no": "nein"})), target) == {("FW202", "leak")}


def test_a_copy_with_missing_values_is_judged_by_the_values_it_has():
    frame, y = table()
    leak = y.where(np.arange(len(y)) % 10 > 0)
    assert codes(frame.assign(leak=leak), y) == {("FW202", "leak")}
    assert codes(frame.assign(other=frame["b"].where(np.arange(len(y)) % 10 > 0)), y) == set()
