"""What a saved model remembers of its training table."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from foldwise.data.summary import bin_shares, read_summary, summary_of


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
    assert (number["low"], number["high"], number["missing"]) == (0.0, 39.0, 0.0)
    assert sum(number["shares"]) == pytest.approx(1, abs=1e-3)
    assert label == {"missing": 0.25, "values": {"x": 0.6667, "y": 0.3333}}
    assert date["high"] == pd.Timestamp("2024-03-01").timestamp() * 1e6
    assert truth["shares"][:2] == [0.5, 0.5]
    assert text == {"missing": 0.0}
    assert read_summary(found, 5) == found


def test_sparse_tables_and_very_wide_ones_have_none():
    assert summary_of(sparse.csr_matrix(np.eye(3)), ["number"] * 3) is None
    assert summary_of(np.zeros((2, 2001)), ["number"] * 2001) is None


def test_the_shares_of_the_bins_are_those_of_a_plain_loop():
    values, edges = np.random.default_rng(0).normal(size=50), [-1.0, 0.0, 0.5]
    by_hand = [
        np.mean(values <= -1),
        np.mean((values > -1) & (values <= 0)),
        np.mean((values > 0) & (values <= 0.5)),
        np.mean(values > 0.5),
    ]
    assert bin_shares(values, edges).tolist() == pytest.approx(by_hand)


@pytest.mark.parametrize(
    "found",
    [None, "text", [], [{}], [{"missing": True}], [{"missing": 0, "low": 1, "high": 2, "edges": [1], "shares": [1]}],
     [{"missing": 0, "values": {"a": None}}], [{"missing": float("nan")}]],
)  # fmt: skip
def test_what_is_no_summary_of_ours_is_left_alone(found):
    assert read_summary(found, 1) is None
