from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge

import foldwise as fw

ROWS = 120


def study(**options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 3))
    y = X[:, 0] + rng.normal(size=ROWS)
    return fw.compare({"ridge": Ridge(), "line": LinearRegression()}, X, y, jobs=1, **options)


@pytest.fixture(scope="module")
def drawn():
    return study(outer=fw.Bootstrap(10))


@pytest.fixture(scope="module")
def growing():
    return study(outer=5, time=np.arange(float(ROWS)))


def everywhere(result):
    """All that is said of a study: terminal, explanation, differences, JSON, page."""
    texts = [str(result), result.explain()]
    return " ".join("\n".join([*texts, json.dumps(result.to_dict()), result.report()]).split())


def test_a_bootstrap_tells_its_distinct_rows(drawn):
    table = drawn.splits()
    trained = table[table["part"] == "train"]
    distinct = trained.groupby("fold")["row"].nunique()
    words = f"about {distinct.mean():.0f} distinct training rows of {ROWS} drawn"
    found = drawn.to_dict()

    assert 70 < distinct.mean() < 82
    assert (found["train_rows"], found["train_rows_range"]) == (
        round(distinct.mean()),
        [distinct.min(), distinct.max()],
    )
    assert {method["target"] for method in found["methods"]} == {f"the learner at {words}"}
    assert drawn.difference("ridge", "line").train_rows == pytest.approx(distinct.mean())
    said = everywhere(drawn)
    assert f"squared loss, {words}" in said
    assert f"{distinct.min()} to {distinct.max()} distinct training rows of {ROWS} drawn with replacement" in said
    assert f"{ROWS} training rows" not in said


def test_growing_folds_tell_the_range_of_their_sizes(growing):
    found = growing.to_dict()

    assert (found["train_rows"], found["train_rows_range"]) == (60, [20, 100])
    target = "these forecasts of the learner at 20 to 100 training rows, in this period"
    assert {method["target"] for method in found["methods"]} == {target}
    assert "at 20 to 100 training rows" in growing.difference("ridge", "line").target
    said = everywhere(growing)
    assert "squared loss, 20 to 100 training rows" in said
    assert "60 training rows" not in said


def test_folds_of_nearly_one_size_have_one_number():
    assert study(outer=7).to_dict()["trained_on"] == "103 training rows"
