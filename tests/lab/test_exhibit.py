"""What an exhibit showed, as text, table, picture and HTML."""

from __future__ import annotations

import sys

import pandas as pd
import pytest

from foldwise.errors import BadOption
from foldwise.lab.exhibit import Exhibit, Panel, Shown, times


@pytest.fixture
def shown():
    panel = Panel(lambda axes: axes.plot([0, 1], [2, 3]), "left")
    frame = pd.DataFrame({"k": range(50), "risk": [0.123456] * 50})
    return Shown("a", "A title", "It rises.", frame, (panel, panel, panel), is_true=True)


def test_a_long_table_is_printed_in_part_and_given_whole(shown):
    assert len(repr(shown).splitlines()) < 30
    assert "0.1235" in repr(shown)
    assert len(shown.table()) == 50


def test_the_picture_has_every_panel_and_is_the_same_every_time(shown):
    assert len(shown.plot().axes) == 3
    assert shown.svg() == shown.svg()
    assert "<svg" in shown._repr_html_()


def test_the_first_panel_can_be_drawn_into_a_figure_of_ones_own(shown):
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    assert shown.plot(ax=axes) is axes.figure
    assert len(axes.lines) == 1


def test_without_matplotlib_the_words_are_left(shown, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(BadOption, match=r"pictures need Matplotlib. Install it with pip install \"foldwise\[plot\]\""):
        shown.plot()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "It rises." in shown._repr_html_()


def test_a_size_scales_what_is_drawn_down_to_a_least():
    assert [times(1000, size, least=50) for size in (1, 0.1, 0.001)] == [1000, 100, 50]
    sizes = []
    Exhibit("a", "A", "B", lambda size, seed: sizes.append((size, seed))).show(size=0.5, seed=3)
    assert sizes == [(0.5, 3)]
