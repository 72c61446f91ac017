"""show/svg.py and show/scale.py: figures and strips drawn from values."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree

import pytest

from foldwise.blocks.block import Column, Drawn, Row, Strip, Table, texts
from foldwise.blocks.figure import Axis, Band, Bars, Cells, Figure, Level, Line, Points, Whiskers
from foldwise.show.scale import strip_scale
from foldwise.show.svg import figure_svg, strip_svg

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*marks, x=None, y=None):
    figure = Figure("title", x or Axis("alpha"), y or Axis("error"), marks, words="what is seen")
    return ElementTree.fromstring(str(figure_svg(figure)))


def test_every_mark_is_drawn_with_its_title_and_words():
    picture = drawn(
        Line([1, 2, 3], [1.0, 4.0, 2.0], label="test"),
        Band([1, 2], [0.5, 1.0], [2.0, 3.0]),
        Points([1, 2], [1.0, 2.0], tips=["first", "second"], names=["a", "b"]),
        Whiskers([1.0], [0.5], [1.5]),
        Bars([1], [2], [0], [3], tips=["bar"]),
        Level(2.5, label="risk"),
    )

    assert picture.find(f"{SVG}title").text == "title"
    assert picture.find(f"{SVG}desc").text == "what is seen"
    kinds = {(node.get("class") or "").split(" ")[0] for node in picture.iter()}
    assert {"line", "band", "point", "whisker", "bar", "level", "legend", "tick", "axis"} <= kinds


def test_a_larger_number_stands_higher_and_further_right():
    picture = drawn(Points([1, 10], [1.0, 2.0]))
    first, second = (node for node in picture.iter(f"{SVG}circle"))

    assert float(first.get("cx")) < float(second.get("cx"))
    assert float(first.get("cy")) > float(second.get("cy"))


def test_a_logarithmic_axis_puts_powers_at_equal_distances():
    picture = drawn(Points([1, 10, 100], [1.0, 1.0, 1.0]), x=Axis("alpha", is_log=True))
    places = [float(node.get("cx")) for node in picture.iter(f"{SVG}circle")]

    assert places[1] - places[0] == pytest.approx(places[2] - places[1], abs=0.02)


def test_a_level_beyond_the_scale_is_told_with_an_arrow():
    picture = drawn(Line([1, 2], [1.0, 2.0]), Level(50.0, label="baseline"), y=Axis("error", high=3.0))

    assert "↑ baseline 50" in [node.text for node in picture.iter(f"{SVG}text")]


def test_a_marked_cell_has_a_ring_and_the_darkest_shade_is_the_strongest():
    picture = drawn(Cells([0, 1], [0, 0], [0.0, 1.0], texts=["1", "9"], marked=(1,)))
    cells = [node for node in picture.iter(f"{SVG}rect") if node.get("class") == "cell"]

    assert float(cells[0].get("fill-opacity")) < float(cells[1].get("fill-opacity"))
    assert sum(node.get("class") == "best-cell" for node in picture.iter(f"{SVG}rect")) == 1


def test_text_in_a_figure_is_escaped():
    figure = Figure("<script>", Axis("a&b"), Axis("<y>"), (Line([1, 2], [1.0, 2.0], label="<i>"),))

    assert "<script>" not in figure_svg(figure)
    assert "&lt;script&gt;" in figure_svg(figure)


def test_a_strip_shares_one_scale_and_leaves_out_what_lies_beyond():
    rows = (
        Row(texts(["a"]), Drawn(2.0, 1.0, 3.0, words="a: 2")),
        Row(texts(["b"]), Drawn(403.0, 400.0, 406.0)),
    )
    table = Table((Column("method", is_text=True),), rows, Strip(most=10.0))
    scale = strip_scale(table)

    assert scale.low < 1.0
    assert 3.0 < scale.high < 10.0
    assert "403 →" in strip_svg(rows[1].drawn, scale, table.strip)
    first = ElementTree.fromstring(str(strip_svg(rows[0].drawn, scale, table.strip)))
    assert first.get("aria-label") == "a: 2"
    value = next(node for node in first.iter(f"{SVG}circle"))
    assert math.isclose(float(value.get("cx").rstrip("%")), scale(2.0), abs_tol=0.01)
