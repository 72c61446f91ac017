"""The coverage page is written in full, at any size; one design is printed alone."""

from __future__ import annotations

import coverage_page
import pytest


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(coverage_page, "ROWS", (60, 90))
    monkeypatch.setattr(coverage_page, "FOLDS", (5,))
    monkeypatch.setattr(coverage_page, "REAL_SETS", {})


@pytest.mark.slow
def test_the_page_names_every_default_and_every_hard_cell(small):
    text = coverage_page.page(replications=4, jobs=1, designs=("D10",))
    for words in ("corrected t", "Clopper-Pearson", "betting", "false alarms", "Selection", "D10", "heavy-tailed"):
        assert words in text
    assert "nan" not in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert all(line.count("|") >= 4 for line in rows)


def test_one_design_is_printed_with_what_is_expected_of_it(capsys):
    coverage_page.main(["--design", "D10", "--replications", "500", "--jobs", "1"])
    printed = capsys.readouterr().out
    assert "of 9 expected values agree" in printed
    assert f"| {7 / 96:.4f} |" in printed
