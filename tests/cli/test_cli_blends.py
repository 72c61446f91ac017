"""Blends on the command line and in study files: `blend(ridge+k-nn)`."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

from foldwise.api.model_file import load_model
from foldwise.api.study_file import make_spec, read_study

QUICK = ("--outer", "3", "--inner", "2", "--jobs", "1", "--quiet")


@pytest.fixture(scope="session")
def shops(tmp_path_factory):
    """40 rows with numbers, text and gaps."""
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("shops") / "rows.csv"
    frame = pd.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40), "shop": list("xyzx") * 10})
    frame["y"] = 2 * frame["a"] + (frame["shop"] == "x") + 0.1 * rng.normal(size=40)
    frame.loc[3, "b"] = np.nan
    frame.to_csv(path, index=False)
    return path


SPACES = ("--space", "ridge.alpha=0.1,10", "--space", "k-nn.n_neighbors=1,5")


def test_they_are_rows_that_share_the_fits_of_their_members(foldwise, shops, tmp_path):
    learners = "ridge,k-nn,blend(ridge, k-nn),blend(ridge+k-nn)"
    words = ("--target", "y", "--learners", learners, *SPACES, *QUICK, "--json")
    code, out, _ = foldwise("compare", shops, *words, "--store", tmp_path / "run")
    answer = json.loads(out)

    assert code == 0
    names = ["ridge", "k-nn", "blend(ridge, k-nn)", "blend(ridge+k-nn)", "baseline", "auto"]
    assert [method["name"] for method in answer["methods"]] == names
    by_name = {method["name"]: method for method in answer["methods"]}
    assert by_name["blend(ridge, k-nn)"]["fits_made"] + by_name["blend(ridge+k-nn)"]["fits_made"] == 4
    assert sum(by_name["blend(ridge+k-nn)"]["folds"][0]["candidate"].values()) == pytest.approx(1, abs=1e-5)

    code, again, _ = foldwise("resume", tmp_path / "run", "--json", "--quiet")
    resumed = json.loads(again)
    assert code == 0
    assert resumed["fits_made"] == 0
    assert [method["risk"] for method in resumed["methods"]] == [method["risk"] for method in answer["methods"]]
    code, page, _ = foldwise("report", tmp_path / "run", "--json")
    assert code == 0
    assert json.loads(page)["methods"][3]["folds"] == by_name["blend(ridge+k-nn)"]["folds"]


def test_a_blend_is_saved_and_predicts(foldwise, shops, tmp_path):
    model = tmp_path / "model.skops"
    words = ("--target", "y", "--learners", "blend(ridge+k-nn)", *QUICK, "--budget", "2", "--save", model, "--json")
    code, out, _ = foldwise("compare", shops, *words)
    assert code == 0
    assert json.loads(out)["best"] == "blend(ridge+k-nn)"
    code, _, _ = foldwise("predict", model, shops, "--out", tmp_path / "new.csv")
    found = pd.read_csv(tmp_path / "new.csv")
    assert code == 0
    assert np.corrcoef(found["prediction"], pd.read_csv(shops)["y"])[0, 1] > 0.9
    assert list(load_model(model).model.models) == ["ridge", "k-nn"]


@pytest.mark.slow
def test_the_risk_of_one_of_them(foldwise, shops):
    code, out, _ = foldwise("risk", shops, "--target", "y", "--learner", "blend(ridge+k-nn)", *QUICK, "--json")
    assert code == 0
    assert json.loads(out)["value"] > 0


def test_a_study_file_names_rows_of_its_own(shops, tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(
        f'data = "{shops}"\ntarget = "y"\nouter = 3\ninner = 2\nbudget = 2\njobs = 1\n'
        '[learners.thin]\nlearner = "ridge"\nalpha = [0.1, 1.0]\n'
        '[learners.mix]\nlearner = "blend(thin+k-nn)"\n'
    )
    result = read_study(path).run(progress=False)
    assert [method.name for method in result.study.methods] == ["thin", "mix", "mix: k-nn", "baseline"]
    assert result.study.methods[1].members == (("thin", "thin"), ("k-nn", "mix: k-nn"))


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        ("blend(ridge+no)", "no built-in learner 'no'"),
        ("blend(ridge)", "two or more learners"),
        ("blend()", "has an empty name"),
        ("blend(ridge+blend(ridge+k-nn))", "is itself a blend. Name its members instead"),
        ("blend(ridge,blend(ridge,k-nn)),tree", "is itself a blend"),
        ("bland(ridge+k-nn)", r"no learner called 'bland' that has members. Did you mean 'blend'\?"),
        ("blend(ridge+k-nn", "the brackets of blend.ridge.k-nn do not match"),
    ],
)
def test_what_is_misspelt_is_told_in_one_sentence(foldwise, shops, learner, message):
    code, out, err = foldwise("compare", shops, "--target", "y", "--learners", learner, *QUICK)
    assert code == 2
    assert out == ""
    assert re.search(message, err)
    assert "Traceback" not in err


def test_parameters_belong_to_the_members(foldwise, shops):
    flags = ("--learners", "blend(ridge+k-nn)", "--space", "blend(ridge+k-nn).alpha=1,2")
    code, _, err = foldwise("compare", shops, "--target", "y", *flags, *QUICK)
    assert code == 2
    assert "has no parameter 'alpha' of its own" in err
    code, _, err = foldwise("tune", shops, "--target", "y", "--learner", "blend(ridge+k-nn)")
    assert code == 2
    assert "has nothing of its own to tune" in err


def test_a_study_of_flags_and_its_words_from_a_store_are_the_same():
    words = {"data": "diabetes", "learners": ["ridge", "blend(ridge+k-nn)"]}
    study = make_spec(words)
    assert make_spec(study.origin()).learners == study.learners
    assert study.make_learners() == ["ridge", "blend(ridge+k-nn)"]
