"""The coverage page is written in full, at any size; one design is printed alone."""

from __future__ import annotations

import coverage_page
import numpy as np
import pytest
from scipy import integrate, stats


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(coverage_page, "ROWS", (60, 90))
    monkeypatch.setattr(coverage_page, "FOLDS", (5,))
    monkeypatch.setattr(coverage_page, "REAL_SETS", {})


@pytest.mark.slow
def test_the_page_names_every_default_and_every_hard_cell(small):
    text = coverage_page.page(replications=4, jobs=2, kept="## Published designs")
    for words in (
        "corrected t",
        "Clopper-Pearson",
        "betting",
        "false alarms",
        "Selection",
        "Published designs",
        "heavy-tailed",
    ):
        assert words in text
    assert "nan" not in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert all(line.count("|") >= 4 for line in rows)


def test_one_design_is_printed_with_what_is_expected_of_it(capsys):
    coverage_page.main(["--design", "D10", "--replications", "500"])
    printed = capsys.readouterr().out
    assert "of 9 expected values agree" in printed
    assert f"| {7 / 96:.4f} |" in printed


@pytest.mark.slow
def test_equal_learners_are_rarely_told_apart_and_more_rows_find_a_better_one_more_often():
    options = {"outer": 10, "replications": 100, "jobs": 2}
    null = coverage_page.false_alarms("regression", 3, rows=60, **options)
    assert null["rate"] <= 0.06 + 2 * null["error"]
    few, many = (coverage_page.false_alarms("regression", 2, lead=1.0, rows=rows, **options) for rows in (60, 300))
    assert few["rate"] < many["rate"]
    assert many["rate"] > 0.8
    assert many["difference"] < 0


def test_a_grouped_problem_keeps_its_groups_whole():
    coverage_page.cells([("grouped", "least squares")], {"replications": 2, "jobs": 1}, rows=(60,), folds=(5,))
    problem = coverage_page.find_problem("grouped")
    X, y = problem.draw(12_000, np.random.default_rng(0))
    rest = (y - problem.mean(X)).reshape(-1, 3)
    assert np.cov(rest[:, 0], rest[:, 1])[0, 1] == pytest.approx(1.0, abs=0.15)
    assert np.corrcoef(X[::3, 0], X[1::3, 0])[0, 1] == pytest.approx(0.9, abs=0.03)


def test_the_bayes_error_of_the_logistic_problem_is_its_integral():
    integral = integrate.quad(lambda u: stats.norm.pdf(u) / (1 + np.exp(abs(2.0 * u))), -10, 10)[0]
    assert coverage_page.find_problem("logistic", beta=(2.0,)).bayes == pytest.approx(integral, abs=1e-4)


def test_many_classes_have_their_shares():
    _, y = coverage_page.find_problem("five classes").draw(50_000, np.random.default_rng(5))
    assert np.bincount(y.astype(int)) / len(y) == pytest.approx([0.5, 0.25, 0.15, 0.06, 0.04], abs=0.01)
