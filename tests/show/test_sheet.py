"""Pictures fit the width that a paper gives them, or the axes that are there."""

from __future__ import annotations

import io
from itertools import combinations

import numpy as np
import pytest
from matplotlib.figure import Figure

from foldwise.errors import BadOption
from foldwise.show.plots import plot_choices, plot_curve, plot_differences, plot_optimism, plot_risks
from foldwise.show.sheet import Sheet

LONG = "standardscaler of columns, then a nearest neighbour"


@pytest.fixture
def answer():
    folds = [{"candidate": {"n_neighbors": at % 3, "weights": "distance", "leaf_size": 30}} for at in range(10)]
    method = {"folds": folds, "risk": 2.0, "low": 1.0, "high": 3.0, "selection_score": 1.5, "difference": 0.5}
    method |= {"difference_low": -0.1, "difference_high": 1.0, "selection_train_rows": 306}
    names = [LONG, "short"]
    return {"methods": [method | {"name": name} for name in names], "best": "short", "loss": "squared", "train_rows": 9}


@pytest.fixture
def curve():
    points = [{"value": value, "train": 1.0 / value, "test": 1.0 + value / 9} for value in range(1, 9)]
    return {"learner": LONG, "parameter": "n_neighbors", "loss": "squared", "best": 1, "points": points}


def boxes(figure):
    """Every text that is seen, with the place that it takes."""
    figure.draw_without_rendering()
    shown = [text for legend in figure.legends for text in legend.get_texts()]
    for axis in figure.axes:
        low, high = sorted(axis.yaxis.get_view_interval())
        ticks = [tick.label1 for tick in axis.yaxis.get_major_ticks() if low <= tick.get_loc() <= high]
        shown += [axis.title, axis.xaxis.label, axis.yaxis.label, *ticks]
    return [(text.get_text(), text.get_window_extent(), text.get_fontsize()) for text in shown if text.get_text()]


@pytest.mark.few(6)
@pytest.mark.parametrize(("width", "inches"), [("column", 3.5), ("page", 7.16), (2.5, 2.5)])
@pytest.mark.parametrize("plot", [plot_risks, plot_differences, plot_choices, plot_optimism])
def test_a_picture_is_as_wide_as_asked_with_nothing_cut_off(plot, width, inches, answer):
    figure = plot(answer, width=width)

    assert figure.get_size_inches()[0] == inches
    for text, box, size in boxes(figure):
        assert all(figure.bbox.padded(1).contains(*corner) for corner in box.corners()), text
        assert size == 8
    for (one, its, _), (other, theirs, _) in combinations(boxes(figure), 2):
        assert not its.overlaps(theirs), (one, other)
    assert all(axis.get_window_extent().width > figure.bbox.width / 3 for axis in figure.axes)


@pytest.mark.parametrize("width", ["column", "page"])
def test_a_curve_fits_too(width, curve):
    figure = plot_curve(curve, width=width)

    for text, box, _ in boxes(figure):
        assert all(figure.bbox.padded(1).contains(*corner) for corner in box.corners()), text
    assert figure.axes[0].get_window_extent().height > figure.bbox.height / 3


def test_given_axes_are_drawn_on_and_their_marks_named_beside_what_is_drawn(answer, curve):
    own = Figure(figsize=(10, 4), layout="constrained")
    left, right = own.subplots(1, 2)

    assert plot_differences(answer, ax=right) is own
    assert (len(left.lines), len(right.lines)) == (0, 3)
    assert plot_curve(curve, ax=left) is own
    assert len(own.axes) == 2

    own.savefig(io.BytesIO(), format="png")
    marks = np.vstack([left.transData.transform(line.get_xydata()) for line in left.lines[:2]])
    legend = left.get_legend().get_window_extent()
    assert not any(legend.contains(*mark) for mark in marks)
    assert left.get_window_extent().padded(1).contains(legend.x0, legend.y1)


def test_several_panels_do_not_fit_on_one(answer):
    axis = Figure().subplots()

    with pytest.raises(BadOption, match=r"ax= is one panel, and this picture has 2.*method="):
        plot_choices(answer, ax=axis)
    plot_choices(answer, method="short", ax=axis)
    assert axis.get_title() == "short"
    with pytest.raises(BadOption, match=r"no tuned method is named 'x'. There are: .*short"):
        plot_choices(answer, method="x")


def test_numbers_and_words_are_whole_in_every_width():
    label = "alpha=3.16228e-05, max_features=0.316228, metric=euclidean"
    for width in (2.5, "column", "page"):
        lines = Sheet(width=width).wrapped(label).split("\n")
        assert "".join(lines).replace(" ", "") == label.replace(" ", "")
        assert max(map(len, lines)) <= max(12, Sheet(width=width).letters)
        for whole in ("3.16228e-05", "0.316228", "euclidean"):
            assert any(whole in line for line in lines), lines
    assert Sheet(width=2.5).wrapped("x" * 30) == "\n".join(["x" * 13, "x" * 13, "x" * 4])


def test_what_is_no_width_or_no_axes_is_told(answer):
    for width in ("wide", 0.5, True, float("nan")):
        with pytest.raises(BadOption, match=r'is not a width of a figure. Give "column" or "page", or inches from 2.5'):
            Sheet(width=width)
    with pytest.raises(BadOption, match="one panel of a Matplotlib figure, not ndarray"):
        Sheet(ax=Figure().subplots(2, 2))
    with pytest.raises(BadOption, match="Leave one of them out"):
        Sheet(ax=Figure().subplots(), width="page")
