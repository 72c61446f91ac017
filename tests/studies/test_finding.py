"""Findings as values."""

from __future__ import annotations

import foldwise as fw

NOTE = fw.Finding("FW204", "note", "a is constant", columns=("a",))
WARNING = fw.Finding("FW101", "warn", "rows occur twice", rows=(1, 2), figures={"pairs": 25})


def test_the_gravest_come_first_and_print_a_line_each():
    found = fw.Findings([NOTE, WARNING])

    assert str(found) == "warning FW101: rows occur twice.\nnote FW204: a is constant."
    assert found.codes == ["FW101", "FW204"]
    assert found[:1] == fw.Findings([WARNING])
    assert found._repr_html_().count("<p>") == 2


def test_a_frame_has_the_fields_as_columns_even_when_empty():
    keys = ["code", "severity", "text", "rows", "columns", "figures", "advice"]
    assert list(fw.Findings([]).to_frame().columns) == list(fw.Findings([NOTE]).to_frame().columns) == keys
    assert list(NOTE.to_dict()) == keys
