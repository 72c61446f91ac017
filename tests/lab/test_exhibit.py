"""`fw.lab.show`: an exhibit as text, table, picture and HTML; every claim holds: lab/gallery.py."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import foldwise as fw
from foldwise.errors import BadOption
from foldwise.lab.exhibit import Exhibit, times

DOCS = Path(__file__).parents[2] / "docs" / "gallery"
QUICK = ("knn-fits", "knn-curves", "folds", "one-split", "dev-bound", "lecture")
NAMES = [name for name in fw.lab.exhibits() if name != "honesty"]


@pytest.fixture
def shown():
    def draw(axes):
        axes.plot([0, 1], [2, 3])

    data = {"k": range(50), "risk": [0.123456] * 50}
    return Exhibit(data, "It rises.", True, {"left": draw, "middle": draw, "right": draw}, name="a", title="A title")


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


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in NAMES]
)
def test_the_claim_holds_at_a_reduced_size(name):
    shown = fw.lab.show(name, size=0.05, seed=1)
    assert shown.is_true, shown.sentence
    assert shown.title in repr(shown)
    assert "<svg" in shown.svg()


@pytest.mark.parametrize("name", NAMES)
def test_every_exhibit_has_its_page_with_the_picture(name):
    page = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {fw.lab.exhibits()[name]}\n")
    assert f"({name}.svg)" in page
    assert (DOCS / f"{name}.svg").stat().st_size > 2000


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_code_of_a_page_runs_as_it_stands(name):
    (code,) = re.findall(r"```python\n(.*?)```", (DOCS / f"{name}.md").read_text(encoding="utf-8"), re.DOTALL)
    exec(code.replace('size="full"', "size=0.05"), {})


def test_a_wrong_name_or_size_is_answered_with_what_there_is():
    with pytest.raises(BadOption, match=r"there is no exhibit 'knn-curve'.*'knn-curves'"):
        fw.lab.show("knn-curve")
    with pytest.raises(BadOption, match=r'there is no size \'huge\'. Use "small", "full" or a share'):
        fw.lab.show("folds", size="huge")
    with pytest.raises(BadOption, match="there is no size 0"):
        fw.lab.show("folds", size=0)
