"""A user's own interval through every door: `compare`, `risk`, `test_risk`, a store, a report."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import foldwise as fw
from foldwise.api.study_file import read_study, stored_study
from foldwise.errors import BadInterval, BadStudy

SEEN = []


def compute(evidence, level):
    SEEN.append((evidence, level))
    return np.quantile(evidence.fold_losses, [(1 - level) / 2, (1 + level) / 2])


def refuse(evidence):
    return None if len(evidence.fold_losses) > 2 else "it needs at least 3 splits"


OWN = fw.IntervalMethod(
    "split quantiles",
    compute,
    refuse,
    assumes="many splits",
    coverage="0.61 on 5 folds",
    reference="Me (2024). Quantiles of splits.",
)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, X @ [1.0, 2.0, 0.0] + rng.normal(size=60)


def test_a_study_prints_it_under_its_name(table):
    result = fw.compare({"ols": LinearRegression()}, *table, outer=5, interval=OWN, level=0.9)
    method = next(row for row in result.to_dict()["methods"] if row["name"] == "ols")
    losses = [fold["loss"] for fold in method["folds"]]
    assert (method["interval"], result.to_dict()["interval"]) == ("split quantiles", "split quantiles")
    assert (method["low"], method["high"]) == pytest.approx(np.quantile(losses, [0.05, 0.95]))
    words = " ".join(result.explain().split())
    assert "asked for by name; many splits" in words
    assert "Measured coverage of the split quantiles interval (folds) at 95%: 0.61 on 5 folds." in words


def test_it_receives_the_losses_by_split_and_by_row_the_sizes_and_the_level(table):
    SEEN.clear()
    estimate = fw.risk(LinearRegression(), *table, outer=5, interval=OWN, level=0.8)
    evidence, level = SEEN[-1]
    assert level == 0.8
    assert estimate.value == pytest.approx(evidence.fold_losses.mean())
    assert [part.mean() for part in evidence.row_losses] == pytest.approx(evidence.fold_losses)
    assert ([len(rows) for rows in evidence.test_rows], evidence.train_counts) == ([12] * 5, (48,) * 5)
    assert (evidence.scheme, evidence.loss.name) == ("folds", "squared")


def test_a_single_model_may_have_it_too(table):
    X, y = table
    model = LinearRegression().fit(X[:30], y[:30])
    whole = fw.IntervalMethod("range", lambda found, level: (found.row_losses[0].min(), found.row_losses[0].max()))
    found = fw.test_risk(model, X[30:], y[30:], interval=whole)
    losses = (y[30:] - model.predict(X[30:])) ** 2
    assert (found.low, found.high, found.interval) == (losses.min(), losses.max(), "range")


def test_it_is_refused_with_its_reason_before_any_fit(table):
    with pytest.raises(BadInterval, match="the split quantiles interval is not valid here: it needs at least 3 splits"):
        fw.compare({"ols": LinearRegression()}, *table, outer=0.2, interval=OWN)
    model = LinearRegression().fit(*table)
    with pytest.raises(BadInterval, match="split quantiles is not valid here: it needs at least 3 splits"):
        fw.test_risk(model, table[0] + 1, table[1], interval=OWN)


def test_no_store_keeps_it_and_loading_says_so(table, tmp_path):
    """The default interval and a note, until it is given again."""
    run = tmp_path / "run"
    first = fw.compare({"ols": LinearRegression()}, *table, outer=5, interval=OWN, store=run)
    plain, again = fw.load(run), fw.load(run, interval=OWN)
    note = "the interval 'split quantiles' was the user's own, which is not stored: the default is shown instead; give"
    assert plain.table()["interval"].tolist() == ["corrected t"] * 2
    assert any(note in text for text in plain.notes)
    assert not any("which is not stored" in text for text in [*first.notes, *again.notes])
    assert again.table()[["low", "high"]].to_numpy() == pytest.approx(first.table()[["low", "high"]].to_numpy())


def test_a_stored_study_can_be_read_with_another_interval(table, tmp_path):
    run = tmp_path / "run"
    fw.compare({"ols": LinearRegression()}, *table, outer=5, store=run)
    assert set(fw.load(run, interval="cv_clt").table()["interval"]) == {"Bayle"}
    with pytest.raises(BadInterval, match="no study makes the fits that leave out two folds, which the Bates interval"):
        fw.load(run, interval="bates")
    with pytest.raises(BadInterval, match="the t interval is not valid here: it is for one test set"):
        fw.load(run, interval="t")


PLUGIN = """
from foldwise import IntervalMethod
interval = IntervalMethod("zero to one hundred", lambda evidence, level: (0.0, 100.0))
"""


def test_a_study_file_cannot_load_an_interval_of_another_package(installed, tmp_path):
    """Only the person at the keyboard can; a store of such a study is not resumed on its word either."""
    installed("plugin_of_hundred", PLUGIN, intervals={"zero to one hundred": "plugin_of_hundred:interval"})
    words = 'data = "diabetes"\nlearners = ["linear"]\nouter = 4\n'
    plain, foreign, run = tmp_path / "plain.toml", tmp_path / "foreign.toml", tmp_path / "run"
    plain.write_text(words)
    foreign.write_text(words + 'interval = "zero_to_one_hundred"')
    with pytest.raises(BadStudy, match=r"a study file cannot name the interval .* of another package"):
        read_study(foreign)
    assert "plugin_of_hundred" not in sys.modules
    result = read_study(plain, interval="zero to one hundred", store=str(run)).run(progress=False)
    assert set(result.table()["high"]) == {100.0}
    sys.modules.pop("plugin_of_hundred")
    with pytest.raises(BadStudy, match=r"asks for the interval 'zero to one hundred' of another package\. Run"):
        stored_study(run)
    assert set(fw.load(run).table()["interval"]) == {"corrected t"}
    assert "plugin_of_hundred" not in sys.modules


def test_the_methods_paragraph_cites_it(table, tmp_path):
    result = fw.compare({"ols": LinearRegression()}, *table, outer=5, interval=OWN)
    page = tmp_path / "page.html"
    result.report(page)
    assert "intervals are 95% split quantiles intervals [" in page.read_text()
    assert "Me (2024). Quantiles of splits." in page.read_text()
