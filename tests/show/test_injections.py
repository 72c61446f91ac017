"""Names and texts from outside are shown and never obeyed: columns, classes, learners, parameters, files, errors."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

import foldwise as fw
from foldwise.blocks.numbers import plain
from foldwise.show.html import html_fragment, render_html

INJECTIONS = json.loads((Path(__file__).parent / "injections.json").read_text(encoding="utf-8"))
ELEMENTS = {
    "html", "head", "meta", "title", "style", "body", "a", "header", "div", "span", "svg", "rect", "circle", "line",
    "text", "path", "desc", "button", "h1", "h2", "p", "nav", "ul", "li", "fieldset", "legend", "label", "input",
    "main", "section", "strong", "dl", "dt", "dd", "b", "details", "summary", "table", "caption", "thead", "tbody",
    "tfoot", "tr", "th", "td", "figure", "figcaption", "ol", "code", "script", "wbr", "small",
}  # fmt: skip


class Page(HTMLParser):
    """All that a browser would find in a page: elements, attributes and text."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.attributes, self.texts, self.scripts = [], [], [], 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append(tag)
        self.attributes += attributes
        self.scripts += tag == "script"

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")

    def handle_data(self, data):
        self.texts.append(data)


def poison(answer, text):
    """Every text of an answer that may come from outside."""
    ridge = answer["methods"][0]
    ridge["name"] = answer["best"] = answer["loss"] = answer["refit"]["method"] = text
    ridge["target"] = ridge["interval"] = text
    ridge["failures"] = [{"status": text, "count": 1, "first": text}]
    ridge["failed"] = 1
    ridge["folds"][0]["candidate"] = answer["refit"]["candidate"] = {text: text}
    answer["notes"] = [{"code": text, "text": text}]
    answer["versions"], answer["fingerprint"], answer["outer"], answer["inner"] = {text: text}, text, text, text
    point = {
        "value": text,
        "score": 1.0,
        "low": 0.5,
        "high": 2.0,
        "folds": 2,
        "is_final": True,
        "train": 1.0,
        "test": 2.0,
    }
    curve = {"parameter": text, "points": [point, {**point, "value": 2}], "is_ordered": False, "others": True}
    classes = {"classes": [text, "b"], "counts": [[1, 2], [3, 4]]}
    bins = {"of": text, "bins": [{"said": 0.2, "so": 0.3, "rows": 4}]}
    pair = {"names": [text, text], "value": 1.0, "low": 0.5, "high": 1.5, "p": 0.1, "interval": text}
    return {
        "curves": {text: [curve | {"sides": {"left": text, "right": text}, "edge": text}]},
        "predictions": {text: {"confusion": classes, "calibration": bins}},
        "differences": [pair],
    }


def test_there_are_sixty_of_them():
    assert len(INJECTIONS) >= 60


@pytest.mark.parametrize("text", INJECTIONS, ids=range(len(INJECTIONS)))
def test_text_from_outside_is_shown_and_never_obeyed(answer, text):
    details = poison(answer, text)
    learning = {"learner": text, "parameter": text, "points": [{"value": text, "train": 1.0, "test": 2.0}]}
    page = Page(render_html(answer, title=text, details=details, curves=[learning]))
    Page(html_fragment(answer))

    assert set(page.elements) <= ELEMENTS
    assert page.scripts == 2
    assert not [name for name, _ in page.attributes if name.startswith("on") or name in ("style", "src", "action")]
    hrefs = [value for name, value in page.attributes if name == "href"]
    assert all(value.startswith(("#", "data:application/json;base64,")) for value in hrefs)
    assert plain(text).strip() in "".join(page.texts)
    assert json.loads(_record(page)) == answer


def _record(page):
    return next(text for text in page.texts if text.startswith('{"best"'))


class Raises(DummyClassifier):
    """Fails with a text of its own."""

    def __init__(self, text=""):
        super().__init__()
        self.text = text

    def fit(self, X, y, sample_weight=None):
        raise ValueError(self.text)


def test_a_study_of_hostile_names_makes_a_harmless_page(tmp_path):
    rng = np.random.default_rng(0)
    names = [text for text in INJECTIONS if text.isprintable() and len(text) < 200]
    X = pd.DataFrame(rng.normal(size=(24, 4)), columns=names[:4])
    y = np.array(names[4:7])[np.arange(24) % 3]
    learners = {name: DummyClassifier(strategy="prior") for name in names[:6]}
    learners |= {f"fails {name}": Raises(name) for name in names[6:10]}
    result = fw.compare(learners, X, y, outer=3, jobs=1)
    path = tmp_path / "a <b> & 'c'.html"
    page = Page(result.report(path, title=path.name))

    assert page.scripts == 2
    assert set(page.elements) <= ELEMENTS
    assert json.loads(_record(page)) == json.loads(json.dumps(result.to_dict()))
