"""Tables for a terminal break lines between words, and take no more room than there is."""

from __future__ import annotations

import pytest

from foldwise.show.bars import Bars, make_bars
from foldwise.show.text_table import Column, broken, draw_table


@pytest.mark.parametrize("width", [30, 50, 90])
def test_no_line_is_wider_than_the_screen_and_numbers_stay_whole(width):
    names = Column("method", ["a learner with a long name", "b"], is_left=True)
    table = draw_table([names, Column("selection score", ["3017.25", "12"])], width=width)

    assert max(map(len, table.splitlines())) <= width
    assert "3017.25" in table


def test_a_word_that_fits_nowhere_is_cut_at_the_room_there_is():
    assert broken("x" * 9, 4) == ["xxxx", "xxxx", "x"]
    assert broken("", 0) == [""]


def test_wide_letters_count_as_two():
    lines = draw_table([Column("name", ["林檎", "ab"], is_left=True), Column("n", ["1", "2"])], width=40).splitlines()

    assert lines[-2].endswith("林檎   1")
    assert lines[-1].endswith("ab     2")


def test_the_scale_has_each_number_below_its_place():
    bars = Bars(0.0, 100.0, 41)

    assert bars.scale.index("40") + 1 == bars({"risk": 40.0}).index("●")


def test_one_method_far_away_does_not_squeeze_the_others():
    near, far = {"risk": 1.0, "low": 0.9, "high": 1.1}, {"risk": 900.0, "low": 800.0, "high": 1000.0}
    bars = make_bars([near, far], 30)

    assert len(bars(near).strip()) >= 3
    assert bars(far).endswith("→")
    assert len(bars(far)) == 30
