"""`fw.load` with another loss (api/load.py, questions/lacking.py), and titles of pages."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import foldwise as fw
from foldwise.api.load import title_of
from foldwise.errors import BadLoss


def rows(n=90, noise=1.0):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + noise * rng.normal(size=n) > 0).astype(int)


def the_notes(result):
    return [note["text"] for note in result.to_dict()["notes"] if note["code"] == "loss"]


def test_a_loss_that_the_predictions_answer_has_the_numbers_of_a_new_study(tmp_path):
    X, y = rows()
    fw.compare({"bayes": GaussianNB()}, X, y, outer=4, jobs=1, store=tmp_path / "run")
    again = fw.load(tmp_path / "run", loss="brier")
    new = fw.compare({"bayes": GaussianNB()}, X, y, outer=4, jobs=1, loss="brier")
    assert again.table()["risk"].tolist() == new.table()["risk"].tolist()
    assert the_notes(again) == []


def test_a_loss_that_no_method_answers_is_refused_with_which_and_how_many(tmp_path):
    X, y = rows()
    learners = {"ridge": RidgeClassifier(), "k": fw.tune(KNeighborsClassifier(), n_neighbors=[3, 9])}
    fw.compare(learners, X, y, outer=4, inner=3, jobs=1, store=tmp_path / "run")
    with pytest.raises(BadLoss) as refused:
        fw.load(tmp_path / "run", loss="hinge")
    words = str(refused.value)
    assert "the loss 'hinge' needs fits that the store lacks: ridge (4 of 4 fits)" in words
    assert "k (gives no decision values, so no fit can help)" in words
    assert "Run the study again with this loss and this store" in words
    made = fw.compare({"ridge": learners["ridge"]}, X, y, outer=4, loss="hinge", jobs=1, store=tmp_path / "run").made
    assert made["ridge"] == 4


def test_methods_that_lack_fits_are_named_beside_those_that_have_a_risk(tmp_path):
    X, y = rows(noise=0.5)
    learners = {"logit": LogisticRegression(), "ridge": RidgeClassifier()}
    fw.compare(learners, X, y, outer=4, jobs=1, store=tmp_path / "run")
    result = fw.load(tmp_path / "run", loss="log")

    assert result.best == "logit"
    (words,) = the_notes(result)
    assert "ridge (gives no probabilities, so no fit can help)" in words
    assert result.table().set_index("method").loc["ridge", "status"] == "unfinished"


def test_the_baseline_is_no_answer_for_want_of_others(tmp_path):
    """A method that is worse than the baseline has a risk, but the one that may be better lacks its fits."""
    X, y = rows(noise=0.5)
    learners = {"near": KNeighborsClassifier(1), "ridge": RidgeClassifier()}
    result = fw.compare(learners, X, y, outer=4, jobs=1, store=tmp_path / "run")
    assert result.best == "ridge"
    with pytest.raises(BadLoss, match=r"'log' .*: ridge \(gives no probabilities"):
        fw.load(tmp_path / "run", loss="log")


def test_a_search_that_would_choose_otherwise_says_how_many_outer_fits_it_lacks(tmp_path):
    X, y = rows()
    learners = {"k": fw.tune(KNeighborsClassifier(), n_neighbors=[1, 3, 25]), "bayes": GaussianNB()}
    fw.compare(learners, X, y, outer=4, inner=3, jobs=1, store=tmp_path / "run")
    result = fw.load(tmp_path / "run", loss="log")
    found = [words for words in the_notes(result) if "k (" in words]
    made = fw.compare(learners, X, y, loss="log", outer=4, inner=3, jobs=1, store=tmp_path / "run").made
    assert made["k"] > 0
    assert f"k ({made['k']} of " in found[0]


def test_a_further_loss_that_lacks_responses_is_noted_too(tmp_path):
    X, y = rows()
    fw.compare({"ridge": RidgeClassifier()}, X, y, outer=4, jobs=1, store=tmp_path / "run")
    result = fw.load(tmp_path / "run", loss=["zero_one", "hinge", "log"])
    assert result.best == "ridge"
    hinge, log = the_notes(result)
    assert hinge.startswith("the loss 'hinge' needs fits that the store lacks: ridge (4 of 4 fits)")
    assert "ridge (gives no probabilities" in log
    assert result.table()["risk: hinge"].isna()[0]


def strict(y, prediction):
    return (y != prediction).astype(float)


def test_a_study_under_its_own_loss_is_not_refused_for_fits_to_come(tmp_path):
    X, y = rows()
    learners = {"k": fw.tune(KNeighborsClassifier(), n_neighbors=list(range(1, 12)))}
    stopped = fw.compare(
        learners, X, y, loss=strict, outer=5, inner=4, solvers=False, time_limit=1e-9, jobs=1, store=tmp_path / "run"
    )
    assert not stopped.is_finished
    assert fw.load(tmp_path / "run", loss=strict).best is None


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


def test_a_result_is_loaded_without_scikit_learn(tmp_path):
    x = np.linspace(0, 1, 30)
    fw.compare(["ridge:small"], x[:, None], np.sin(9 * x), outer=3, inner=2, store=tmp_path / "run", jobs=1)
    code = "import sys, foldwise as fw; fw.load(sys.argv[1]).to_dict(); print('sklearn' in sys.modules)"
    words = [sys.executable, "-c", code, str(tmp_path / "run")]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "False\n"
