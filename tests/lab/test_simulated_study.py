"""Coverage: the study again on simulated tables, what is true there, and what is said of intervals that fail."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression

import foldwise as fw
from foldwise.errors import BadData, BadInterval, BadStudy
from foldwise.lab.problems import find_problem
from foldwise.lab.simulated_study import Coverage, simulate, study_of_problem
from foldwise.stats.chooser import INTERVALS


def regression(rows: int = 60, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(rows, 3)), columns=["a", "b", "c"])
    return X, X.to_numpy() @ [1.0, 0.5, 0.0] + rng.normal(size=rows)


@pytest.fixture(scope="module")
def result():
    return fw.compare(["ridge", "k-nn"], *regression(), outer=5, inner=3, jobs=1)


@pytest.fixture(scope="module")
def check(result) -> Coverage:
    return fw.lab.coverage(like=result, intervals=["own", "naive z"], replications=4, time_limit=None, jobs=1)


def test_estimates_and_true_risks_are_those_of_a_plain_loop():
    """Least squares of one simulated table, fold by fold, on its own rows and on fresh ones."""
    problem = find_problem("linear")
    runnable, tables = study_of_problem(problem, {"ls": LinearRegression()}, 40, outer=4, jobs=1)
    reading, true = simulate(runnable, tables, [0, 7], 100)
    X, y = problem.draw(140, np.random.default_rng([0, 7]))
    estimates, risks = [], []
    for split in runnable.study.outer:
        model = LinearRegression().fit(X[split.train], y[split.train])
        estimates.append(np.mean((y[split.test] - model.predict(X[split.test])) ** 2))
        risks.append(np.mean((y[40:] - model.predict(X[40:])) ** 2))
    methods = [fw.Result(part, made={}, seconds=0.0).methods[0] for part in (reading, true)]
    assert [method.risk for method in methods] == pytest.approx([np.mean(estimates), np.mean(risks)])


def test_tables_of_a_problem_have_its_form():
    runnable, tables = study_of_problem(find_problem("13% positive"), None, 80, outer=0.3, jobs=1)
    drawn = tables(500, np.random.default_rng(1), "1")
    assert drawn.rows == 500
    assert drawn.classes == runnable.data.classes
    assert drawn.fingerprint != runnable.data.fingerprint


def test_exact_coverage_of_clopper_and_pearson_is_found():
    """Of a predictor whose risk is one half, coverage is a binomial sum."""
    judged = fw.lab.coverage(
        "noise classes", outer=0.5, rows=60, intervals="Clopper-Pearson", replications=150, time_limit=None, jobs=2
    ).intervals.iloc[0]
    k = np.arange(31)
    low = np.where(k > 0, stats.beta.ppf(0.025, k, 31 - k), 0)
    high = np.where(k < 30, stats.beta.ppf(0.975, k + 1, 30 - k), 1)
    exact = stats.binom.pmf(k, 30, 0.5)[(low <= 0.5) & (high >= 0.5)].sum()
    assert judged["truth"] == pytest.approx(0.5, abs=0.01)
    assert abs(judged["coverage"] - exact) < 4 * np.sqrt(exact * (1 - exact) / 150)


def test_the_naive_interval_misses_where_the_survey_says_it_does():
    """Least squares on noise, 20 columns, 100 rows: naive z at 90% covers about 84%, and the corrected t 95%."""
    judged = fw.lab.coverage(
        "noise", outer=10, level=0.9, intervals=["corrected t", "naive z"], replications=150, time_limit=None, jobs=2
    ).intervals
    covers = judged[judged["method"] == "linear"].set_index("interval")
    assert covers.loc["naive z", "coverage"] == pytest.approx(0.84, abs=0.09)
    assert covers.loc["corrected t", "coverage"] == pytest.approx(0.95, abs=0.05)
    assert covers.loc["naive z", "truth"] == pytest.approx(91 * 88 / (90 * 68), abs=0.05)  # at 90 rows, in closed form


@pytest.mark.parametrize("problem", ["linear", "two classes"])
def test_the_default_of_cross_validation_covers_ordinary_problems(problem):
    judged = fw.lab.coverage(problem, outer=10, replications=150, time_limit=None, jobs=2).intervals
    assert (judged["coverage"] >= 0.93 - 3 * judged["error"]).all()


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


def test_the_truth_of_tables_like_ones_own_is_close_to_the_estimates(check, result):
    rows = check.intervals[check.intervals["interval"] == "naive z"].set_index("method")
    assert rows.loc["ridge", "truth"] == pytest.approx(rows.loc["ridge", "mean_estimate"], rel=0.3)
    assert rows.loc["ridge", "truth"] == pytest.approx(result.to_dict()["methods"][0]["risk"], rel=0.4)
    assert rows.loc["ridge", "truth"] < rows.loc["baseline", "truth"]


def test_it_says_what_was_simulated_and_that_4_tables_are_few(check):
    assert "4 simulated tables like yours" in str(check)
    assert "4 tables are too few to say more" in str(check)
    plain = json.loads(json.dumps(check.to_dict(), allow_nan=False))
    assert plain["replications"] == 4
    assert {"method", "interval", "coverage", "error"} <= set(plain["intervals"][0])


def test_the_same_seed_gives_the_same_numbers_for_any_number_of_workers(result, check):
    again = fw.lab.coverage(like=result, intervals=["own", "naive z"], replications=4, time_limit=None, jobs=2)
    pd.testing.assert_frame_equal(again.intervals, check.intervals)
    other = fw.lab.coverage(like=result, replications=2, time_limit=None, jobs=1, seed=5)
    assert not np.isclose(other.intervals["truth"].iloc[0], check.intervals["truth"].iloc[0])


def test_a_time_limit_stops_after_two_tables_and_progress_tells_the_cost_of_one(capsys):
    judged = fw.lab.coverage("linear", outer=3, replications=50, time_limit=0.001, jobs=1, progress=True)
    assert judged.replications == 2
    assert "coverage: 1 of 50 tables" in capsys.readouterr().err


def test_a_table_takes_two_learners_that_are_quick():
    X, y = regression(40)
    judged = fw.lab.coverage(like=X, target=y, outer=3, inner="dev", replications=2, time_limit=None, jobs=1)
    assert set(judged.intervals["method"]) == {"ridge", "k-nn", "baseline"}


def test_an_interval_and_a_problem_of_your_own_are_judged_too():
    """The corrected t at 1.2 times its width covers more than itself; one that refuses has no answer."""
    corrected = INTERVALS["corrected t"]

    def compute(evidence, level):
        ends = corrected.ends(evidence, level)
        return 1.2 * ends.low - 0.2 * ends.value, 1.2 * ends.high - 0.2 * ends.value

    names = ["corrected t", fw.IntervalMethod("wide", compute), fw.IntervalMethod("shy", compute, lambda e: "no")]
    options = {"outer": 5, "rows": 90, "replications": 8, "time_limit": None, "jobs": 1}
    rows = fw.lab.coverage(find_problem("linear", variance=4.0), intervals=names, **options).intervals
    rows = rows[rows["method"] == "linear"].set_index("interval")
    assert rows.loc["wide", "width"] == pytest.approx(1.2 * rows.loc["corrected t", "width"], rel=0.05)
    assert rows.loc["shy", "answered"] == 0
    assert rows.loc["wide", "truth"] > 4


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ({"replications": 1}, BadStudy, "1 replications show nothing"),
        ({"intervals": "naiv"}, BadInterval, "there is no interval 'naiv'"),
        ({"time_limit": "soon"}, BadStudy, "time limit"),
        ({"problem": "liner"}, BadData, "no problem 'liner'. Did you mean 'linear'"),
        ({"problem": "linear", "like": "diabetes"}, BadStudy, "of a problem or like a table, not both"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_any_fit(words, error, message):
    with pytest.raises(error, match=message):
        fw.lab.coverage(**words)


def test_a_search_and_a_result_from_a_store_are_refused(result, tmp_path):
    searched = fw.compare(["k-nn"], *regression(), outer=3, tuner="tpe", budget=3, jobs=1, guards=False)
    with pytest.raises(BadStudy, match="k-nn is tuned by a search"):
        fw.lab.coverage(like=searched)
    fw.compare(["linear"], *regression(), outer=3, jobs=1, store=tmp_path / "run")
    with pytest.raises(BadStudy, match="loaded from a store has no learners"):
        fw.lab.coverage(like=fw.load(tmp_path / "run"))


def test_classes_on_one_test_set_are_judged_for_this_predictor():
    X, y = regression(120)
    classes = np.where(y > 0.8, "yes", "no")
    judged = fw.lab.coverage(
        like=X, target=classes, learners=["logistic"], outer=0.4, inner=3, replications=3, time_limit=None, jobs=1
    )
    row = judged.intervals.set_index("method").loc["logistic"]
    assert row["answered"] == 3
    assert 0 < row["truth"] < 0.5
    assert not math.isnan(row["coverage"])


@pytest.mark.slow
def test_a_naive_interval_fails_where_the_study_s_own_holds():
    """Repeats bring no new rows, but the naive interval counts them: it covers far too little, and is named."""
    result = fw.compare(["ridge"], *regression(60), outer=5, inner=3, repeats=4, jobs=1)
    judged = fw.lab.coverage(like=result, intervals=["own", "naive z"], replications=40, time_limit=90, jobs=2)
    rows = judged.intervals[judged.intervals["method"] == "ridge"].set_index("interval")
    own, naive = rows.loc["the study's own"], rows.loc["naive z"]
    assert own["coverage"] >= 0.95 - 3 * own["error"]
    assert naive["coverage"] + 2 * naive["error"] < 0.95
    assert "naive z of ridge" in str(judged)
