"""show/notebook.py: a cell that survives the sanitizer of an untrusted notebook."""

from __future__ import annotations

import base64
import re

import pytest

import foldwise as fw
from foldwise.blocks.block import Cell, Column, Drawn, Row, Sentence, Strip, Table
from foldwise.show.notebook import as_html


@pytest.fixture(scope="module")
def cell():
    return fw.compare(["ridge:small", "k-nn:small"], "diabetes", outer=3, inner=2, jobs=1)._repr_html_()


def test_pictures_are_images_and_styles_stand_in_their_elements(cell):
    assert "<svg" not in cell
    assert "<style" not in cell
    assert "<script" not in cell
    assert "class=" not in cell
    assert cell.count("<img ") >= 5


def test_every_image_is_a_drawing_with_words(cell):
    images = re.findall(r'<img src="data:image/svg\+xml;base64,([^"]+)"[^>]*alt="([^"]*)"', cell)

    assert all(base64.b64decode(code).startswith(b"<svg") for code, _ in images)
    assert any("RMSE" in words for _, words in images)


def test_two_numbers_of_a_cell_stand_on_two_lines():
    row = Row((Cell("a"), Cell("1.5", beside="1 to 2")), Drawn(1.5))
    html = as_html([Table((Column("method"), Column("RMSE")), (row,), Strip())])

    assert "1.5<br>1 to 2" in html


def test_names_are_escaped():
    html = as_html([Sentence("<b>x</b>", "verdict"), Table((Column("<i>"),), (Row((Cell("<script>"),)),))])

    assert "<script>" not in html
    assert "&lt;b&gt;x" in html
