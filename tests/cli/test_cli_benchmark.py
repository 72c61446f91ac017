"""`foldwise benchmark`: data sets and their targets as words, one store for each, the right exit code."""

from __future__ import annotations

import json

import numpy as np
import pytest

import foldwise as fw

QUICK = ("--learners", "ridge,linear", "--space", "ridge.alpha=0.1,10", "--outer", "3", "--inner", "2", "--jobs", "1")


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    """Two small tables whose targets have different names."""
    folder, rng = tmp_path_factory.mktemp("tables"), np.random.default_rng(0)
    for name, target in (("homes", "price"), ("cars", "speed")):
        rows = [f"{a:.3f},{b:.3f},{a - b + 0.2 * e:.3f}" for a, b, e in rng.normal(size=(30, 3))]
        (folder / f"{name}.csv").write_text("\n".join([f"a,b,{target}", *rows]) + "\n", encoding="utf-8")
    return folder


def test_data_sets_and_targets_are_words(foldwise, tables, tmp_path):
    words = (f"{tables / 'homes.csv'}:price", f"{tables / 'cars.csv'}:speed", *QUICK, "--store", tmp_path / "runs")
    code, out, err = foldwise("benchmark", *words, "--report", tmp_path / "page.html", "--json")

    assert code == 0
    answer = json.loads(out)
    assert [data["data"] for data in answer["datasets"]] == ["homes", "cars"]
    assert [method["name"] for method in answer["methods"] if method["compared"]] == sorted(
        ["ridge", "linear"], key=lambda name: next(m["mean_rank"] for m in answer["methods"] if m["name"] == name)
    )
    assert "with 2 data sets and 1 pair no p can be below 0.5" in err
    assert "<title>2 methods on 2 data sets</title>" in (tmp_path / "page.html").read_text(encoding="utf-8")

    again = json.loads(foldwise("benchmark", *words, "--json")[1])
    assert again["fits_made"] == 0
    ours = fw.load(tmp_path / "runs" / "homes").to_dict()["methods"]
    assert [method["risk"] for method in ours] == [m["risk"] for m in answer["datasets"][0]["answer"]["methods"]]
    code, out, _ = foldwise("resume", tmp_path / "runs" / "cars", "--json")
    assert (code, json.loads(out)["fits_made"]) == (0, 0)


def test_one_target_serves_all_and_the_text_says_who_is_best(foldwise, tables):
    quick = ("--learners", "ridge,linear", "--space", "ridge.alpha=1", "--outer", "3", "--inner", "2", "--quiet")
    code, out, _ = foldwise("benchmark", tables / "homes.csv", "diabetes", "--target", "price", *quick)

    assert code == 0  # the built-in set has no such column, and the other is answered all the same
    assert "Without an answer: diabetes." in " ".join(out.split())
    assert "Note: diabetes has no answer and is left out: " in out


def test_learners_of_two_tasks_can_be_resumed_apart(foldwise, tables, tmp_path):
    words = (f"{tables / 'homes.csv'}:price", "iris", "--learners", "linear,naive-bayes", "--outer", "3", "--jobs", "1")
    code, out, _ = foldwise("benchmark", *words, "--store", tmp_path, "--json")

    assert code == 0
    assert [data["left_out"] for data in json.loads(out)["datasets"]] == [["naive-bayes"], ["linear"]]
    assert foldwise("resume", tmp_path / "iris", "--json")[0] == 0


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("iris", "iris"), 2, "two data sets are named 'iris'. Rename one of the files."),
        (("no.csv:y",), 2, "no: there is no file 'no.csv'. Check the path."),
        (("iris", "--learners", "rigde"), 2, "iris: there is no built-in learner 'rigde'. Did you mean 'ridge'?"),
        (("iris", "--learners", "ridge", "--control", "rdige"), 2, "there is no method 'rdige' to be the control"),
    ],
    ids=["doubled", "missing", "learner", "control"],
)
def test_what_cannot_be_done_is_one_sentence(foldwise, words, code, sentence):
    found, out, err = foldwise("benchmark", *words)

    assert (found, out) == (code, "")
    assert sentence in err


def test_time_that_is_up_is_told_by_the_exit_code(foldwise, tables):
    code, out, err = foldwise(
        "benchmark", f"{tables / 'homes.csv'}:price", "--time-limit", "0.000001", *QUICK, "--json"
    )

    assert code == 3
    assert json.loads(out)["datasets"][0]["status"] == "unfinished"
    assert "with --store FOLDER the same line goes on from here" in err
