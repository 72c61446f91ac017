"""`foldwise init` (cli/drafting.py, api/study_draft.py): a study file that runs as it is."""

from __future__ import annotations

import json
import tomllib

import numpy as np
import pandas as pd
import pytest

from foldwise.api.study_draft import COMMENTED, draft_study
from foldwise.api.study_file import read_study

NASTY = 'odd "name"\n# \x1b[31m\\'


@pytest.fixture
def visits(tmp_path):
    rng, count = np.random.default_rng(0), 60
    table = pd.DataFrame(
        {
            "id": np.arange(count) + 1000,
            "patient_id": rng.integers(0, 12, count),
            "visit_date": pd.date_range("2024-01-01", periods=count).strftime("%Y-%m-%d"),
            "bmi": np.where(np.arange(count) % 5 == 0, np.nan, rng.normal(25, 4, count)),
            "smoker": rng.choice(["yes", "no"], count),
            "weight": rng.random(count),
            NASTY: rng.normal(size=count),
            "stars": rng.integers(1, 6, count),
            "cost": rng.normal(100, 10, count),
        }
    )
    table.to_csv(tmp_path / "visits.csv", index=False)
    return tmp_path / "visits.csv"


def test_the_file_is_run_as_it_is(foldwise, visits, tmp_path):
    out = tmp_path / "studies" / "visits.toml"
    code, said, _ = foldwise("init", visits, "--target", "cost", "--out", out)
    assert (code, said) == (0, f"{out} is written. Run it with: foldwise compare {out}\n")

    few = ("--learners", "ridge", "--outer", "3", "--inner", "2", "--jobs", "1", "--json")
    code, answer, _ = foldwise("compare", out, *few)

    assert code == 0
    assert json.loads(answer)["rows"] == 60


def test_a_file_that_is_run_as_it_is_asks_what_the_table_alone_asks(foldwise, visits, tmp_path):
    foldwise("init", visits, "--target", "cost", "--out", tmp_path / "study.toml")
    _, drafted, _ = foldwise("compare", tmp_path / "study.toml", "--plan", "--json")
    _, direct, _ = foldwise("compare", visits, "--target", "cost", "--plan", "--json")

    asked = [
        [(method["name"], method["fits"], method["candidates"]) for method in json.loads(plan)["methods"]]
        for plan in (drafted, direct)
    ]
    assert asked[0] == asked[1]
    assert "kernel-ridge" in [name for name, *_ in asked[0]]


def test_what_was_found_is_in_the_file(visits):
    lines = draft_study(str(visits), target="cost").splitlines()

    assert any(line.startswith("# 60 rows; the target is an amount from") for line in lines)
    assert '# number: id, patient_id, bmi, weight, odd "name"?# ?[31m\\, stars' in lines
    assert "# date: visit_date" in lines


def test_a_suggestion_without_its_mark_is_a_word_of_the_study(visits, tmp_path):
    text = draft_study(str(visits), target="cost", where="visits.csv")
    marks = tuple(f"# {option}" for option, _ in COMMENTED)
    lines = [
        line.removeprefix("# ") if line.startswith((*marks, "# learners =")) else line for line in text.splitlines()
    ]
    (tmp_path / "study.toml").write_text("\n".join(lines))

    study = read_study(tmp_path / "study.toml")

    assert (study.drop, study.groups, study.outer, study.inner) == (["..."], "...", 13, "aligned")


def test_any_name_of_a_column_stays_in_its_place(visits, tmp_path):
    text = draft_study(str(visits), target=NASTY)

    assert tomllib.loads(text)["target"] == NASTY
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("target", "task", "words"),
    [
        ("stars", "classification", 'task = "classification"\n# 60 rows; the target has 5 classes: 1 ('),
        ("smoker", None, "the target has 2 classes: no ("),
    ],
)
def test_the_task_is_told(visits, target, task, words):
    text = draft_study(str(visits), target=target, task=task)

    assert words in text
    assert tomllib.loads(text)["loss"] == ("squared" if target == "stars" and task is None else "zero_one")


def test_a_built_in_set_needs_no_target(foldwise, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = foldwise("init", "iris", "--out", "-")
    assert code == 0
    assert tomllib.loads(out)["data"] == "iris"
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_left_alone_unless_forced(foldwise, visits, tmp_path):
    out = tmp_path / "study.toml"
    out.write_text("mine")

    code, _, err = foldwise("init", visits, "--target", "cost", "--out", out)

    assert code == 2
    assert f"there is a file {out} already. Give another name with --out, or write over it with --force" in err
    assert out.read_text() == "mine"
    assert foldwise("init", visits, "--target", "cost", "--out", out, "--force")[0] == 0
    assert out.read_text() != "mine"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "there is no target. Name one of the columns: id, patient_id"),
        (("--target", "kost"), "there is no column 'kost' for the target. Did you mean 'cost'"),
        (("--target", "cost", "--out", "study.json"), "a study file ends in .toml"),
        (("--target", "bmi"), "missing"),
    ],
)
def test_what_cannot_be_written_is_one_sentence(foldwise, visits, words, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = foldwise("init", visits, *words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert not (tmp_path / "study.toml").exists()
