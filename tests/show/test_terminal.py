"""show/terminal.py: blocks as text of any width."""

from __future__ import annotations

import pytest

from foldwise.blocks.block import Cell, Column, Drawn, Finding, Row, Sentence, Strip, Table, texts
from foldwise.show.terminal import as_text

COLUMNS = (
    Column("method", is_text=True),
    Column("RMSE"),
    Column("R2", is_spare=True),
    Column("P(best)", is_spare=True),
)
ROWS = (
    Row(texts(["ridge", "54.9", "0.49", "86%"]), Drawn(54.9, 48.3, 60.8), "best"),
    Row(texts(["k-nearest neighbours", "57.5", "0.44", "14%"]), Drawn(57.5, 51.6, 62.8)),
    Row(texts(["baseline", "77.2", "-0.01", ""]), Drawn(77.2, 66.1, 87.0), "quiet", has_rule=True),
)
TABLE = Table(COLUMNS, ROWS, Strip(), strip_after=2)


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_wider_than_the_screen_and_no_number_is_lost(width):
    text = as_text([TABLE], width=width)

    assert max(map(len, text.splitlines())) <= width
    assert all(number in text for number in ("54.9", "57.5", "77.2", "k-nearest neighbours"))


def test_the_drawing_is_kept_by_leaving_out_spare_columns():
    narrow, wide = as_text([TABLE], width=45), as_text([TABLE], width=80)

    assert "●" in narrow
    assert "P(best)" not in narrow
    assert "P(best)" in wide


def test_intervals_stand_in_the_order_of_their_numbers():
    lines = [line for line in as_text([TABLE], width=100).splitlines() if "●" in line]

    assert [line.index("●") for line in lines] == sorted(line.index("●") for line in lines)
    assert all(line.index("├") < line.index("●") < line.index("┤") for line in lines)


def test_what_lies_beyond_the_scale_is_told_with_an_arrow():
    table = Table(COLUMNS, ROWS, Strip(most=65.0), strip_after=2)

    assert "77.2 →" in as_text([table], width=100)


def test_control_characters_of_a_name_reach_no_terminal():
    row = Row((Cell("evil\x1b[31m"), Cell("1"), Cell("1"), Cell("1")), Drawn(1.0))

    assert "\x1b" not in as_text([Table(COLUMNS, (row,), Strip(), strip_after=2)], width=80)


def test_the_best_row_is_green_only_where_colours_are_wanted():
    assert "\x1b[" in as_text([TABLE], width=80, color=True)
    assert "\x1b[" not in as_text([TABLE], width=80)


def test_warnings_and_notes_say_what_they_are():
    blocks = [Finding("FW505", "warn", "96.7% of the rows are 'No'."), Sentence("All fits are done.", "note")]

    assert as_text(blocks, width=80) == "Warning FW505: 96.7% of the rows are 'No'.\n\nNote: All fits are done."
