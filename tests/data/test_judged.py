"""Rows to judge a fitted model on; holds data/dataset.py."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from foldwise.data.dataset import make_judged
from foldwise.errors import BadData

X = np.array([[1.0], [2.0]])


def test_rows_of_one_class_have_all_classes_of_the_model():
    data = make_judged(X, ["no", "no"], classes=np.array(["maybe", "no", "yes"]))
    assert (data.task, data.classes, data.y.tolist()) == ("multiclass", ("maybe", "no", "yes"), ["no", "no"])


def test_labels_take_the_type_that_the_model_knows():
    data = make_judged(X, [0.0, 1.0], classes=np.array([0, 1]))
    assert data.y.dtype.kind == "i"
    assert data.task == "binary"


def test_the_target_may_be_a_column_of_the_table():
    data = make_judged(pd.DataFrame({"a": [1.0, 2.0], "y": [5.0, 5.0]}), "y")
    assert (data.task, data.names, data.y.tolist()) == ("regression", ("a",), [5.0, 5.0])


@pytest.mark.parametrize(
    ("y", "classes", "words"),
    [
        (["no", "yess"], ["no", "yes"], "the target has the class 'yess', which the model does not know"),
        (["no", "no"], [], "the target is text, but the model predicts numbers"),
        ([1.0], [], "the target has 1 rows, but X has 2"),
        ([1.0, np.nan], [], "the target"),
    ],
)
def test_a_target_the_model_was_not_trained_for_is_refused(y, classes, words):
    with pytest.raises(BadData, match=words):
        make_judged(X, y, classes=classes)
