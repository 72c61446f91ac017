"""The manual has a page of every kind of study, made by its own script; holds docs/make_examples.py."""

from __future__ import annotations

import importlib.util
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
KINDS = ["regression", "binary", "multiclass", "groups", "time", "benchmark"]
VOID = {"meta", "link", "br", "hr", "img", "input", "col", "wbr"}
SIGNS = {  # what only a page of this kind has
    "regression": "Predicted and true values",
    "binary": "true positive rate of class malignant",
    "multiclass": "Grignolino",
    "groups": "grouped folds",
    "time": "time-ordered",
    "benchmark": "Mean ranks",
}


class Tags(HTMLParser):
    """Every tag that is opened is closed, in order."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("make_examples", DOCS / "make_examples.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_script_has_every_kind_and_the_manual_links_its_page(script):
    linked = re.findall(r":link: pages/(\w+)\.html", (DOCS / "example-pages.md").read_text(encoding="utf-8"))

    assert list(script.KINDS) == linked == KINDS


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_complete(kind, script, tmp_path):
    page = script.write(kind, tmp_path, share=0.4).read_text(encoding="utf-8")

    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert SIGNS[kind] in page
    assert f"<title>{script.KINDS[kind][0]}" in page
    assert "<script src" not in page
    assert re.search(r'(src|href)="https?:', page) is None
    kept = re.search(r'<script[^>]*id="answer"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert json.loads(kept[1])
    assert 50_000 < len(page) < 1_000_000
