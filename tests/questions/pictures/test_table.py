"""Facts of a table (questions/pictures/table.py, questions/data_blocks.py), at hand and from a store."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import foldwise as fw
from foldwise.questions.data_blocks import class_figure, data_blocks, missing_words
from foldwise.questions.pictures.table import table_facts, target_facts

QUICK = {"outer": 3, "inner": 2, "budget": 2, "jobs": 1}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    found = pd.DataFrame(
        {"age": rng.normal(size=60), "income": rng.normal(size=60), "town": rng.choice(["a", "b"], 60)}
    )
    found.loc[:8, "age"] = np.nan
    found.loc[:2, "town"] = None
    return found


def test_columns_and_missing_values_are_those_of_pandas(frame):
    result = fw.compare(["tree"], frame, np.arange(60) % 3 == 0, **QUICK)
    got = table_facts(result.data)

    assert got["kinds"] == {"number": 2, "text": 1}
    assert got["missing"] == {name: count for name, count in frame.isna().sum().items() if count}
    assert missing_words(got, 60) == "age 9 (15%), town 3 (5%)"


def test_a_page_from_a_store_says_the_same_of_the_data(frame, tmp_path):
    y = pd.Series(frame["income"] + np.random.default_rng(1).normal(size=60), name="debt")
    result = fw.compare(["tree"], frame, y, **QUICK, store=tmp_path / "run")
    loaded = fw.load(tmp_path / "run")

    assert next(data_blocks(loaded.answer, None)) == next(data_blocks(result.answer, result.data))
    assert "Distribution of debt" in loaded.report()
    assert "2 numeric and 1 text" in loaded.report()


def test_the_target_is_counted_once():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(200, 2)), rng.gamma(2, size=200)
    got = target_facts(fw.compare(["linear"], X, y, outer=3, jobs=1).study)
    counts, edges = np.histogram(y, bins=24)

    assert got["counts"] == counts.tolist()
    assert got["edges"] == pytest.approx(edges)
    assert got["quartiles"][1] == pytest.approx(np.median(y))


def test_classes_have_their_rows_and_a_rare_one_is_called_so():
    X = np.random.default_rng(3).normal(size=(100, 2))
    y = np.array(["common"] * 94 + ["rare"] * 6)
    got = target_facts(fw.compare(["tree"], X, y, **QUICK).study)

    assert got["classes"] == [["common", 94], ["rare", 6]]
    assert class_figure(got, "y").words.endswith("An error rate hardly notices it.")
