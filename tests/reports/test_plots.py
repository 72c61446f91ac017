"""Figures of Matplotlib hold the numbers of the answer; without it there is one sentence."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsRegressor

import foldwise as fw
from foldwise.errors import BadStudy

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def rows():
    x = np.linspace(0, 1, 40)
    return x[:, None], np.sin(9 * x) + 0.1 * np.random.default_rng(0).normal(size=40)


@pytest.fixture(scope="module")
def result(rows):
    learners = {"k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=[1, 3, 5]), "$5$-nn": KNeighborsRegressor(5)}
    return fw.compare(learners, *rows, outer=4, inner=3, jobs=1)


def drawn(figure):
    figure.savefig(io.BytesIO(), format="png")
    return figure.axes


def test_risks_and_differences_are_drawn_at_their_numbers(result):
    (axis,) = drawn(result.plot())
    values = [float(line.get_xdata()[0]) for line in axis.lines if line.get_marker() == "o"]
    assert values == pytest.approx(result.table()["risk"].tolist())

    (axis,) = drawn(result.plot_differences())
    names = [label.get_text() for label in axis.get_yticklabels()]
    assert len(names) == len(result.table()) - 1
    assert result.best not in names


def test_choices_are_counted(result):
    axes = drawn(result.plot_choices())

    assert [axis.get_title() for axis in axes] == ["k-nn"]
    assert sum(bar.get_width() for bar in axes[0].patches) == 4


def test_optimism_is_drawn_from_score_to_risk(result):
    (axis,) = drawn(result.plot_optimism())
    table = result.table().dropna(subset=["selection_score"])

    assert axis.lines[0].get_xdata().tolist() == pytest.approx(table["selection_score"].tolist())
    assert axis.lines[1].get_xdata().tolist() == pytest.approx(table["risk"].tolist())


def test_curves_draw_both_errors(rows):
    curve = fw.curve(KNeighborsRegressor(), *rows, n_neighbors=[1, 5, 20], outer=4, jobs=1)
    (axis,) = drawn(curve.plot())
    assert axis.lines[0].get_ydata().tolist() == pytest.approx(list(curve.train))
    assert axis.lines[1].get_ydata().tolist() == pytest.approx(list(curve.test))

    learning = fw.learning_curve(KNeighborsRegressor(3), *rows, sizes=(0.5, 1.0), outer=4, jobs=1)
    (axis,) = drawn(learning.plot())
    assert axis.get_xlabel() == "training rows"


def test_a_curve_over_words_is_drawn_too(rows):
    curve = fw.curve(KNeighborsRegressor(), *rows, algorithm=["brute", "kd_tree"], outer=4, jobs=1)
    (axis,) = drawn(curve.plot())

    assert [label.get_text() for label in axis.get_xticklabels()] == ["brute", "kd_tree"]


def test_without_matplotlib_there_is_one_sentence_with_the_command(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)

    with pytest.raises(BadStudy, match=r"plots need Matplotlib.*pip install 'foldwise\[plot\]'"):
        result.plot()


def test_notebooks_get_pieces_without_script(result, rows):
    learning = fw.learning_curve(KNeighborsRegressor(3), *rows, sizes=(0.5, 1.0), outer=4, jobs=1)
    pieces = [
        result._repr_html_(),
        result.difference("k-nn", "baseline")._repr_html_(),
        result.methods[0].estimate()._repr_html_(),
        learning._repr_html_(),
    ]

    for piece in pieces:
        assert "<svg" in piece
        assert "<script" not in piece
    assert "training rows" in pieces[-1]
