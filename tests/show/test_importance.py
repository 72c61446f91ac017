"""Importance as text and on the page (show/importance_text.py, show/importance_section.py)."""

from __future__ import annotations

import pytest

from foldwise.show.importance_section import MOST_DRAWN, importance_panels
from foldwise.show.importance_text import MOST_LISTED, importance_text


def measured(count, *, folds=3):
    columns = [
        {"name": f"a column with a long name, {at}", "increase": 20.0 - at, "low": 19.0 - at, "high": 21.5 - at}
        for at in range(count)
    ]
    columns = [{**column, "folds": [column["low"], column["increase"], column["high"]][:folds]} for column in columns]
    return {"loss": "squared", "shuffles": 5, "of": folds, "models": folds, "columns": columns}


@pytest.mark.parametrize("width", [40, 60, 100])
def test_no_line_is_wider_than_the_screen_and_the_rest_is_told(width):
    lines = importance_text("ridge", measured(25), width=width).splitlines()
    assert max(map(len, lines)) <= width
    assert lines[-1] == "  15 others: 10 or less"
    assert sum(line.startswith("  a col") for line in lines) == MOST_LISTED


def test_one_test_set_has_no_spread():
    column = {"name": "age", "increase": 0.123, "low": 0.123, "high": 0.123, "folds": [0.123]}
    text = importance_text("ridge", {**measured(0, folds=1), "columns": [column]})
    assert "(one outer split)" in text.replace("\n", " ")
    assert text.endswith("  age  0.123")


def test_the_page_shows_the_best_method_open_and_draws_the_largest():
    methods = [
        {"name": "b", "risk": 1.0, "importance": measured(MOST_DRAWN + 5)},
        {"name": "a", "risk": 2.0, "importance": measured(2)},
        {"name": "c", "risk": 3.0, "importance": None},
        {"name": "d", "risk": 4.0, "importance": {**measured(0), "models": 1}},
    ]
    first, second = importance_panels({"best": "b", "methods": methods})
    assert (first["title"], first["is_open"], second["title"], second["is_open"]) == ("b", True, "a", False)
    assert first["chart"].count('class="dot"') == 3 * MOST_DRAWN
    shown = f"The {MOST_DRAWN} largest are shown; the record has all."
    assert first["words"] == f"The loss grows on all 3 outer splits for 19 of 20 columns. {shown}"
    assert second["words"] == "The loss grows on all 3 outer splits for 2 of 2 columns."
