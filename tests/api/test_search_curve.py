"""The curve of a search can be drawn, and says in a notebook what it prints."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsRegressor

import foldwise as fw


@pytest.fixture(scope="module")
def curve():
    x = np.linspace(0, 1, 40)
    target = np.sin(9 * x) + 0.1 * np.random.default_rng(0).normal(size=40)
    learners = {"k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=[20, 10, 5, 3])}
    result = fw.compare(learners, x[:, None], target, outer=4, inner=3, jobs=1, progress=False)
    return result.search_curve("k-nn")


def test_it_is_the_public_class_with_the_numbers_of_the_records(curve):
    assert type(curve) is fw.SearchCurve
    assert curve.to_dict()["points"][-1]["selection_score"] == curve.selection[-1] == min(curve.selection)


def test_a_notebook_shows_its_picture_its_words_and_every_step(curve):
    html = curve._repr_html_()

    assert curve.words in html
    assert html.count("<tr>") == 1 + len(curve.tried)
    assert "selection score" in html.split("</svg>")[0]


def test_its_plot_ends_at_the_smallest_selection_score(curve):
    pytest.importorskip("matplotlib")
    (axis,) = curve.plot().axes

    assert axis.lines[1].get_ydata()[-1] == pytest.approx(min(curve.selection))
