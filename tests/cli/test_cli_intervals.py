"""Prediction intervals from the command line: compare --save --intervals, predict --interval, info."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris

import foldwise as fw

COMPARE = ("compare", "--outer", "4", "--inner", "3", "--jobs", "1", "--quiet")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A model of numbers and one of classes, both with intervals, one without, and a few new rows of each."""
    from foldwise import cli

    folder = tmp_path_factory.mktemp("models")
    for name, learner, more in (
        ("diabetes", "ridge", ["--intervals"]),
        ("iris", "naive-bayes", ["--intervals"]),
        ("plain", "ridge", []),
    ):
        data = "diabetes" if name == "plain" else name
        words = [*COMPARE, data, "--learners", learner, "--save", str(folder / f"{name}.skops"), *more]
        assert cli.run(words) == 0
    load_diabetes(as_frame=True).frame.iloc[:5].to_csv(folder / "diabetes.csv", index=False)
    load_iris(as_frame=True).frame.iloc[[0, 60, 120]].to_csv(folder / "iris.csv", index=False)
    return folder


def test_saving_tells_what_intervals_cost(foldwise, tmp_path):
    code, _, err = foldwise(*COMPARE, "diabetes", "--learners", "ridge", "--save", tmp_path / "m.skops", "--intervals")
    assert code == 0
    assert "with 4 models of outer folds for prediction intervals (4 more fits, 0." in err


def test_one_test_set_keeps_one_model(foldwise, tmp_path):
    words = ("compare", "diabetes", "--learners", "ridge", "--outer", "0.3", "--inner", "3", "--jobs", "1", "--quiet")
    code, _, err = foldwise(*words, "--save", tmp_path / "m.skops", "--intervals")
    assert code == 0
    assert "with the model of the training rows for prediction intervals (1 more fit, 0." in err
    _, out, _ = foldwise("info", tmp_path / "m.skops")
    assert "1 more model is kept for them" in out


def test_a_model_without_intervals_says_how_to_make_one_that_has_them(foldwise, files):
    _, _, err = foldwise("predict", files / "plain.skops", files / "diabetes.csv", "--interval")
    assert "Make it again with `foldwise compare ... --save MODEL --intervals`" in err
    assert "result.save_model(path, --intervals)" not in err


def test_predict_adds_the_ends_of_the_intervals(foldwise, files):
    code, out, err = foldwise(
        "predict", files / "diabetes.skops", files / "diabetes.csv", "--interval", "0.8", "--json"
    )
    rows = pd.DataFrame(json.loads(out)["predictions"])
    X = pd.read_csv(files / "diabetes.csv").drop(columns="target")
    expected = fw.load_model(files / "diabetes.skops").predict_interval(X, level=0.8)
    assert code == 0
    # The last digit may follow the order of the table in memory.
    pd.testing.assert_frame_equal(rows[["low", "high"]], expected, check_exact=False, rtol=1e-12)
    assert "CV+ intervals at 80% of new rows: at least" in err


def test_the_level_is_90_percent_if_none_is_named(foldwise, files, tmp_path):
    code, _, err = foldwise(
        "predict", files / "iris.skops", files / "iris.csv", "--interval", "--out", tmp_path / "p.csv"
    )
    table = pd.read_csv(tmp_path / "p.csv")
    assert code == 0
    assert "cross-conformal sets at 90% of new rows" in err
    assert table.columns.tolist()[-4:] == ["set", "in_setosa", "in_versicolor", "in_virginica"]
    for _, row in table.iterrows():
        assert row["set"].split(" | ") == [name for name in load_iris().target_names if row[f"in_{name}"]]
        assert row["prediction"] in row["set"]


def test_info_tells_that_intervals_are_there(foldwise, files):
    _, out, _ = foldwise("info", files / "diabetes.skops")
    assert "prediction intervals: CV+ intervals at 90% of new rows: at least" in out
    assert "4 more models are kept for them" in out
    _, out, _ = foldwise("info", files / "iris.skops", "--json")
    assert json.loads(out)["intervals"]["kind"] == "cross-conformal sets"
    _, out, _ = foldwise("info", files / "plain.skops")
    assert "prediction intervals" not in out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("predict", "plain.skops", "diabetes.csv", "--interval"), "this model keeps nothing to make prediction"),
        (("predict", "diabetes.skops", "diabetes.csv", "--interval", "0.999"), "needs at least 999 rows"),
        (("predict", "diabetes.skops", "diabetes.csv", "--interval", "90"), "90.0 is not in the range"),
        (("compare", "diabetes", "--intervals"), "--intervals are saved with the model, but there is no --save"),
        (
            ("compare", "diabetes", "--time", "age", "--save", "x.skops", "--intervals"),
            "--intervals need rows whose order does not matter, and --time says that it does",
        ),
    ],
)
def test_what_cannot_be_done_is_one_sentence(foldwise, files, words, sentence):
    full = [files / word if word.endswith((".skops", ".csv")) else word for word in words]
    code, out, err = foldwise(*full)
    assert (code, out) == (2, "")
    assert sentence in err
