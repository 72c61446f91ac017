"""Columns as numbers and codes, and what a saved model remembers of them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from foldwise.data.dataset import make_dataset
from foldwise.data.features import features, read_summary, summary_of


def test_every_kind_of_column_is_summed_up_in_plain_values():
    frame = pd.DataFrame(
        {
            "number": np.arange(40.0),
            "label": pd.Categorical(["x", "y", None, "x"] * 10),
            "date": pd.to_datetime(["2024-01-01", None, "2024-02-01", "2024-03-01"] * 10),
            "truth": [True, False] * 20,
            "text": [f"words of row {at}" for at in range(40)],
        }
    )
    found = summary_of(make_dataset(frame, np.arange(40.0)))

    assert json.loads(json.dumps(found)) == found
    number, label, date, truth, text = found
    assert number == {"missing": 0.0, "low": 0.0, "high": 39.0}
    assert label == {"missing": 0.25, "labels": ["x", "y"]}
    assert date["high"] == pd.Timestamp("2024-03-01").timestamp() * 1e6
    assert (truth["low"], truth["high"]) == (0.0, 1.0)
    assert text == {"missing": 0.0}
    assert read_summary(found, 5) == found


def test_sparse_tables_and_very_wide_ones_have_none():
    assert summary_of(make_dataset(sparse.csr_matrix(np.eye(3)), [0.5, 1.5, 3])) is None
    assert summary_of(make_dataset(np.zeros((2, 2001)), [0.5, 1.5])) is None
    assert summary_of(make_dataset(["a fine wine", "a dull one"], [0.5, 1.5])) is None


@pytest.mark.parametrize(
    "found",
    [None, "text", [], [{}], [{"missing": True}], [{"missing": 0, "low": 1}], [{"missing": 0, "low": 1, "high": "x"}],
     [{"missing": 0, "labels": {"a": 1}}], [{"missing": 0, "labels": [1]}], [{"missing": 0, "more": 1}],
     [{"missing": float("nan")}]],
)  # fmt: skip
def test_what_is_no_summary_of_ours_is_left_alone(found):
    assert read_summary(found, 1) is None


def test_features_are_numbers_or_codes_with_their_missing_values():
    table = pd.DataFrame(
        {
            "n": [1.0, np.nan, 1.0],
            "t": ["b", None, "a"],
            "d": pd.to_datetime(["2024-01-01", None, "2024-01-03"]),
            "f": [True, False, True],
        }
    )
    columns = {one.name: one for one in features(make_dataset(table, [1.0, 2.0, 4.0]))}

    assert {name: one.distinct for name, one in columns.items()} == {"n": 1, "t": 2, "d": 2, "f": 2}
    for name in ("n", "t", "d"):
        assert columns[name].missing.tolist() == [False, True, False]
