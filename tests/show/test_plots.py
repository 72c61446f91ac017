"""Figures of Matplotlib hold the numbers of the answer; without it there is one sentence."""

from __future__ import annotations

import io
import sys
from itertools import combinations

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

import foldwise as fw
from foldwise.errors import BadStudy
from foldwise.show import plots
from foldwise.show.html import asset
from foldwise.show.plots import plot_choices, plot_curve, plot_optimism, plot_risks

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
    table = result.table().sort_values("risk")
    assert values == pytest.approx(table["risk"].tolist())
    assert [label.get_text().replace("\\$", "$") for label in axis.get_yticklabels()] == table["method"].tolist()

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
    table = result.table().dropna(subset=["selection_score"]).sort_values("risk")

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
    monkeypatch.delitem(sys.modules, "foldwise.show.picture", raising=False)
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


def texts(figure):
    """Every upright text of a figure that is seen, with the place that it takes."""
    figure.draw_without_rendering()
    shown = [text for legend in figure.legends for text in legend.get_texts()]
    for axis in figure.axes:
        shown += [axis.title, axis.xaxis.label, axis.yaxis.label]
        for ticks in (axis.xaxis, axis.yaxis):
            low, high = sorted(ticks.get_view_interval())
            labels = [tick.label1 for tick in ticks.get_major_ticks() if low <= tick.get_loc() <= high]
            shown += [label for label in labels if label.get_window_extent().width > 1]  # panels share their ticks
    return [(text.get_text(), text.get_window_extent()) for text in shown if text.get_text() and not is_slanted(text)]


def is_slanted(text):
    return text.get_rotation() % 90 != 0  # names that are drawn beside each other have boxes that overlap


WORDS = ("squared_error", "absolute_error", "friedman_mse", "poisson", "quantile", "huber_loss", "log_loss", "entropy")


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "values",
    [WORDS, WORDS[:2], range(1, 31), [7], [10.0**k for k in range(-4, 5)], [3, 6, None], [True, False]],
    ids=str,
)
def test_no_label_of_a_curve_lies_on_another_or_outside_or_on_the_lines(values):
    points = [{"value": value, "train": 1.0 + at, "test": 1.1 + at} for at, value in enumerate(values)]
    curve = {"learner": "a", "parameter": "b", "loss": "squared", "best": values[0], "points": points}

    figure = plot_curve(curve)

    places = texts(figure)
    for (one, its), (other, theirs) in combinations(places, 2):
        assert not its.overlaps(theirs), (one, other)
    assert all(figure.bbox.padded(1).contains(*corner) for _, place in places for corner in place.corners())
    assert not figure.legends[0].get_window_extent().overlaps(figure.axes[0].get_window_extent())


def test_many_candidates_and_long_names_are_drawn_apart():
    folds = [{"candidate": {"n_neighbors": at % 30, "weights": "distance"}} for at in range(65)]
    method = {"name": "a learner whose name is that of all the steps of its pipeline", "folds": folds, "risk": 2.0}
    numbers = {"selection_score": 1.0, "low": 1.0, "high": 3.0}
    answer = {"methods": [method | numbers, method | numbers | {"name": "short"}], "best": "short", "loss": "squared"}

    for figure in (plot_choices(answer), plot_optimism(answer), plot_risks(answer)):
        for (one, its), (other, theirs) in combinations(texts(figure), 2):
            assert not its.overlaps(theirs), (one, other)
        assert figure.axes[0].get_window_extent().width > figure.bbox.width / 3

    bars = plot_choices(answer).axes[0].patches
    assert (len(bars), sum(bar.get_width() for bar in bars)) == (16, 65)


def test_a_search_draws_its_scores_and_where_they_are_enough(result):
    curve = result.search_curve("k-nn")
    (axis,) = drawn(curve.plot())

    assert axis.lines[0].get_ydata().tolist() == pytest.approx(list(curve.selection))
    assert axis.lines[1].get_ydata().tolist() == pytest.approx(list(curve.outer), nan_ok=True)
    assert axis.lines[2].get_xdata()[0] == curve.enough
    assert axis.get_xlabel() == "candidates tried"


def test_the_colours_are_those_of_the_page():
    style = asset("page.css").split("@media")[0]
    assert all(colour in style for colour in (plots.BLUE, plots.ORANGE, plots.GREEN, plots.GREY))


def test_figures_stand_by_risk_whatever_the_order_of_the_study():
    learners = {"stump": DecisionTreeRegressor(max_depth=1, random_state=0), "ridge": Ridge()}
    figure = fw.compare(learners, "diabetes", outer=3, jobs=1, guards=False).plot()
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names.index("ridge") < names.index("stump") < names.index("baseline")
