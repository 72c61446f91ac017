"""Ranks over data sets, against scipy's."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldwise.errors import BadData
from foldwise.questions.benchmark import benchmark, mean_ranks


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 4), min_size=1, max_size=5))
def test_mean_ranks_are_those_of_scipy(risks):
    from scipy.stats import rankdata

    table = {f"d{i}": {f"m{j}": float(value) for j, value in enumerate(row)} for i, row in enumerate(risks)}
    expected = np.mean([rankdata(row) for row in risks], axis=0)

    found = {method["name"]: method["mean_rank"] for method in mean_ranks(table)}

    assert [found[f"m{j}"] for j in range(4)] == pytest.approx(expected.tolist())


def test_a_method_without_a_risk_somewhere_has_no_rank_and_shifts_nobody():
    methods = mean_ranks({"a": {"x": None, "y": 2.0, "z": 1.0}, "b": {"x": 0.1, "y": 2.0, "z": 3.0}})

    assert [(method["name"], method["mean_rank"]) for method in methods] == [("y", 1.5), ("z", 1.5), ("x", None)]


def test_an_error_says_which_data_set_it_is_about():
    def run(**_):
        raise BadData("the table has one row", "Give at least two rows")

    with pytest.raises(BadData, match=r"small: the table has one row\. Give at least two"):
        benchmark({"small": SimpleNamespace(run=run)})
