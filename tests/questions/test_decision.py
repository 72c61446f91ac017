"""Who is judged, by which margin, and what is said where nothing can be said."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor

import foldwise as fw
from foldwise.errors import BadInterval
from foldwise.questions.decision import FIGURES, MEASURED_DECISIONS

LEARNERS = {"ols": LinearRegression(), "ridge": Ridge(30.0), "k-nn": KNeighborsRegressor(3)}


def rows_of(result):
    return {row["name"]: row for row in result.to_dict()["methods"]}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(80, 3))
    return X, X @ [1.0, 0.5, 0.0] + rng.normal(size=80)


@pytest.fixture(scope="module")
def result(table):
    return fw.compare(LEARNERS, *table, outer=5, jobs=1)


def test_the_probabilities_of_the_contestants_sum_to_one_and_the_baseline_is_none(result):
    rows = rows_of(result)
    assert sum(rows[name]["p_best"] for name in LEARNERS) == pytest.approx(1)
    assert all(rows["baseline"][key] is None for key in FIGURES)
    best = rows[result.best]
    assert best["expected_regret"] == min(rows[name]["expected_regret"] for name in LEARNERS) > 0
    assert best["expected_regret_percent"] == pytest.approx(100 * best["expected_regret"] / best["risk"])


def test_the_auto_row_is_no_contestant(table):
    learners = {"ridge": fw.tune(Ridge(), alpha=[1.0, 9.0]), "k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=[2, 5])}
    rows = rows_of(fw.compare(learners, *table, outer=7, jobs=1))
    assert rows["auto"]["p_best"] is None
    assert rows["ridge"]["p_best"] + rows["k-nn"]["p_best"] == pytest.approx(1)


def test_the_default_margin_is_a_tenth_of_the_gap_to_the_baseline(result):
    rows, decision = rows_of(result), result.to_dict()["decision"]
    assert decision["margin"] == pytest.approx((rows["baseline"]["risk"] - rows[result.best]["risk"]) / 10)
    assert decision["margin_from"] == "baseline"
    within = [name for name in LEARNERS if rows[name]["p_within_margin"] >= 0.95]
    assert set(decision["within"]) == set(within)


def test_where_nothing_beats_the_baseline_there_is_no_default_margin():
    y = np.random.default_rng(1).normal(size=40)
    result = fw.compare(
        {"a": KNeighborsRegressor(1), "b": KNeighborsRegressor(2)}, np.arange(40.0)[:, None], y, outer=5, jobs=1
    )
    answer = result.to_dict()
    assert answer["best"] == "baseline"
    assert (answer["decision"]["margin"], answer["decision"]["within"]) == (None, None)
    assert rows_of(result)["a"]["p_best"] is not None
    assert rows_of(result)["a"]["within_margin"] is None
    assert result.decision(margin=5.0).within is not None
    assert "Take" not in repr(result)


@pytest.mark.parametrize(
    ("outer", "about", "df", "words"),
    [
        (5, "learners", 4, "Take {}, the best of 3 with"),
        (0.5, "predictors", 39, "Take {}, the best of these 3 predictors with"),
        (fw.TimeOrdered(5, horizon=10), "forecasts", 2, "Take {}, the best of 3 in this period with"),
    ],
)
def test_figures_are_there_wherever_pairs_have_intervals_and_say_whom_they_are_about(table, outer, about, df, words):
    result = fw.compare(LEARNERS, *table, outer=outer, jobs=1)
    decision = result.to_dict()["decision"]
    assert (decision["about"], decision["df"], decision["note"]) == (about, df, None)
    assert sum(rows_of(result)[name]["p_best"] for name in LEARNERS) == pytest.approx(1)
    assert result.decision().advice.startswith(f"Take {result.best}, the best of 3 with")
    assert MEASURED_DECISIONS[about] in " ".join(result.explain().split())


def test_two_folds_have_no_expected_regret(table):
    """A t of one degree of freedom has no mean: any number would be that of the points it was taken over."""
    result = fw.compare(LEARNERS, *table, outer=2, jobs=1)
    rows, answer = rows_of(result), result.to_dict()
    assert answer["decision"]["df"] == 1
    assert sum(rows[name]["p_best"] for name in LEARNERS) == pytest.approx(1)
    assert all(rows[name]["expected_regret"] is rows[name]["expected_regret_percent"] is None for name in LEARNERS)
    assert rows[result.best]["regret_high"] > 0
    assert f"Take {result.best}, the best of 3" in result.decision().advice
    assert any("a law without a mean" in note["text"] for note in answer["notes"])
    assert "expected regret <" not in result._repr_html_()


@pytest.mark.parametrize("outer", ["loo", fw.TimeOrdered(5, horizon=2)])
def test_where_no_comparison_is_valid_the_figures_are_none_and_a_note_says_why(table, outer):
    result = fw.compare(LEARNERS, *table, outer=outer, jobs=1)
    answer = result.to_dict()
    assert all(row[key] is None for row in answer["methods"] for key in FIGURES)
    assert answer["decision"]["note"]
    (note,) = [note["text"] for note in answer["notes"] if note["code"] == "decision"]
    assert note.startswith("which method is the best")
    assert "Take" not in repr(result)
    assert not result.decision().advice


def test_a_method_for_whose_failed_fits_the_baseline_answers_is_no_contestant(table):
    class Fails(Ridge):
        def fit(self, X, y, sample_weight=None):
            if y[0] == table[1][0]:
                raise ValueError("no")
            return super().fit(X, y, sample_weight)

    result = fw.compare({**LEARNERS, "fails": Fails()}, *table, outer=5, jobs=1, on_failure="baseline")
    rows = rows_of(result)
    assert rows["fails"]["risk"] is not None
    assert rows["fails"]["p_best"] is None
    assert sum(rows[name]["p_best"] for name in LEARNERS) == pytest.approx(1)


def test_a_stored_result_and_another_order_say_the_same(table, tmp_path, result):
    turned = fw.compare(dict(reversed(LEARNERS.items())), *table, outer=5, jobs=1, store=tmp_path / "run")
    for other in (turned, fw.load(tmp_path / "run")):
        for name in LEARNERS:
            for key in FIGURES:
                assert rows_of(other)[name][key] == pytest.approx(rows_of(result)[name][key], abs=1e-9)


@pytest.mark.parametrize("margin", [-1, float("nan"), "much", True])
def test_a_margin_that_is_none_is_refused(result, margin):
    with pytest.raises(BadInterval, match="margin is the largest regret that does not matter"):
        result.decision(margin=margin)


def test_explain_says_what_the_figures_are(result):
    assert "probability to be the best and the expected regret" in " ".join(result.explain().split())
