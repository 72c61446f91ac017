"""Residuals by column (questions/pictures/columns.py, data/features.py): what a method has not learnt is found."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import foldwise as fw
from foldwise.questions.pictures.columns import column_residuals


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"bent": rng.normal(size=300), "noise": rng.normal(size=300)})
    frame["kind"] = pd.Categorical(rng.choice(["a", "b", "c"], 300))
    y = frame["bent"] ** 2 + 0.3 * rng.normal(size=300)

    class OnlyNumbers(LinearRegression):
        def fit(self, X, y):
            return super().fit(X[["bent", "noise"]], y)

        def predict(self, X):
            return super().predict(X[["bent", "noise"]])

    return fw.compare({"linear": OnlyNumbers()}, frame, y, outer=5, jobs=1)


def test_the_column_that_was_not_learnt_comes_first_with_its_means(result):
    method = next(one for one in result.methods if one.method.name == "linear")
    found = column_residuals(method, result.data)
    table = result.predictions().query("method == 'linear'").sort_values("row")
    left = (table["truth"] - table["prediction"]).to_numpy()
    values = result.data.X["bent"].to_numpy()
    tenths = pd.qcut(values, 10, labels=False)

    assert found[0]["column"] == "bent"
    assert found[0]["explained"] > 0.5
    expected = [left[tenths == at].mean() for at in range(10)]
    assert [part["mean"] for part in found[0]["bins"]] == pytest.approx(expected)
    assert sum(part["rows"] for part in found[0]["bins"]) == 300


def test_levels_have_their_own_means_and_explain_nothing_here(result):
    method = next(one for one in result.methods if one.method.name == "linear")
    kinds = {one["column"]: one for one in column_residuals(method, result.data)}

    assert all(one["explained"] < 0.05 for name, one in kinds.items() if name != "bent")
    assert len(kinds) == 2  # those below the least share stand in only where there is no other


def test_classes_and_small_tables_have_none(result):
    X = np.random.default_rng(1).normal(size=(30, 2))
    small = fw.compare({"linear": LinearRegression()}, X, X[:, 0] + np.arange(30) % 3, outer=3, jobs=1)

    assert column_residuals(small.methods[0], small.data) == []
