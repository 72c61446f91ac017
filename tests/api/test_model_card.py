"""What is promised of prediction intervals, in words (api/model_card.py)."""

from __future__ import annotations

import pytest

from foldwise.api.model_card import SIMULATED, promise_words
from foldwise.errors import BadInterval

CARD = {"kind": "CV+ intervals", "models": 13, "unit": "row", "unit_counts": [34] * 13, "choice": "named", "among": 1}


def test_the_proved_share_is_told_with_its_reason():
    words = promise_words(CARD, 0.9)
    assert words.startswith(
        "CV+ intervals at 90% of new rows: at least 74.7% is proved (1 - 2 alpha, less 5.3 points for 13 folds)"
    )


def test_one_test_set_has_the_level_itself():
    words = promise_words({**CARD, "unit_counts": [50]}, 0.9)
    assert "at least 90% is proved" in words
    assert "simulated" not in words  # the simulations are of folds


def test_groups_are_about_a_new_group_and_have_no_simulated_figure():
    words = promise_words({**CARD, "unit": "group"}, 0.9)
    assert "90% of a new group" in words
    assert "simulated" not in words


def test_a_choice_on_the_same_rows_is_told():
    picked = promise_words({**CARD, "choice": "outer", "among": 3})
    assert "at least 74.7% is proved of a method named beforehand" in picked  # no proof holds for the one picked
    assert picked.endswith("this one was chosen among 3 on the same rows, which costs a little coverage")
    assert "chosen" not in promise_words({**CARD, "choice": "inner", "among": 3})


@pytest.mark.parametrize("card", [None, {}, {"unit_counts": "x"}, {"unit_counts": [0]}, {"unit_counts": [True]}])
def test_a_stranger_s_card_promises_nothing(card):
    assert promise_words(card) == "not known"


def test_a_level_that_the_rows_cannot_have_is_refused():
    with pytest.raises(BadInterval, match="needs at least 999 rows"):
        promise_words(CARD, 0.999)


def test_simulated_shares_stand_beside_the_levels_that_were_simulated():
    for task, kind in (("numbers", "CV+ intervals"), ("classes", "cross-conformal sets")):
        for level, (low, high) in SIMULATED[task].items():
            assert low <= high
            assert ", simulated " in promise_words({**CARD, "kind": kind}, level)
    assert "simulated" not in promise_words(CARD, 0.77)
