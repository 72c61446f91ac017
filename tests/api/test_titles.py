"""Titles of pages (api/titles.py): the user's own, or the names of the target and the data."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import foldwise as fw
from foldwise.api.titles import title_of

RIDGE = {"ridge": fw.learner("ridge", alpha=[1.0, 10.0])}
FEW = {"outer": 3, "inner": 2, "jobs": 1, "progress": False}


def title(page: str) -> str:
    return re.search("<title>(.*?)</title>", page)[1]


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"a": rng.normal(size=30), "b": rng.normal(size=30), "price": rng.normal(size=30)})


def test_a_page_is_named_after_target_and_file(frame, tmp_path):
    frame.to_csv(tmp_path / "wine.csv", index=False)
    result = fw.compare(RIDGE, str(tmp_path / "wine.csv"), "price", **FEW)

    assert title(result.report()) == "price in wine.csv"
    assert title(result.report(title="My <own>")) == "My &lt;own&gt;"


def test_a_frame_has_no_name_but_its_target_has(frame):
    assert fw.compare(RIDGE, frame, "price", **FEW).title == "price"
    assert fw.compare(RIDGE, frame[["a", "b"]], frame["price"], **FEW).title == "price"
    nameless = fw.compare(RIDGE, frame[["a", "b"]].to_numpy(), frame["price"].to_numpy(), **FEW)
    assert nameless.title is None
    assert title(nameless.report()) == "ridge on 30 rows"


def test_a_stored_study_keeps_its_title(frame, tmp_path):
    from foldwise.api.study_file import make_spec, stored_study

    frame.to_csv(tmp_path / "wine.csv", index=False)
    words = {"data": str(tmp_path / "wine.csv"), "target": "price", "learners": ["ridge"], "outer": 3, "inner": 2}
    run = tmp_path / "run"

    make_spec({**words, "store": str(run), "jobs": 1}).run(progress=False)
    assert fw.load(run).title == "price in wine.csv"

    make_spec({**words, "store": str(run), "jobs": 1, "title": "Wine"}).run(progress=False)
    assert title(fw.load(run).report()) == "Wine"
    assert stored_study(run).title == "Wine"


@pytest.mark.parametrize(
    ("study", "expected"),
    [
        ({"data": "-", "target": "y"}, "y in standard input"),
        ({"data": "iris"}, "iris"),
        ({"data": "a.csv", "target": "y", "title": "  "}, "y in a.csv"),
        ({"data": 7, "target": 7, "title": 7}, None),
        ({}, None),
    ],
)
def test_what_a_title_is_made_of(study, expected):
    assert title_of(study) == expected
