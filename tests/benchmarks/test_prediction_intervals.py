"""How often prediction intervals and sets cover, at a small size, and the tables that are made of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import prediction_intervals
import pytest
from conformal_designs import choice_effect, group_effect

from foldwise.api.model_card import SIMULATED

RECORD = json.loads(prediction_intervals.RECORD.read_text())
PAGE = Path(prediction_intervals.__file__).parents[1] / "docs" / "prediction-intervals.md"


def test_a_choice_among_equal_methods_costs_a_few_points_of_coverage():
    found = choice_effect(50, 20, draws=150)
    assert np.allclose(found["named"], prediction_intervals.LEVELS, atol=0.03)
    assert all(
        0.01 < named - chosen < 0.09 for named, chosen in zip(found["named"][:2], found["chosen"][:2], strict=True)
    )


def test_groups_as_units_cover_new_groups_where_rows_fall_short():
    found = group_effect(20, draws=150)
    assert all(share >= level - 0.02 for share, level in zip(found["groups"], prediction_intervals.LEVELS, strict=True))
    assert found["rows"][0] < found["groups"][0] - 0.03


@pytest.mark.slow
@pytest.mark.parametrize("name", ["linear", "two classes", "breast cancer"])
def test_intervals_of_five_learners_cover_new_rows(name, monkeypatch):
    """One draw of each: the mean over learners and choices is near the level, and every one above what is proved."""
    monkeypatch.setattr(prediction_intervals, "MOST_NEW", 300)
    rows = [row for row in prediction_intervals.judged(name, 0) if row["kind"] == "CV+"]
    for level in prediction_intervals.LEVELS:
        shares = [row["covered"] for row in rows if row["level"] == level]
        assert len(shares) == 7
        assert min(shares) >= 2 * level - 1 - 0.07
        assert np.mean(shares) >= level - 0.06


def test_the_page_has_the_tables_of_the_record():
    assert prediction_intervals.table(RECORD) in PAGE.read_text(encoding="utf-8")


def test_the_promise_names_what_was_simulated():
    for task, by_level in prediction_intervals.ranges(RECORD).items():
        assert {level: tuple(np.round(found, 3)) for level, found in by_level.items()} == {
            level: tuple(found) for level, found in SIMULATED[task].items()
        }
