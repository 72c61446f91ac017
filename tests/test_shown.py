"""Every public value has HTML for notebooks: escaped, in the colours of any theme, with no script."""

from __future__ import annotations

import inspect
import pickle
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor

import foldwise as fw
from foldwise.shown import Page, Prose, table_html, words_html

NAME = "<script>alert('&')</script>"
x = np.linspace(0, 1, 30)
X, y = x[:, None], np.sin(9 * x) + 0.1 * np.random.default_rng(0).normal(size=30)


class Shape(HTMLParser):
    """The elements of a piece of HTML, its words, and whether all that was opened was closed."""

    def __init__(self, html):
        super().__init__()
        self.seen, self.open, self.words = set(), [], ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        self.open += [] if tag == "wbr" else [tag]  # a place to break a line, which is never closed
        assert not [name for name, _ in attributes if name.startswith("on") or name == "href"]
        assert all(value.startswith("data:image/svg+xml;base64,") for name, value in attributes if name == "src")
        self.open = [open_tag for open_tag in self.open if open_tag not in ("img", "br")]  # which are never closed

    def handle_startendtag(self, tag, attributes):
        self.seen.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += "" if self.open and self.open[-1] == "style" else data


@pytest.fixture(scope="module")
def values():
    learners = {NAME: fw.tune(KNeighborsRegressor(), n_neighbors=[1, 3, 5]), "ridge": Ridge()}
    options = {"outer": 4, "inner": 3, "jobs": 1, "progress": False}
    result = fw.compare(learners, X, y, **options)
    tables = {"a": (X, y), NAME: (X, -y), "c": (X, y**2)}
    board = fw.benchmark(tables, {"ridge": Ridge(), NAME: LinearRegression()}, outer=3, jobs=1, progress=False)
    return {
        "result": result,
        "comparison": result.difference(NAME, "ridge"),
        "estimate": result.methods[0].estimate(),
        "evidence": result.methods[0].evidence,
        "rows needed": result.rows_needed(NAME, "ridge"),
        "search curve": result.search_curve(NAME),
        "explanation": result.explain(),
        "page": result.report(),
        "plan": fw.plan(learners, X, y, outer=4, inner=3),
        "curve": fw.curve({NAME: KNeighborsRegressor()}, X, y, n_neighbors=[1, 5], outer=3, jobs=1, progress=False),
        "benchmark": board,
        "pair": board.difference("ridge", NAME),
        "across": board.across,
        "parts": fw.split(X, y),
        "part": fw.split(X, y).train,
        "evaluate": fw.Evaluate([1], [2]),
        "splits": result.study.outer,
        "interval": fw.IntervalMethod(NAME, lambda evidence, level: (0, 1)),
    }


KINDS = ["result", "comparison", "estimate", "evidence", "rows needed", "search curve", "explanation", "page", "plan"]
KINDS += ["curve", "benchmark", "pair", "across", "parts", "part", "evaluate", "splits", "interval"]
SETTINGS = [
    fw.KFold(5),
    fw.LeaveOneOut(),
    fw.Repeated(fw.KFold(5), 2),
    fw.LeaveOneGroupOut(),
    fw.Holdout(0.2),
    fw.MonteCarlo(5, 0.2),
    fw.Bootstrap(5),
    fw.TimeOrdered(3),
    fw.Predefined([0, 1, 0]),
    fw.Pairs([([0], [1])]),
    fw.float_range(0, 1),
    fw.int_range(1, 9),
    fw.log_range(1, 9),
    fw.halving(),
    fw.racing(),
    fw.pinball(0.3),
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_shows_its_words_escaped_and_nothing_that_runs_or_is_fetched(values, kind):
    shown = Shape(values[kind]._repr_html_())

    assert shown.open == []
    assert shown.words.strip()
    assert not shown.seen & {"script", "link", "iframe", "object"}
    assert len(repr(values[kind])) < 20_000


@pytest.mark.parametrize(
    "kind", ["result", "comparison", "rows needed", "search curve", "explanation", "plan", "curve"]
)
def test_a_name_is_shown_as_it_is(values, kind):
    assert NAME in Shape(values[kind]._repr_html_()).words


@pytest.mark.parametrize("value", SETTINGS, ids=repr)
def test_a_setting_shows_its_line_of_text(value):
    assert Shape(value._repr_html_()).words == repr(value)


def test_every_public_class_is_shown():
    classes = {name: value for name in fw.__all__ if inspect.isclass(value := getattr(fw, name))}
    own = {name for name, value in classes.items() if not issubclass(value, Exception)}

    assert own > {"Result", "Estimate", "Comparison", "Curve", "SearchCurve", "Plan", "Benchmark", "Tuned", "KFold"}
    assert [name for name in own if not hasattr(classes[name], "_repr_html_")] == []


def test_the_html_of_a_result_loses_nothing_of_its_text(values):
    result = values["result"]
    words = " ".join(Shape(result._repr_html_()).words.split())

    for sentence in str(result).split("\n\n")[0].split(". "):
        assert " ".join(sentence.split()).rstrip(".") in words
    for number in re.findall(r"\d\.\d\d", str(result)):
        assert number in words


@pytest.mark.parametrize("kind", ["result", "comparison", "curve", "plan", "search curve", "benchmark"])
def test_no_words_have_a_colour_of_their_own_or_a_background(values, kind):
    """So that they are read on white and on black; pictures have colours that are seen on both."""
    html = values[kind]._repr_html_()

    assert not re.search(r"background(-color)?:(?! transparent)|[^-]color: ?(?!inherit)[#\w]", html)
    for colour in set(re.findall(r"#[0-9a-f]{6}", html)):
        bright = brightness(colour)
        assert 1.05 / (bright + 0.05) >= 3, colour  # on white
        assert (bright + 0.05) / (brightness("#111111") + 0.05) >= 3, colour  # JupyterLab's dark


def brightness(colour):
    """Relative luminance as WCAG has it; a ratio of 3 is enough for lines and marks."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_prose_and_pages_are_texts():
    assert Prose("a\nb") == "a\nb"
    assert repr(Prose("a\n'b'")) == "a\n'b'"
    page = Page("<p>long</p>", "runs/x.html")
    assert page == "<p>long</p>"
    assert repr(page) == f"{page.path}: a page of 1 kB"
    assert pickle.loads(pickle.dumps(page)) == page


def test_words_and_cells_are_escaped():
    assert words_html("a < b", "", "c & d") == "<p>a &lt; b</p><p>c &amp; d</p>"
    assert "&lt;b&gt;" in table_html({"<b>": ["<b>"]})
    assert "<b>" not in table_html({"<b>": ["<b>"]})
