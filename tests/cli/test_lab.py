"""`foldwise lab`: tables for people, one JSON object for machines."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from foldwise.cli import app
from foldwise.errors import BadStudy

FEW = ["--outer", "3", "--replications", "2", "--jobs", "1"]


def run(*words):
    return CliRunner().invoke(app, ["lab", *words], catch_exceptions=False).stdout


def test_coverage_of_a_problem_is_printed():
    text = run("coverage", "--rows", "30", *FEW)
    assert "2 simulated tables" in text
    assert "linear the study's own" in text


def test_coverage_on_tables_like_ones_own_as_json(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(50, 2)), columns=["a", "b"])
    frame.assign(y=frame["a"] + rng.normal(size=50)).to_csv(tmp_path / "mine.csv", index=False)
    words = ["--like", str(tmp_path / "mine.csv"), "--target", "y", "--learners", "ridge", "--inner", "3"]
    plain = json.loads(run("coverage", *words, *FEW, "--interval", "naive z", "--json"))
    assert {(row["method"], row["interval"]) for row in plain["intervals"]} == {
        ("ridge", "naive z"),
        ("baseline", "naive z"),
    }
    assert plain["replications"] == 2


def test_decompose_goes_through_values_or_shows_the_theorem():
    lines = json.loads(run("decompose", "--values", "1,9", "--replications", "10", "--json"))["lines"]
    assert [line["value"] for line in lines] == [1, 9]
    words = "decompose --problem linear --theorem --rows 20 --replications 50 --json"
    assert abs(json.loads(run(*words.split()))["lines"][0]["z"]) < 5
    with pytest.raises(BadStudy, match="--values must be numbers"):
        run("decompose", "--values", "1,x")
    with pytest.raises(BadStudy, match="--folds belongs to --theorem"):
        run("decompose", "--folds", "5")


def test_exhibits_are_listed_shown_and_drawn(tmp_path):
    assert "knn-curves" in run("show")
    path = tmp_path / "bound.svg"
    words = run("show", "dev-bound", "--plot", str(path))
    assert "The development-set bound against what happens" in words
    assert path.read_text(encoding="utf-8").lstrip().startswith("<?xml")
    assert len(json.loads(run("show", "dev-bound", "--json"))["lines"]) == 5
