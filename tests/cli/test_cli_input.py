"""Tables from standard input and packed files (cli/): the same answer as from the file, and studies that go on."""

from __future__ import annotations

import gzip
import io
import json
import sys
import zipfile

import numpy as np
import pytest

from foldwise.cli.studies import STOPPED

QUICK = ("--learners", "ridge", "--space", "ridge.alpha=0.1,10", "--outer", "3", "--inner", "2", "--jobs", "1")


@pytest.fixture
def rows(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "rows.csv"
    numbers = rng.normal(size=(40, 2)).round(4)
    lines = ["a,b,part,y", *(f"{a},{b},{at % 3},{round(2 * a + b, 4)}" for at, (a, b) in enumerate(numbers))]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def pipe(monkeypatch):
    return lambda content: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def answer(foldwise, *words):
    code, out, err = foldwise("compare", *words, "--target", "y", *QUICK, "--json")
    assert code == 0, err
    found = json.loads(out)
    return found["fingerprint"], found["methods"][0]["risk"]


def test_standard_input_gzip_and_zip_give_the_answer_of_the_file(foldwise, rows, pipe, tmp_path):
    expected = answer(foldwise, rows)
    pipe(rows.read_bytes())
    assert answer(foldwise, "-") == expected
    (tmp_path / "rows.csv.gz").write_bytes(gzip.compress(rows.read_bytes()))
    assert answer(foldwise, tmp_path / "rows.csv.gz") == expected
    with zipfile.ZipFile(tmp_path / "rows.zip", "w") as archive:
        archive.write(rows, "rows.csv")
    assert answer(foldwise, tmp_path / "rows.zip") == expected


def test_fold_labels_can_come_from_a_column_of_standard_input(foldwise, rows, pipe):
    pipe(rows.read_bytes())
    code, out, _ = foldwise("compare", "-", "--target", "y", *QUICK, "--outer", "column:part", "--json")
    assert code == 0
    assert len(json.loads(out)["methods"][0]["folds"]) == 3


def test_a_study_of_standard_input_goes_on_with_the_file_or_the_pipe(foldwise, rows, pipe, tmp_path, monkeypatch):
    run = tmp_path / "run"
    pipe(rows.read_bytes())
    code, _, err = foldwise("compare", "-", "--target", "y", *QUICK, "--store", run, "--time-limit", "0.000001")
    assert code == STOPPED
    assert f"foldwise resume {run} --data FILE" in err

    pipe(b"")
    code, _, err = foldwise("resume", run)
    assert code == 2
    assert f"the table of {run} came from standard input, where there is none now. Give it as a file" in err

    expected = answer(foldwise, rows)
    pipe(rows.read_bytes())
    code, out, _ = foldwise("resume", run, "--json")
    assert (code, json.loads(out)["methods"][0]["risk"]) == (0, expected[1])
    code, out, _ = foldwise("resume", run, "--data", rows, "--json")
    assert (code, json.loads(out)["fits_made"]) == (0, 0)
    assert foldwise("resume", run, "--json")[0] == 0  # the file is known from now on


def test_another_table_is_refused_when_a_study_goes_on(foldwise, rows, tmp_path):
    answer(foldwise, rows, "--store", tmp_path / "run")
    other = tmp_path / "other.csv"
    other.write_text(rows.read_text().replace("a,b", "b,a", 1))

    code, _, err = foldwise("resume", tmp_path / "run", "--data", other)

    assert code == 2
    assert "the store was made from something else" in err


def test_a_model_predicts_the_rows_on_standard_input(foldwise, rows, pipe, tmp_path):
    model = tmp_path / "model.skops"
    answer(foldwise, rows, "--save", model)
    expected = foldwise("predict", model, rows)[1]

    pipe(rows.read_bytes())

    assert foldwise("predict", model, "-")[:2] == (0, expected)
    assert expected.startswith("row,prediction\n0,")


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "standard input is empty"), (b"PAR1", "standard input holds a Parquet file")],
)
def test_standard_input_that_is_no_table_is_one_sentence_and_exit_code_2(foldwise, pipe, content, words):
    pipe(content)
    code, out, err = foldwise("compare", "-", "--target", "y")
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


def test_a_study_that_a_limit_has_stopped_says_that_it_wrote_no_model(foldwise, rows, tmp_path):
    model, words = tmp_path / "model.skops", ("--time-limit", "0.000001", "--store", tmp_path / "run")
    code, _, err = foldwise("compare", rows, "--target", "y", *QUICK, *words, "--save", model)
    assert (code, model.exists()) == (STOPPED, False)
    assert f"no model was written to {model}, as the study is not finished" in err
