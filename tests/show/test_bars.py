"""Intervals drawn with letters."""

from __future__ import annotations

import pytest

from foldwise.show.bars import interval_bar, make_bars


@pytest.mark.parametrize(
    ("numbers", "bar"),
    [
        ((0, 0, 10), "●────┤"),
        ((10, 0, 10), "├────●"),
        ((4, None, None), "  ●   "),
        ((None, None, None), "      "),
        ((99, -5, 50), "├────●"),
    ],
)
def test_a_bar_has_its_width_and_its_ends_where_the_numbers_are(numbers, bar):
    assert interval_bar(*numbers, start=0, stop=10, width=6) == bar


def test_all_methods_share_the_scale_that_holds_them_all():
    methods = [{"risk": 2.0, "low": 0.0, "high": 4.0}, {"risk": 9.0, "low": 8.0, "high": 10.0}, {"risk": None}]
    draw = make_bars(methods, 11)
    assert [draw(method) for method in methods] == ["├─●─┤      ", "        ├●┤", " " * 11]


def test_one_risk_alone_stands_in_the_middle():
    assert make_bars([{"risk": 3.0}], 5)({"risk": 3.0}) == "  ●  "
    assert make_bars([], 5)({"risk": None}) == "     "
