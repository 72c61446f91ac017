"""The winner's interval holds over simulated studies, and is no wider than Bonferroni's; docs/decide.md has more."""

from __future__ import annotations

import pytest
from evidence.decisions import block_study
from evidence.winners import INTERVALS, winner_studies, winners


def test_there_are_2_4_and_8_equal_near_and_clear_methods_in_three_tasks():
    studies = winner_studies()
    assert len({str(study) for study in studies}) == len(studies) == 32
    assert {len(study.learners) for study in studies} == {2, 4, 8}


def test_each_interval_of_the_picked_method_is_between_the_plain_and_bonferroni():
    found = winners([block_study("regression", 0.0, 4)], replications=10, jobs=1).set_index("interval")
    assert list(found.index) == list(INTERVALS)
    assert 1 == found.loc["plain", "width"] < found.loc["winner's", "width"] < found.loc["Bonferroni", "width"]
    assert found["coverage"].is_monotonic_increasing


@pytest.mark.slow
@pytest.mark.parametrize(("methods", "lead"), [(2, 0.1), (4, 0.0), (8, 1.0)], ids=["2, near", "4, equal", "8, clear"])
def test_the_winners_interval_covers_and_is_no_wider_than_bonferroni(methods, lead):
    """The reduced run: 100 data sets, at least 93% less twice the Monte-Carlo error."""
    study = block_study("regression", 0.0, methods, lead=lead)
    found = winners([study], replications=100, jobs=1).set_index("interval")
    assert found.loc["winner's", "coverage"] >= 0.93 - 2 * 0.026
    assert found.loc["winner's", "width"] < found.loc["Bonferroni", "width"]
