"""Where two tables differ, by their sketches."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import foldwise as fw
from foldwise.data.dataset import make_dataset
from foldwise.data.sketch import differences, make_sketch
from foldwise.errors import BadStore

FRAME = pd.DataFrame(
    {
        "size": [1.0, 2.0, np.nan, 4.0, 5.0, 6.0],
        "shop": ["a", "b", "a", None, "c", "b"],
        "is_new": [True, False, True, True, False, False],
        "day": pd.date_range("2024-01-01", periods=6),
        "kind": pd.Categorical(["x", "y", "x", "x", "y", "y"]),
    }
)
Y = np.arange(6) + 0.5


def told(new, y=Y):
    return differences(make_sketch(make_dataset(FRAME, Y)), make_sketch(make_dataset(new, y)))


@pytest.mark.parametrize(
    ("column", "value"),
    [("size", 9.0), ("shop", "z"), ("is_new", False), ("day", pd.Timestamp("2030-01-01")), ("kind", "y")],
)
def test_a_changed_cell_is_named_by_its_column_and_row(column, value):
    new = FRAME.copy()
    new.loc[2, column] = value
    assert told(new) == f"the data differ in column {column!r}, row 2 (counted from 0)"


def test_other_changes_are_named_too():
    other = Y.copy()
    other[4] = 9
    assert told(FRAME, other) == "the data differ in column the target, row 4 (counted from 0)"
    assert told(FRAME[::-1], Y[::-1]) == "the data have the same rows in another order"
    assert told(FRAME[:5], Y[:5]) == "the data had 6 rows and have 5"
    assert told(FRAME.drop(columns="day")) == "the data have other columns: 'day' gone"
    assert told(FRAME.rename(columns={"day": "date"})) == "the data have other columns: 'day' gone, 'date' new"
    assert told(FRAME[FRAME.columns[::-1]]) == "the data have their columns in another order"
    assert told(FRAME) == ""


def test_of_many_changes_the_first_are_named():
    X = np.arange(80.0).reshape(10, 8)
    old, new = (make_sketch(make_dataset(table, np.arange(10.0))) for table in (X, X + 1))
    found = differences(old, new)
    assert "columns 'x0', 'x1', 'x2', 'x3', 'x4' and 3 more" in found
    assert "rows 0, 1, 2, 3, 4 and 5 more" in found


@given(place=st.integers(0, 59), value=st.floats(allow_nan=False))
def test_any_cell_of_numbers_is_found(place, value):
    X = np.random.default_rng(0).normal(size=(15, 4))
    new = X.copy()
    new.flat[place] = value
    row, column = divmod(place, 4)
    if not np.isfinite(value):
        return
    found = differences(*(make_sketch(make_dataset(table, np.arange(15.0))) for table in (X, new)))
    assert found == f"the data differ in column 'x{column}', row {row} (counted from 0)"


def test_a_store_names_the_cell_that_has_changed(tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 3))
    words = {"outer": 3, "jobs": 1, "store": tmp_path / "run"}
    fw.compare(["linear"], X, X.sum(axis=1), **words)
    again = fw.compare(["linear"], X, X.sum(axis=1), **words)
    assert again.fits_made == 0
    new = X.copy()
    new[7, 1] += 1e-9
    with pytest.raises(BadStore, match="column 'x1', row 7"):
        fw.compare(["linear"], new, X.sum(axis=1), **words)
