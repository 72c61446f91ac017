"""New rows as a model knew its table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from foldwise.data.conform import conform
from foldwise.errors import BadData


def about(kinds, container="frame"):
    return {"names": list(kinds), "kinds": list(kinds.values()), "container": container}


def test_columns_come_in_the_order_of_the_model_and_others_are_left_out():
    found = conform({"more": [1], "b": [2.0], "a": [3.0]}, about({"a": "number", "b": "number"}, "array"))
    assert found.tolist() == [[3.0, 2.0]]


def test_a_sparse_model_is_given_a_sparse_matrix():
    found = conform({"a": [0.0, 2.0]}, about({"a": "number"}, "sparse"))
    assert sparse.issparse(found)
    assert found.toarray().tolist() == [[0.0], [2.0]]


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([3.0, 4.5, np.nan], "text", ["3", "4.5", None]),
        (pd.to_datetime(["2024-01-02", None]), "text", ["2024-01-02", None]),
        ([True, False], "number", [1.0, 0.0]),
        ([1, 0], "boolean", [True, False]),
        ([None, None], "date", [None, None]),
    ],
)
def test_a_column_of_another_type_is_read_as_the_model_knew_it(values, kind, expected):
    found = conform(pd.DataFrame({"a": values}), about({"a": kind}))["a"]
    assert [None if pd.isna(value) else value for value in found] == expected


@pytest.mark.parametrize(
    ("table", "kinds", "words"),
    [
        ({"agee": [1]}, {"age": "number"}, "the table lacks 'age', which the model needs. Did you mean 'agee'"),
        ({"x": [1], "w": [2]}, {"age": "number"}, "which the model needs. It has: w, x"),
        ({"a": []}, {"a": "number"}, "the table has no rows to predict"),
        ({"a": ["x"]}, {"a": "number"}, "column 'a' holds text values, but the model was trained on number values"),
        ({"a": [0, 2]}, {"a": "boolean"}, "column 'a' holds numbers other than 0 and 1"),
    ],
)
def test_what_the_model_cannot_use_is_refused_by_the_name_of_its_column(table, kinds, words):
    with pytest.raises(BadData, match=words):
        conform(pd.DataFrame(table), about(kinds))
