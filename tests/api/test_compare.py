"""What `compare` takes beside learners and arrays, and what its models take afterwards."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold

import foldwise as fw
from foldwise.errors import BadLearner, BadSpace, BadSplits, BadStudy

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = X[:, 0] + RNG.normal(size=40)
MIXED = pd.DataFrame(
    {
        "size": X[:, 0],
        "shop": RNG.choice(list("abc"), 40),
        "is_new": X[:, 1] > 0,
        "day": pd.date_range("2024", periods=40),
    }
)


def without_timings(answer):
    methods = [{key: value for key, value in method.items() if key != "seconds"} for method in answer["methods"]]
    return {key: value for key, value in answer.items() if key != "seconds"} | {"methods": methods}


def test_whole_numbers_of_numpy_are_whole_numbers(tmp_path):
    learners = {"ridge": fw.tune(Ridge(), alpha=[0.1, 1.0, 10.0])}
    words = {"seed": 3, "repeats": 2, "budget": 2, "jobs": 1, "fit_threads": 1}
    theirs = {name: np.int64(value) for name, value in words.items()}
    ours = fw.compare(learners, X, Y, outer=3, inner=2, **words, store=tmp_path / "ours").to_dict()
    found = fw.compare(learners, X, Y, outer=np.int64(3), inner=np.int32(2), **theirs, store=tmp_path / "theirs")
    assert without_timings(found.to_dict()) == without_timings(ours)
    assert found.to_dict()["methods"][0]["candidates"] == 2


@pytest.mark.parametrize("value", [True, 1.0, "1", -1], ids=repr)
@pytest.mark.parametrize("word", ["seed", "fit_threads", "jobs"])
def test_other_things_are_no_whole_numbers(word, value):
    with pytest.raises(BadStudy, match=rf"{word} must be a whole number of at least [01], not {value!r}"):
        fw.compare({"ridge": Ridge()}, X, Y, **{word: value})


def test_a_parted_group_is_told_by_its_name():
    groups = np.repeat(["mon", "tue", "wed", "thu"], 10)
    with pytest.raises(BadSplits, match=r"group 'tue' .*3 splits"):
        fw.compare({"ridge": Ridge()}, X, Y, groups=groups, outer=KFold(3))
    with pytest.raises(BadSplits, match="group '30'"):
        fw.compare({"ridge": Ridge()}, X, Y, groups=np.repeat([30.0, 50.0], 20), outer=KFold(3))


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["ridge", "boosting"])
def test_a_refitted_model_takes_any_mixed_table_and_columns_with_numbers_for_names(name):
    model = fw.compare([name], MIXED, Y, outer=3, inner=2, budget=2, jobs=1).refit(name)
    expected = model.predict(MIXED)
    turned = MIXED[list(reversed(MIXED.columns))]
    for table in (pl.from_pandas(MIXED), pa.Table.from_pandas(MIXED), turned, pl.from_pandas(turned)):
        np.testing.assert_array_equal(model.predict(table), expected)
    numbered = MIXED.set_axis([0, 1, 2, 3], axis=1)
    model = fw.compare([name], numbered, Y, outer=3, inner=2, budget=2, jobs=1).refit(name)
    np.testing.assert_allclose(model.predict(numbered), expected)


def test_the_default_neighbours_fit_the_smallest_training_set():
    """Time-ordered inner folds begin with few rows; what the user asks for himself is refused, not changed."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = X[:, 0] + rng.normal(size=90)
    result = fw.compare(["k-nn"], X, y, time=np.arange(90), jobs=1)
    assert result.methods[0].status == "ok"
    smallest = min(len(split.train) for splits in result.study.methods[0].inner.splits for split in splits)
    tried = dict.fromkeys(c["n_neighbors"] for c in result.study.methods[0].candidates)
    assert list(tried) == list(range(1, smallest + 1))
    with pytest.raises(BadSpace, match=f"n_neighbors=20, .* {smallest} rows"):
        fw.compare([fw.learner("k-nn", n_neighbors=[1, 20])], X, y, time=np.arange(90), jobs=1)


@pytest.mark.parametrize("name", ["auto", "baseline"])
def test_names_of_rows_that_every_comparison_has_are_refused(numbers, name):
    with pytest.raises(BadLearner, match=f"the name '{name}' is reserved"):
        fw.compare({name: Ridge()}, *numbers)
    assert fw.compare({"baseline": "baseline", "ridge": Ridge()}, *numbers, outer=3).best == "ridge"
