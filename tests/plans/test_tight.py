"""More repeats belong to effort="thorough" where further fits are cheap; the rule looks at the study alone."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

import foldwise as fw
from foldwise.api.request import make_comparison

OLS = {"ols": make_pipeline(StandardScaler(), LinearRegression())}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(104, 2))
    return X, X[:, 0] + rng.normal(size=104)


def repeats(learners, table, **words):
    return make_comparison(learners, *table, **{"effort": "thorough", **words}).study.outer.repeats


def test_cheap_learners_get_them_all_of_a_table_or_none(table):
    assert repeats(OLS, table) == 10
    assert repeats({**OLS, "ridge": fw.tune(Ridge(), alpha=[1.0, 3.0])}, table) == 10
    assert repeats(["ridge", "linear"], table) == 10
    assert repeats({**OLS, "tree": DecisionTreeRegressor()}, table) == 3
    assert repeats({**OLS, "ridge": fw.tune(Ridge(), alpha=list(np.geomspace(1e-3, 1e3, 1500)))}, table) == 3


def test_they_are_no_part_of_the_default(table):
    assert repeats(OLS, table, effort="normal") == 1
    assert repeats(OLS, table, effort="quick") == 1


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ({"interval": "corrected t"}, 3),
        ({"outer": 5}, 1),
        ({"repeats": 2}, 2),
        ({"time": np.arange(104.0)}, 1),
        ({"budget": 2}, 3),
    ],
    ids=["interval", "outer", "repeats", "time", "budget"],
)
def test_any_word_on_splits_or_cost_wins(table, words, found):
    learners = {"ridge": fw.tune(Ridge(), alpha=[1.0, 3.0])}
    assert repeats(learners, table, **words) == found


def test_few_or_many_rows_and_wide_tables_keep_the_usual(table):
    rng = np.random.default_rng(1)
    assert repeats(OLS, (table[0][:90], table[1][:90])) == 3
    assert repeats(OLS, (rng.normal(size=(2100, 1)), rng.normal(size=2100))) == 1
    assert repeats(OLS, (rng.normal(size=(104, 60)), table[1])) == 3


def test_the_answer_says_so_and_is_tighter_with_or_without_solvers(table):
    few, more, plain = (
        fw.compare(OLS, *table, effort="thorough", jobs=1, **words).to_dict()
        for words in ({"repeats": 3}, {}, {"solvers": False})
    )
    rows = [answer["methods"][0] for answer in (few, more, plain)]
    assert rows[1]["high"] - rows[1]["low"] < rows[0]["high"] - rows[0]["low"]
    assert rows[1]["high"] == pytest.approx(rows[2]["high"])
    assert any(note["text"].startswith("10 repeats, as further fits") for note in more["notes"])
    assert not any(note["text"].startswith("10 repeats") for note in few["notes"])
