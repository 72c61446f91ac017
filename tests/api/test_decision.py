"""`result.decision` is a data frame with an advice; a margin can also be named on the command line or in a file."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, Ridge

import foldwise as fw
from foldwise import cli
from foldwise.api.study_file import make_spec


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(60, 3))
    return pd.DataFrame(X, columns=list("abc")).assign(y=X @ [1.0, 0.5, 0.0] + rng.normal(size=60))


@pytest.fixture(scope="module")
def result(frame):
    return fw.compare({"ols": LinearRegression(), "ridge": Ridge(3.0)}, frame, "y", outer=5, jobs=1)


def test_it_is_a_data_frame_with_the_contestants_first(result):
    found = result.decision()
    assert isinstance(found, pd.DataFrame)
    assert found["method"].tolist()[-1] == "baseline"
    assert set(found["method"][:2]) == {"ols", "ridge"}
    assert found["p_best"][:2].sum() == pytest.approx(1)
    assert found["p_best"].isna().tolist() == [False, False, True]
    assert found.advice.startswith(f"Take {result.best}, the best of 2 with probability ")
    assert str(found).endswith(found.advice)
    assert "<table" in found._repr_html_()
    assert type(found[["method", "p_best"]]) is pd.DataFrame  # a part has no advice


def test_a_larger_margin_takes_in_more(result):
    narrow, wide = result.decision(margin=0.0), result.decision(margin=100.0)
    assert narrow.margin == 0
    assert wide.within == narrow["method"][:2].tolist()
    assert len(narrow.within) < 2


def test_a_margin_of_the_command_line_is_kept_with_the_study(frame, tmp_path, capsys):
    frame.to_csv(tmp_path / "t.csv", index=False)
    run = str(tmp_path / "run")
    asked = [str(tmp_path / "t.csv"), "--target", "y", "--learners", "ridge,k-nn", "--outer", "5", "--inner", "dev"]
    assert cli.run(["compare", *asked, "--margin", "0.25", "--store", run, "--jobs", "1", "--json", "--quiet"]) == 0
    decision = json.loads(capsys.readouterr().out)["decision"]
    assert (decision["margin"], decision["margin_from"]) == (0.25, "given")
    assert fw.load(run).to_dict()["decision"] == decision


def test_a_margin_below_0_is_refused_before_any_fit():
    with pytest.raises(fw.FoldwiseError, match="margin is the largest regret"):
        make_spec({"data": "diabetes", "margin": -2.0})
