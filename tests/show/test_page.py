"""show/page.py: one self-contained page; names and texts from outside are shown and never obeyed."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Ridge

import foldwise as fw
from foldwise.blocks.block import (
    Cell,
    Chapter,
    Column,
    Document,
    Drawn,
    Facts,
    Finding,
    Panels,
    Row,
    Sentence,
    Strip,
    Table,
)
from foldwise.blocks.figure import Axis, Bars, Cells, Figure, Level, Line, Points
from foldwise.blocks.numbers import plain
from foldwise.show.page import page_html, script_json, write_page

INJECTIONS = json.loads((Path(__file__).parent / "injections.json").read_text(encoding="utf-8"))
WITHOUT = """
import sys
for name in ("sklearn", "optuna", "lightgbm", "xgboost", "catboost", "matplotlib"):
    sys.modules[name] = None  # importing it fails
import foldwise as fw
page = fw.load(sys.argv[1]).report(sys.argv[2])
assert 'id="tuning"' in page and "Software: Foldwise" in page
"""


class Page(HTMLParser):
    """All that a browser would find in a page: elements, attributes and text."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.attributes, self.texts = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append(tag)
        self.attributes += attributes

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")

    def handle_data(self, data):
        self.texts.append(data)


def poisoned(text):
    """Every kind of block, with one text wherever a text may come from outside."""
    marks = (
        Line([1, 2], [1.0, 2.0], label=text),
        Points([1], [1.0], label=text, tips=[text], names=[text]),
        Bars([0], [1], [0], [1], label=text, tips=[text]),
        Level(1.5, label=text),
        Level(99.0, label=text),
        Cells([0], [0], [1.0], [text], [text], low=text, high=text),
    )
    figure = Figure(text, Axis(text, ticks=((1.0, text),)), Axis(text, high=3.0), marks, text)
    row = Row(
        (Cell(text, beside=text), Cell(text)), Drawn(1.0, 0.5, 1.5, points=((1.0, text),), words=text), method=text
    )
    table = Table((Column(text, is_text=True), Column(text)), (row,), Strip(text), title=text, caption=text)
    blocks = (
        Sentence(text, "verdict"),
        Sentence(text, "warning"),
        Finding(text, "warn", text),
        table,
        Facts(((text, text),), text),
        Panels((figure,), text, text),
        Chapter(text, (Sentence(text),), is_folded=True),
    )
    return Document(text, text, blocks, blocks, (Chapter(text, blocks, "key"),))


@pytest.mark.parametrize("text", INJECTIONS, ids=range(len(INJECTIONS)))
def test_a_text_from_outside_is_shown_as_it_is_and_makes_no_element(text):
    harmless, page = Page(page_html(poisoned("x"), {"x": "x"})), Page(page_html(poisoned(text), {"x": text}))

    assert page.elements.count("script") == harmless.elements.count("script") == 2
    assert set(page.elements) - {"wbr"} == set(harmless.elements) - {"wbr"}
    assert {name for name, _ in page.attributes} == {name for name, _ in harmless.attributes}
    assert not any(name.startswith("on") for name, _ in page.attributes)


def test_a_whole_study_with_hostile_names_is_a_page_without_their_elements():
    hostile = "<img src=x onerror=alert(1)>"
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 2)), columns=[hostile, "b"])
    target = np.where(frame["b"] > 0, "<script>alert(2)</script>", "b")
    text = fw.compare({hostile: DummyClassifier()}, frame, target, outer=3, jobs=1).report()

    assert "<img" not in text
    assert "alert(2)</script>" not in text
    assert plain(hostile).replace("<", "&lt;").replace(">", "&gt;") in text


def test_the_page_allows_its_own_style_and_script_and_nothing_else():
    page = page_html(poisoned("x"), {})

    assert "default-src &#39;none&#39;" in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in page


@pytest.mark.parametrize("value", ["</script><script>alert(1)</script>", "<!--", "\u2028", "a & b"])
def test_json_in_a_script_ends_no_script(value):
    text = str(script_json({"a": value}))

    assert json.loads(text) == {"a": value}
    assert not set("<>&\u2028") & set(text)


def test_every_number_of_the_answer_is_in_the_page_as_json():
    result = fw.compare(["ridge:small", "k-nn:small"], "diabetes", outer=3, inner=2, jobs=1)
    text = result.report().partition('<script type="application/json" id="answer">')[2].partition("</script>")[0]

    assert json.loads(text) == result.to_dict()


def test_a_page_needs_its_store_alone_and_is_the_page_of_the_run(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    learner, store = fw.tune(Ridge(), alpha=[0.1, 1.0, 10.0]), tmp_path / "run"
    result = fw.compare({"ridge": learner}, X, X.sum(axis=1), outer=4, inner=3, jobs=1, store=store)

    subprocess.run([sys.executable, "-c", WITHOUT, store, tmp_path / "page.html"], check=True)
    assert result.report().count("<section") == (tmp_path / "page.html").read_text(encoding="utf-8").count("<section")


def test_the_verdict_and_the_drawn_table_come_first_and_at_most_eight_chapters_follow():
    page = fw.compare(["ridge:small", "k-nn:small"], "diabetes", outer=3, inner=2, jobs=1).report()

    assert page.index('class="verdict"') < page.index('class="sortable drawn"') < page.index('id="metrics"')
    assert page.count('<li><a href="#') <= 8


def test_the_old_page_stays_until_the_new_one_is_whole(tmp_path, monkeypatch):
    path = write_page(tmp_path / "folder" / "page.html", "old")
    monkeypatch.setattr("os.fsync", lambda number: (_ for _ in ()).throw(OSError(28, "No space left on device")))

    with pytest.raises(fw.errors.BadStudy, match="No space left"):
        write_page(path, "new")

    assert path.read_text() == "old"
    assert [entry.name for entry in path.parent.iterdir()] == ["page.html"]


def test_a_study_of_no_finished_method_has_a_page():
    document = replace(poisoned("x"), lead=(Sentence("No method has an error yet.", "verdict"),), chapters=())

    assert "No method has an error yet." in page_html(document, {})
