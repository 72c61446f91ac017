"""Where splits chose different candidates the page says so, as the guard does."""

from __future__ import annotations

import pytest

from foldwise.show.agreement import disagreements
from foldwise.show.html import render_html

FINDING = {
    "code": "FW502", "severity": "note", "rows": [], "columns": [], "figures": {"method": "ridge"},
    "text": "ridge: 3 outer splits chose 3 candidates, and what one chose scores 9 inside the others",
    "advice": "Tune with more inner splits",
}  # fmt: skip


@pytest.fixture
def split(answer):
    answer["methods"][0]["agreement"] = 0.24
    return answer


def test_agreement_of_more_than_half_is_not_told(answer):
    assert disagreements(answer) == {}
    answer["methods"][0]["agreement"] = 0.5
    assert list(disagreements(answer)) == ["ridge"]


def test_what_it_costs_is_what_the_guard_found(split):
    (words,) = disagreements(split).values()
    assert words.startswith(
        "its commonest candidate was chosen by 24% of 3 outer splits; that this costs anything is not"
    )
    assert "More inner splits" in words

    (words,) = disagreements(split | {"findings": [FINDING]}).values()
    assert words.endswith("what one chose scores 9 inside the others (FW502). Tune with more inner splits.")
    assert "not shown" not in words


def test_few_splits_and_searches_with_values_of_their_own_are_left_out(split):
    assert disagreements(split, {"methods": [{"name": "ridge", "tried": [20, 20]}]}) == {}
    assert disagreements(split, {"methods": [{"name": "ridge"}]})
    del split["methods"][0]["folds"][2]
    assert disagreements(split) == {}


def test_both_sections_of_the_page_say_it_once(split):
    points = [
        {"value": value, "score": 1.0 + value, "low": 1.0, "high": 9.0, "folds": 1, "is_final": value == 1.0,
         "train": None, "test": None, "side": None}
        for value in (1.0, 2.0, 3.0)
    ]  # fmt: skip
    curve = {"parameter": "alpha", "points": points, "others": [], "edge": None, "is_ordered": True}
    curves = {"ridge": [curve, curve | {"parameter": "tol"}]}
    page = render_html(split, details={"curves": curves})

    choices = page[page.index('id="choices"') : page.index("Fold by fold")]
    assert choices.count("Splits disagree") == 1
    assert "More inner splits" in choices
    validation = page[page.index('id="validation"') :]
    assert validation.count("Splits disagree") == 1
    assert "chosen by 24% of the outer splits" in validation

    split["methods"][0]["agreement"] = 0.9
    assert "Splits disagree" not in render_html(split, details={"curves": curves})
