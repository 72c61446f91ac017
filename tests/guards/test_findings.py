"""Findings as values; holds guards/findings.py, guards/code.py and studies/finding.py."""

from __future__ import annotations

import numpy as np
import pytest

import foldwise as fw
from foldwise.guards.code import Code
from foldwise.studies.finding import finding_from

NOTE = Code("FW204", "constant column", "note").found("a is constant", columns=["a"])
WARNING = Code("FW101", "duplicates", "warn").found("rows occur twice", rows=range(50), figures={"pairs": np.int64(25)})


def test_the_gravest_come_first_and_print_a_line_each():
    found = fw.Findings([NOTE, WARNING])

    assert str(found) == "warning FW101: rows occur twice.\nnote FW204: a is constant."
    assert found.codes == ["FW101", "FW204"]
    assert found[:1] == fw.Findings([WARNING])
    assert found._repr_html_().count("<p>") == 2


def test_of_many_rows_the_first_are_named_and_figures_are_plain():
    assert WARNING.rows == tuple(range(20))
    assert WARNING.figures == {"pairs": 25}
    assert type(WARNING.figures["pairs"]) is int


def test_a_figure_that_is_no_number_is_none():
    assert Code("FW101", "x", "warn").found("x", figures={"p": float("nan")}).figures == {"p": None}


def test_a_finding_comes_back_from_its_dictionary():
    assert finding_from(WARNING.to_dict()) == WARNING
    with pytest.raises(KeyError, match="severity"):
        finding_from({**WARNING.to_dict(), "severity": "loud"})


def test_a_frame_has_the_fields_as_columns_even_when_empty():
    keys = ["code", "severity", "text", "rows", "columns", "figures", "advice"]
    assert list(fw.Findings([]).to_frame().columns) == list(fw.Findings([NOTE]).to_frame().columns) == keys
    assert list(NOTE.to_dict()) == keys
