"""`foldwise lab`: tables for people, one JSON object for machines."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from foldwise.cli import app
from foldwise.errors import BadStudy


def run(*words):
    return CliRunner().invoke(app, ["lab", *words], catch_exceptions=False).output


def test_coverage_prints_a_table_with_its_monte_carlo_error():
    text = run("coverage", "--rows", "30", "--folds", "5", "--replications", "20", "--jobs", "1")
    assert "coverage" in text
    assert "error" in text
    assert "corrected t" in text


def test_coverage_as_json_is_one_object_with_a_line_per_cell():
    words = "coverage --problem linear --problem smooth --interval naive+z --rows 30 --folds 5 --folds 6"
    found = json.loads(
        run(*[w.replace("+", " ") for w in words.split()], "--replications", "6", "--jobs", "1", "--json")
    )
    assert [(line["problem"], line["folds"]) for line in found["lines"]] == [
        ("linear", 5),
        ("linear", 6),
        ("smooth", 5),
        ("smooth", 6),
    ]
    assert found["lines"][0]["replications"] == 6


def test_decompose_goes_through_values_or_shows_the_theorem():
    found = json.loads(run("decompose", "--values", "1,9", "--replications", "10", "--jobs", "1", "--json"))
    assert [line["value"] for line in found["lines"]] == [1, 9]
    words = "decompose --problem linear --theorem --rows 20 --replications 50 --jobs 1 --json"
    shown = json.loads(run(*words.split()))
    assert abs(shown["lines"][0]["z"]) < 5
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
