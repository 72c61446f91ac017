"""The designs of the survey at reduced size: our results lie within their Monte-Carlo error of the expected ones."""

from __future__ import annotations

import pytest
from designs import cv_designs, selection
from designs.catalogue import DESIGNS, run_design
from designs.results import Result, results_frame

from foldwise.errors import BadStudy


def assert_agrees(frame):
    wrong = frame[[value is False for value in frame["agrees"]]]
    assert wrong.empty, wrong.to_string()
    assert sum(value is True for value in frame["agrees"]) >= 3


@pytest.mark.slow
@pytest.mark.parametrize(("name", "replications"), [("D3", 25), ("D6", 20), ("D8", 30), ("D9", 20), ("D10", 20_000)])
def test_a_design_gives_the_values_expected_of_it(name, replications):
    assert_agrees(run_design(name, replications=replications, seed=1, jobs=1))


@pytest.mark.slow
def test_least_squares_intervals_cover_as_published():
    assert_agrees(results_frame("D1", cv_designs.d1(replications=120, seed=1, jobs=1, sizes=(100,))))


@pytest.mark.slow
def test_logistic_intervals_miss_as_published():
    assert_agrees(results_frame("D2", cv_designs.d2(replications=60, seed=1, jobs=1, sizes=(1.0,))))


@pytest.mark.slow
def test_near_twins_cover_as_published():
    assert_agrees(results_frame("D7", cv_designs.d7(replications=200, seed=1, jobs=1, sizes=(100, 1000))))


@pytest.mark.slow
def test_published_problems_cover_about_as_published(monkeypatch):
    """Linear learners only: forests are for the full size."""
    fast = {name: cv_designs.D4_LEARNERS[name] for name in ("least squares", "ridge")}
    monkeypatch.setattr(cv_designs, "D4_LEARNERS", fast)
    found = results_frame("D4", cv_designs.d4(replications=60, seed=1, jobs=1))
    assert found["ours"].between(0.65, 1.0).all()
    assert (found["ours"] - found["expected"]).abs().max() < 0.15


@pytest.mark.slow
def test_selection_without_models_is_as_optimistic_as_expected():
    results = selection.d5(replications=80, seed=1, jobs=1, sizes=((20, 50), (100, 50)))
    assert_agrees(results_frame("D5", results))


def test_a_result_agrees_within_three_joint_errors_and_its_slack():
    assert Result("", "", 0.90, 0.01, 0.94, 0.0).agrees
    assert Result("", "", 0.88, 0.01, 0.94, 0.0).agrees is False
    assert Result("", "", 0.88, 0.01).agrees is None


def test_all_ten_designs_are_there_and_others_are_refused():
    assert list(DESIGNS) == [f"D{i}" for i in range(1, 11)]
    with pytest.raises(BadStudy, match="no design 'D12'"):
        run_design("D12")
