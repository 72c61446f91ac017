"""Coverage on tables like one's own, by one call and by one command."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from foldwise import lab
from foldwise.cli import app


@pytest.fixture
def path(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(50, 2)), columns=["a", "b"])
    frame["y"] = frame["a"] + rng.normal(size=50)
    frame.to_csv(tmp_path / "mine.csv", index=False)
    return str(tmp_path / "mine.csv")


def test_one_call_compares_and_checks(path):
    found = lab.coverage_like(path, "y", learners=["ridge"], outer=4, inner=3, replications=2, time_limit=None, jobs=1)
    assert found.replications == 2
    assert set(found.intervals["method"]) == {"ridge", "baseline"}


def test_without_learners_it_takes_two_that_are_quick(path):
    """All default learners would take minutes for a few tables, which show nothing."""
    found = lab.coverage_like(path, "y", outer=4, inner="dev", replications=2, time_limit=None, jobs=1)
    assert set(found.intervals["method"]) == {"ridge", "k-nn", "baseline"}


def test_the_command_prints_the_same_as_json(path):
    words = ["--like", path, "--target", "y", "--learners", "ridge", "--outer", "4", "--inner", "3"]
    run = CliRunner().invoke(
        app, ["lab", "coverage", *words, "--replications", "2", "--jobs", "1", "--interval", "naive z", "--json"]
    )
    assert run.exit_code == 0, run.output
    found = json.loads(run.stdout)
    assert {row["interval"] for row in found["intervals"]} == {"naive z"}
    assert found["replications"] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--rows", "50"], "--rows belongs to the lab's own problems"),
        (["--problem", "linear"], "--problem belongs to the lab's own problems"),
        (["--target", "a"], "a table has one target column"),
    ],
)
def test_words_of_the_lab_s_own_problems_are_refused(path, words, message):
    run = CliRunner().invoke(app, ["lab", "coverage", "--like", path, "--target", "y", *words])
    assert run.exit_code != 0
    assert message in run.output + str(run.exception or "")
