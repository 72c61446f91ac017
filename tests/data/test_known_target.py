"""Rows without a target are left out; holds data/dataset.py."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from foldwise.data.dataset import known_rows, make_dataset, rows_of

TABLE = pd.DataFrame(
    {"a": [1.0, 2.0, 3.0, 4.0, 5.0], "b": ["u", "v", "u", "w", "v"], "y": [1.5, np.nan, 2.5, 3.5, None]}
)
KEPT = [0, 2, 3]


@pytest.mark.parametrize(
    "container",
    [TABLE, pl.from_pandas(TABLE), pa.Table.from_pandas(TABLE), TABLE.to_dict("list")],
    ids=["pandas", "polars", "Arrow", "columns"],
)
def test_dropped_rows_leave_the_data_that_never_had_them(container):
    found = make_dataset(container, "y", groups="b", drop_missing_target=True)
    never = make_dataset(TABLE.iloc[KEPT], "y", groups="b")

    assert found.fingerprint == never.fingerprint
    assert (found.rows, found.group_names) == (3, ("u", "w"))
    assert found.notes[-1] == (
        "missing_target",
        "2 of 5 rows have no target and are left out; row numbers count the others",
    )


@pytest.mark.parametrize(
    "make", [np.array, lambda rows: np.array(rows).tolist(), sparse.csr_matrix, sparse.coo_matrix],
    ids=["array", "list", "CSR", "COO"],
)  # fmt: skip
def test_arrays_of_every_role_lose_the_same_rows(make):
    X, y = make([[1.0], [2.0], [3.0], [4.0], [5.0]]), [1.0, None, 2.5, 4.0, None]
    found = make_dataset(X, y, weights=np.arange(1.0, 6), groups=[1, 2, 1, 3, 2], drop_missing_target=True)

    dense = found.X.toarray() if hasattr(found.X, "toarray") else found.X
    assert dense[:, 0].tolist() == [1.0, 3.0, 4.0]
    assert (found.weights.tolist(), found.groups.tolist(), found.y.tolist()) == ([1, 3, 4], [0, 0, 1], [1.0, 2.5, 4.0])


def test_a_target_that_is_known_everywhere_is_left_alone():
    known = make_dataset(TABLE[["a", "b"]], ["p", "q", "p", "q", "p"], drop_missing_target=True)
    assert (known.rows, known.notes) == (5, ())
    assert known_rows(TABLE, TABLE["a"]) is None
    assert known_rows(TABLE, "y").tolist() == KEPT


def test_classes_that_were_text_in_dropped_rows_only_are_gone():
    found = make_dataset(TABLE[["a"]], ["p", None, "q", "p", None], positive="p", drop_missing_target=True)
    assert (found.classes, found.rows) == (("q", "p"), 3)


def test_an_arrow_column_loses_rows():
    assert rows_of(pa.chunked_array([[1, 2], [3]]), np.array([0, 2])).to_pylist() == [1, 3]
