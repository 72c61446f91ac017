"""Findings of results."""

from __future__ import annotations

import json

import numpy as np
import pytest
from cases import check_cases, codes_in
from results_cases import (
    neighbours,
    of_noise,
    plane,
    rare,
    searched,
    sure,
    waves,
    with_odd_errors,
)
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

import foldwise as fw
from foldwise.cli import run

EXACT = plane()
WORDS = "the risk of ridge is 0.001"


def exact(**words) -> fw.Result:
    return fw.compare({"ridge": Ridge(1e-6)}, *EXACT, outer=5, jobs=1, **words)


def edge(**words) -> fw.Result:
    return fw.compare(neighbours([12, 20, 25]), *waves(), outer=4, inner=3, jobs=1, **words)


@pytest.mark.parametrize("code", codes_in("results"))
def test_a_check_fires_where_it_should_and_is_silent_elsewhere(code):
    check_cases(code)


def test_a_warning_stands_in_the_text_the_page_the_methods_paragraph_and_the_json():
    result = exact()

    assert result.findings.codes == ["FW506"]
    assert result.to_dict()["findings"][0]["figures"]["risk"] == pytest.approx(0.035**2, rel=0.2)
    for shown in (str(result), result._repr_html_(), page := result.report()):
        assert "FW506" in shown
        assert "the risk of ridge is 0.001" in shown
    assert "The checks for leaks and traps warned: the risk of ridge is" in page


def test_it_stands_in_a_loaded_result_and_after_an_interruption_to_the_byte(tmp_path):
    whole = exact(store=tmp_path / "whole")
    loaded = fw.load(tmp_path / "whole")
    stopped = fw.compare({"ridge": Ridge(1e-6)}, *EXACT, outer=5, jobs=1, store=tmp_path / "cut", time_limit=1e-6)
    resumed = exact(store=tmp_path / "cut")

    assert not stopped.is_finished
    assert stopped.findings.codes == []
    told = [json.dumps(one.to_dict()["findings"]) for one in (whole, loaded, resumed)]
    assert told[0] == told[1] == told[2] != "[]"


def test_it_is_silenced_as_any_other_also_in_a_loaded_result(tmp_path):
    assert exact(silence="FW506", store=tmp_path / "run").findings.codes == []
    assert fw.load(tmp_path / "run").findings.codes == []
    assert exact(guards=False).findings.codes == []


def test_the_end_of_a_space_is_told_once_as_a_finding_and_as_a_note_without_guards():
    guarded, unguarded = edge(), edge(guards=False)
    (finding,) = guarded.findings
    (note,) = (one for one in unguarded.to_dict()["notes"] if one["code"] == "edge")

    assert finding.text == "k-nn: n_neighbors=12 is the smallest value tried and 4 of 4 outer splits chose it"
    assert note["text"] == f"{finding.text}: try values beyond it"
    assert str(guarded.details()).count("smallest value tried") == 1
    assert not any(one["code"] == "edge" for one in guarded.to_dict()["notes"])


def test_a_rare_class_is_told_once():
    rng = np.random.default_rng(0)
    y = (np.arange(300) < 9).astype(int)
    result = fw.compare(["k-nn"], rng.normal(size=(300, 2)), y, outer=3, inner=3, jobs=1)

    assert "FW505" in result.findings.codes
    assert not any(one["code"] == "imbalance" for one in result.to_dict()["notes"])
    assert str(result).count("balanced_zero_one") == 1


def test_equal_findings_of_many_methods_are_one():
    X = np.random.default_rng(0).normal(size=(80, 2))
    many = {f"{k}-nn": KNeighborsRegressor(k) for k in (1, 2, 3)}
    result = fw.compare(many, X, np.random.default_rng(1).normal(size=80), outer=4, jobs=1)
    (finding,) = result.findings

    assert finding.text.startswith("no method has a smaller risk than the baseline (")
    assert finding.figures["methods"] == ["1-nn", "2-nn", "3-nn"]


def test_one_poor_method_is_named():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 8))
    learners = {"1-nn": KNeighborsRegressor(1), "linear": LinearRegression()}
    result = fw.compare(learners, X, X[:, 0] + 2 * rng.normal(size=100), outer=5, jobs=1)

    assert [one.code for one in result.findings] == ["FW504"]
    assert result.findings[0].text.startswith("1-nn has no smaller risk than the baseline (")


def test_no_error_in_few_rows_is_no_wonder_but_in_many_it_is():
    assert "FW506" in sure(1500)
    assert "FW506" not in sure(200)


def test_a_fold_with_too_many_errors_is_told_and_luck_is_not():
    assert "FW507" in with_odd_errors(is_odd=True)
    assert "FW507" not in with_odd_errors(is_odd=False)


def test_a_tenth_of_rare_rows_is_told_only_where_nothing_beats_the_baseline():
    assert "FW505" in rare(0.08, 0.0)
    assert "FW505" not in rare(0.08, 1.5)


def test_underfitting_is_told_beside_a_better_method():
    stump = DecisionTreeRegressor(max_depth=1, random_state=0)
    learners = {"stump": stump, "k-nn": KNeighborsRegressor(3)}
    result = fw.compare(learners, *waves(400, 0.1), outer=5, jobs=1)

    assert [one.code for one in result.findings] == ["FW508"]
    assert result.findings[0].text.startswith("stump (training risk ")
    assert " underfits beside k-nn (" in result.findings[0].text


def test_a_search_by_luck_has_its_curve_in_the_figures():
    rng = np.random.default_rng(1)
    assert "FW503" in searched(400)
    from results_cases import Lucky

    X, y = rng.normal(size=(320, 1)), np.sign(rng.normal(size=320))
    result = fw.compare({"lucky": fw.tune(Lucky(), draw=range(300))}, X, y, outer=0.9, inner=0.5, jobs=1)
    (finding,) = (one for one in result.findings if one.code == "FW503")
    assert finding.figures["tried"] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300]
    assert finding.figures["selection_scores"][-1] == pytest.approx(finding.figures["selection_score"])
    assert finding.figures["risks"][-1] == pytest.approx(finding.figures["risk"])


def test_a_risk_alone_has_findings_of_its_own_result():
    estimate = fw.risk(fw.tune(KNeighborsRegressor(), n_neighbors=[12, 20, 25]), *waves(), outer=4, inner=3, jobs=1)

    assert [one["code"] for one in estimate.details["findings"]] == ["FW501"]


def test_the_command_line_tells_what_the_results_say(tmp_path, capsys):
    import pandas as pd

    X, y = EXACT
    pd.DataFrame(X).assign(y=y).rename(columns=str).to_csv(tmp_path / "exact.csv", index=False)
    line = ["compare", str(tmp_path / "exact.csv"), "--target", "y", "--learners", "linear", "--outer", "4", "--quiet"]

    assert run(line) == 0
    assert "Warning FW506: the risk of linear is" in capsys.readouterr().out


def test_every_check_of_results_is_silent_of_an_unfinished_study(tmp_path):
    stopped = fw.compare(
        neighbours([12, 20, 25]), *waves(), outer=4, inner=3, jobs=1, store=tmp_path / "run", time_limit=1e-6
    )
    assert stopped.findings.codes == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["diabetes", "wine"])
def test_usual_studies_have_no_warning_and_one_note_at_most(name):
    found = fw.compare(name, effort="quick", jobs=1).findings

    assert [one for one in found if one.severity != "note" and one.code.startswith("FW5")] == []
    assert len([one for one in found if one.code.startswith("FW5")]) <= 1


@pytest.mark.parametrize("name", ["diabetes", "iris"])
def test_a_few_learners_on_usual_data_are_left_in_peace(name):
    learner = "ridge" if name == "diabetes" else "logistic"

    found = fw.compare([learner, "k-nn"], name, outer=4, inner=3, jobs=1).findings.codes
    assert [code for code in found if code.startswith("FW5")] == []


def test_noise_without_any_signal_is_told():
    assert of_noise(0.0) == ["FW504"]
