"""What users type first at a command line, and what they see: cli/help.py."""

from __future__ import annotations

import json

import click
import numpy as np
import pandas as pd
import pytest

from foldwise.cli.help import in_flags


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.normal(size=(42, 2)), columns=["size", "age"])
    table = table.assign(kind=np.where(np.arange(42) < 39, "flat", "house"), price=table["size"] + rng.normal(size=42))
    table.drop(columns="kind").to_csv("homes.csv", index=False)
    table.drop(columns="price").to_csv("kinds.csv", index=False)
    table.drop(columns="kind").assign(price=table["price"].where(table.index != 4)).to_csv("holes.csv", index=False)
    (tmp_path / "study.toml").write_text(
        'data = "holes.csv"\ntarget = "price"\nlearners = ["linear"]\nouter = 3\ndrop_missing_target = true\n'
    )


HOMES, KINDS, HOLES = (("compare", f"{name}.csv") for name in ("homes", "kinds", "holes"))
LINE = ("--target", "price", "--learners", "linear", "--outer", "3", "--jobs", "1")

RIGHT = {
    "a table": ((*HOMES, *LINE), 42, "squared"),
    "a built-in set": (("compare", "diabetes", "--learners", "linear", "--outer", "3", "--jobs", "1"), 442, "squared"),
    "another's name of a loss": ((*HOMES, *LINE, "--loss", "mse"), 42, "squared"),
    "a loss of a fold": ((*HOMES, *LINE, "--loss", "rmse"), 42, "rmse"),
    "missing targets": ((*HOLES, *LINE, "--drop-missing-target"), 41, "squared"),
    "a study file": (("compare", "study.toml", "--jobs", "1"), 41, "squared"),
}


@pytest.mark.parametrize(("words", "rows", "loss"), RIGHT.values(), ids=RIGHT)
def test_a_first_call_is_answered(foldwise, words, rows, loss):
    code, out, err = foldwise(*words, "--json")
    answer = json.loads(out)

    assert code == 0
    assert (answer["rows"], answer["loss"], answer["best"]) == (rows, loss, "linear")
    assert ("have no target" in err or "has no target and is left out" in err) == (rows == 41)


WRONG = {
    "no target": (HOMES, "there is no target. Name one of the columns: size, age, price (--target COLUMN)."),
    "a target without a flag": ((*HOMES, "price"), "extra argument (price). Write --target price if it is the column"),
    "a misspelt target": ((*HOMES, "--target", "prise"), "no column 'prise' for the target. Did you mean 'price'?"),
    "a misspelt group": ((*HOMES, "--target", "price", "--groups", "agee"), "for groups. Did you mean 'age'?"),
    "missing targets": (
        (*HOLES, *LINE),
        "missing values in 1 row (first: row 4, counting from 0). Leave these rows out with",
    ),
    "missing targets, the flag": ((*HOLES, *LINE), "with --drop-missing-target, or fill them in."),
    "an address": (
        ("compare", "https://example.org/a.csv", "--target", "y"),
        "is an address, and data are read from files",
    ),
    "a folder": (("compare", "."), "'.' is a folder. Name one file in it."),
    "no such file": (("compare", "home.csv", "--target", "price"), "no file 'home.csv'. Did you mean 'homes.csv'?"),
    "a misspelt set": (("compare", "diabets"), "built-in set 'diabets'. Did you mean 'diabetes'?"),
    "a classifier": (
        (*HOMES, "--target", "price", "--learners", "logistic"),
        "'logistic' is for classification, but the",
    ),
    "a regressor": (
        (*KINDS, "--target", "kind", "--learners", "lasso"),
        "'lasso' is for regression, but the target holds t",
    ),
    "a loss of classes": ((*HOMES, *LINE, "--loss", "auc"), "'roc_auc' does not judge predicted numbers"),
    "folds beyond a class": (
        (*KINDS, "--target", "kind", "--learners", "logistic", "--outer", "10"),
        "cannot make 10 stratified folds: class 'house' has 3 rows. Use at most 3 folds, or --no-stratify.",
    ),
    "a class of numbers": (
        (*HOMES, *LINE, "--positive", "1"),
        "--positive 1 needs a binary target, but the task is regr",
    ),
    "--scoring": ((*HOMES, *LINE, "--scoring", "r2"), "compare has no --scoring. Write --loss absolute, say"),
    "--metric": ((*HOMES, *LINE, "--metric", "r2"), "compare has no --metric. Write --loss absolute, say"),
    "--cv": (
        (*HOMES, *LINE, "--cv", "5"),
        "--outer 10 for the splits that estimate the risk and --inner 5 for those tha",
    ),
    "--n-jobs": ((*HOMES, *LINE, "--n-jobs", "2"), "compare has no --n-jobs. Write --jobs 2."),
    "--random-state": ((*HOMES, *LINE, "--random-state", "2"), "compare has no --random-state. Write --seed 7."),
    "--test-size": ((*HOMES, *LINE, "--test-size", "0.2"), "Write --outer 0.2 for a held-out share of the rows."),
    "--estimator": ((*HOMES, "--estimator", "Ridge"), "compare has no --estimator. Write --learners ridge,forest."),
    "--model of risk": (("risk", "homes.csv", "--model", "ridge"), "risk has no --model. Write --learner ridge."),
    "--label": ((*HOMES, "--label", "price"), "compare has no --label. Write --target COL."),
    "--y": ((*HOMES, "--y", "price"), "compare has no --y. Write --target COL."),
    "--data": (("compare", "--data", "homes.csv"), "compare has no --data. Write DATA first."),
    "--param-grid": ((*HOMES, "--param-grid", "x"), 'Write --space "k-nn.n_neighbors=1..30".'),
    "--los": ((*HOMES, "--los", "mse"), "No such option '--los'."),
}


@pytest.mark.parametrize(("words", "sentence"), WRONG.values(), ids=WRONG)
def test_a_wrong_first_call_is_one_sentence_in_the_words_of_the_command_line(foldwise, words, sentence):
    code, out, err = foldwise(*words)

    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert sentence in err
    assert "=True" not in err


def test_risk_tells_how_many_rows_were_left_out(foldwise):
    code, out, err = foldwise(
        "risk", "holes.csv", "--target", "price", "--learner", "linear", "--outer", "3", "--drop-missing-target"
    )
    assert code == 0
    assert err == ""
    assert "1 of 42 rows has no target and is left out" in " ".join(out.split())


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("Say task='regression', or loss=\"log\".", "Say --task regression, or --loss log."),
        ("or stratify=False; outer=3.", "or --no-stratify; --outer 3."),
        ("--task b (--task b) and depth=3", "--task b and depth=3"),
        ("optimism=True (--optimism) adds", "--optimism adds"),
        ("the column 'task=1' of my.task=2", "the column 'task=1' of my.task=2"),
        ('columns: a, b (y="COLUMN")', "columns: a, b (--target COLUMN)"),
    ],
)
def test_options_of_python_are_flags(sentence, told):
    options = [["--task"], ["--loss"], ["--outer"]]
    flags = [
        click.Option(["--stratify/--no-stratify"]),
        click.Option(["--optimism"], is_flag=True),
        *map(click.Option, options),
    ]
    assert in_flags(sentence, [click.Command("compare", params=flags)]) == told
