"""The hardest rows are those of the table of losses, and their values are shown only when asked for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import foldwise as fw
from foldwise.questions.pictures.hard_rows import MOST_ROWS, hard_rows


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=80), "kind": rng.choice(["old", "new"], 80)})
    frame.index = [f"case {at}" for at in range(80)]
    return frame


def test_a_row_is_as_hard_as_for_the_method_that_suits_it_best(table):
    y = table["size"] + np.random.default_rng(1).standard_t(2, size=80)
    learners = {"linear": LinearRegression(), "median": DummyRegressor(strategy="median")}
    result = fw.compare(learners, table[["size"]], y, outer=4, repeats=2, jobs=1)
    losses = result.losses().query("method != 'baseline'").groupby(["row", "method"])["loss"].mean().unstack()
    expected = losses.min(axis=1).sort_values(ascending=False)
    got = hard_rows(result.methods, data=result.data)

    assert [row["row"] for row in got["rows"]] == expected.index[:MOST_ROWS].tolist()
    assert [row["least"] for row in got["rows"]] == pytest.approx(expected.iloc[:MOST_ROWS].tolist())
    assert got["labels"][0] == f"case {got['rows'][0]['row']}"
    assert got["share"] == pytest.approx(expected.iloc[:MOST_ROWS].sum() / expected.sum())


def test_values_are_there_only_when_asked_for(table):
    y = table["size"] + np.random.default_rng(1).normal(size=80)
    result = fw.compare(["linear"], table, y, outer=4, jobs=1)
    quiet, told = hard_rows(result.methods, data=result.data), hard_rows(result.methods, data=result.data, values=True)

    assert quiet["columns"] == []
    assert all("truth" not in row and "values" not in row for row in quiet["rows"])
    first = told["rows"][0]
    assert told["columns"] == ["size", "kind"]
    assert first["values"] == [f"{table['size'].iloc[first['row']]:.4g}", table["kind"].iloc[first["row"]]]
    assert first["truth"] == y.iloc[first["row"]]


def test_rows_that_all_methods_get_wrong_are_counted_and_the_surest_mistakes_come_first():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(120, 2))
    y = X[:, 0] + rng.normal(size=120) > 0
    learners = {"linear": LogisticRegression(), "k-nn": KNeighborsClassifier(15)}
    result = fw.compare(learners, X, y, outer=4, loss="zero_one", jobs=1)
    table = result.predictions().query("method != 'baseline'")
    table["wrong"], table["sure"] = table["truth"] != table["prediction"], table["p_True"].where(
        table["truth"].astype(bool), table["p_False"]
    )  # fmt: skip
    rows = table.groupby("row").agg(wrong=("wrong", "min"), sure=("sure", "mean"))
    expected = rows[rows["wrong"]].sort_values("sure").index[:MOST_ROWS].tolist()
    got = hard_rows(result.methods)

    assert got["wrong"] == rows["wrong"].sum()
    assert [row["row"] for row in got["rows"]] == expected


def test_a_loss_of_whole_folds_has_no_hard_rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2))
    result = fw.compare(
        ["logistic"], X, X[:, 0] + rng.normal(size=60) > 0, outer=3, inner=2, budget=2, loss="roc_auc", jobs=1
    )

    assert hard_rows(result.methods) is None
