"""A curve for notebooks."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsRegressor

import foldwise as fw
from foldwise.show.fragments import curve_fragment


@pytest.fixture(scope="module")
def curve():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    return fw.curve(KNeighborsRegressor(), X, X[:, 0], n_neighbors=[1, 3, 5], outer=3, jobs=1).to_dict()


class Cells(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.cells, self.is_inside = set(), [], False

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.is_inside = tag in ("td", "th")
        if self.is_inside:
            self.cells.append("")

    def handle_data(self, data):
        if self.is_inside:
            self.cells[-1] += data


def test_a_curve_has_its_picture_and_every_number_and_no_script(curve):
    found = Cells()
    found.feed(curve_fragment(curve))
    assert {"svg", "table"} <= found.tags
    assert "script" not in found.tags
    assert found.cells[:4] == ["n_neighbors", "training error", "test error", "gap"]
    assert found.cells[4::4] == ["1", "3", "5"]
    assert [float(cell) for cell in found.cells[6::4]] == pytest.approx([p["test"] for p in curve["points"]], rel=1e-2)


def test_names_from_outside_are_escaped(curve):
    text = curve_fragment(curve | {"parameter": "<b>", "learner": "<i>"})
    assert "<b>" not in text
    assert "<i>" not in text
