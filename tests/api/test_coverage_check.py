"""The coverage check: the study again on tables like its own, and what it says of intervals that fail."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

import foldwise as fw
from foldwise.api.coverage_check import CoverageCheck
from foldwise.errors import BadInterval, BadStudy


def regression(rows: int = 60, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(rows, 3)), columns=["a", "b", "c"])
    return X, X.to_numpy() @ [1.0, 0.5, 0.0] + rng.normal(size=rows)


@pytest.fixture(scope="module")
def result():
    return fw.compare(["ridge", "k-nn"], *regression(), outer=5, inner=3, jobs=1)


@pytest.fixture(scope="module")
def check(result) -> CoverageCheck:
    return result.coverage_check(intervals=["own", "naive z"], replications=4, time_limit=None, jobs=1)


def test_every_method_and_interval_has_a_row_and_every_pair_one(check):
    assert check.replications == 4
    rows = check.intervals
    assert set(zip(rows["method"], rows["interval"], strict=True)) == {
        (method, name) for method in ("ridge", "k-nn", "baseline") for name in ("the study's own", "naive z")
    }
    assert (rows["answered"] == 4).all()
    assert rows["coverage"].between(0, 1).all()
    assert len(check.differences) == 3
    assert 0 <= check.false_alarms <= 1
    wider = rows.pivot_table(index="method", columns="interval", values="width")
    assert (wider["the study's own"] > wider["naive z"]).all()


def test_the_truth_is_the_risk_on_fresh_rows_and_close_to_the_estimates(check, result):
    rows = check.intervals[check.intervals["interval"] == "naive z"].set_index("method")
    assert rows.loc["ridge", "truth"] == pytest.approx(rows.loc["ridge", "mean_estimate"], rel=0.3)
    assert rows.loc["ridge", "truth"] == pytest.approx(result.to_dict()["methods"][0]["risk"], rel=0.4)
    assert rows.loc["ridge", "truth"] < rows.loc["baseline", "truth"]


def test_it_says_what_it_found_and_that_4_tables_are_few(check):
    assert "4 simulated tables like yours" in str(check)
    assert "Monte-Carlo error" in str(check)
    assert "4 tables are too few to say more" in str(check)
    found = json.loads(json.dumps(check.to_dict(), allow_nan=False))
    assert found["replications"] == 4
    assert {"method", "interval", "coverage", "error"} <= set(found["intervals"][0])


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others(result, check):
    again = result.coverage_check(intervals=["own", "naive z"], replications=4, time_limit=None, jobs=1)
    pd.testing.assert_frame_equal(again.intervals, check.intervals)
    other = result.coverage_check(replications=2, time_limit=None, jobs=1, seed=5)
    assert not np.isclose(other.intervals["truth"].iloc[0], check.intervals["truth"].iloc[0])


def test_fewer_learners_and_less_time_make_it_cheaper(result):
    found = result.coverage_check(learners=["ridge"], replications=50, time_limit=0.01, jobs=1)
    assert found.replications == 2
    assert set(found.intervals["method"]) == {"ridge", "baseline"}


def test_progress_tells_the_cost_of_a_table_first(result, capsys):
    result.coverage_check(learners=["ridge"], replications=2, time_limit=60, jobs=1, progress=True)
    assert "coverage check: 1 of 2 tables" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ({"replications": 1}, BadStudy, "1 replications show nothing"),
        ({"learners": ["ridgee"]}, BadStudy, "there is no method 'ridgee' in this study"),
        ({"intervals": "naiv"}, BadInterval, "there is no interval 'naiv'"),
        ({"time_limit": "soon"}, BadStudy, "time limit"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_any_fit(result, words, error, message):
    with pytest.raises(error, match=message):
        result.coverage_check(**words)


def test_groups_and_time_are_refused():
    X, y = regression()
    for words in ({"groups": np.arange(60) // 4}, {"time": np.arange(60.0)}):
        found = fw.compare(["ridge"], X, y, outer=4, jobs=1, **words)
        with pytest.raises(BadStudy, match="groups or in the order of time are not simulated"):
            found.coverage_check(replications=2, jobs=1)


def test_classes_on_one_test_set_are_judged_for_this_predictor():
    X, y = regression(120)
    result = fw.compare(["logistic"], X, np.where(y > 0.8, "yes", "no"), outer=0.4, inner=3, jobs=1)
    found = result.coverage_check(replications=3, time_limit=None, jobs=1)
    row = found.intervals.set_index("method").loc["logistic"]
    assert row["answered"] == 3
    assert 0 < row["truth"] < 0.5
    assert not math.isnan(row["coverage"])


@pytest.mark.slow
def test_a_naive_interval_fails_where_the_study_s_own_holds():
    """Repeats bring no new rows, but the naive interval counts them: it covers far too little, and is named."""
    result = fw.compare(["ridge"], *regression(60), outer=5, inner=3, repeats=4, jobs=1)
    found = result.coverage_check(
        intervals=["own", "naive z"], learners=["ridge"], replications=40, time_limit=50, jobs=1
    )
    rows = found.intervals[found.intervals["method"] == "ridge"].set_index("interval")
    own, naive = rows.loc["the study's own"], rows.loc["naive z"]
    assert own["coverage"] >= 0.95 - 3 * own["error"]
    assert naive["coverage"] + 2 * naive["error"] < 0.95
    assert "naive z of ridge" in str(found)
