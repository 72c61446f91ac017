"""What a saved model remembers of its training table."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from foldwise.data.summary import read_summary, summary_of


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
    found = summary_of(frame, ["number", "category", "date", "boolean", "text"])

    assert json.loads(json.dumps(found)) == found
    number, label, date, truth, text = found
    assert number == {"missing": 0.0, "low": 0.0, "high": 39.0}
    assert label == {"missing": 0.25, "labels": ["x", "y"]}
    assert date["high"] == pd.Timestamp("2024-03-01").timestamp() * 1e6
    assert (truth["low"], truth["high"]) == (0.0, 1.0)
    assert text == {"missing": 0.0}
    assert read_summary(found, 5) == found


def test_sparse_tables_and_very_wide_ones_have_none():
    assert summary_of(sparse.csr_matrix(np.eye(3)), ["number"] * 3) is None
    assert summary_of(np.zeros((2, 2001)), ["number"] * 2001) is None


@pytest.mark.parametrize(
    "found",
    [None, "text", [], [{}], [{"missing": True}], [{"missing": 0, "low": 1}], [{"missing": 0, "low": 1, "high": "x"}],
     [{"missing": 0, "labels": {"a": 1}}], [{"missing": 0, "labels": [1]}], [{"missing": 0, "more": 1}],
     [{"missing": float("nan")}]],
)  # fmt: skip
def test_what_is_no_summary_of_ours_is_left_alone(found):
    assert read_summary(found, 1) is None
