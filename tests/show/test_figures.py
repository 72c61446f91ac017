"""show/figures.py: Matplotlib draws the values that the page draws."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

import foldwise as fw
from foldwise.blocks.figure import Axis, Band, Bars, Cells, Figure, Level, Line, Points, Whiskers
from foldwise.errors import BadOption
from foldwise.show.figures import check_figure_path, draw, save_figure


@pytest.fixture(scope="module")
def result():
    return fw.compare(["logistic:small", "k-nn:small"], "breast_cancer", outer=3, inner=2, jobs=1)


def test_every_mark_is_drawn():
    marks = (
        Line([1, 2], [1.0, 2.0], label="line"),
        Band([1, 2], [0.0, 1.0], [2.0, 3.0]),
        Points([1], [1.0], names=["a"]),
        Whiskers([1.0], [0.5], [1.5]),
        Bars([0], [1], [0], [2]),
        Level(1.0),
        Cells([0], [0], [0.9], ["7"], marked=(0,)),
    )
    (axis,) = draw(Figure("title", Axis("x"), Axis("y"), marks)).axes

    assert axis.get_title() == "title"
    assert len(axis.patches) >= 3
    assert {text.get_text() for text in axis.texts} >= {"a", "7"}


def test_the_picture_of_risks_has_the_numbers_of_the_table(result):
    (axis,) = result.plot().axes
    drawn = sorted(float(dots.get_offsets()[0][0]) for dots in axis.collections if len(dots.get_offsets()))
    table = sorted(100 * method["risk"] for method in result.to_dict()["methods"])

    assert np.isin(np.round(table, 6), np.round(drawn, 6)).all()


@pytest.mark.parametrize("kind", ["roc", "precision", "calibration", "confusion", "probabilities"])
def test_every_picture_of_predictions_can_be_had(result, kind):
    assert result.plot_predictions("k-nn:small", kind=kind).axes[0].get_title().lower().startswith(kind)


def test_the_confusion_matrix_is_scikit_learns(result):
    (axis,) = result.plot_predictions("k-nn:small", kind="confusion").axes
    rows = result.predictions().query("method == 'k-nn:small'")
    counts = confusion_matrix(rows["truth"], rows["prediction"]).ravel()

    assert [int(text.get_text().split(" ")[0].replace(",", "")) for text in axis.texts] == counts.tolist()


def test_other_pictures_have_a_panel_for_each_method(result):
    assert len(result.plot_choices().axes) == 2
    assert len(result.plot_choices(method="k-nn:small").axes) == 1
    assert result.plot_optimism().axes
    assert result.plot_differences(width="column").get_size_inches()[0] == 3.5
    assert result.plot_validation("k-nn:small").axes


def test_axes_of_ones_own_are_drawn_on(result):
    from matplotlib.figure import Figure as Picture

    axis = Picture().subplots()
    assert result.plot(ax=axis) is axis.figure
    with pytest.raises(BadOption, match="one panel"):
        result.plot_choices(ax=axis)
    with pytest.raises(BadOption, match="not str"):
        result.plot(ax="here")


@pytest.mark.parametrize("width", ["wide", 1, True])
def test_a_width_that_is_none_is_refused(result, width):
    with pytest.raises(BadOption, match="width"):
        result.plot(width=width)


def test_a_picture_is_written_by_the_ending_of_its_name(result, tmp_path):
    save_figure(result.plot(), tmp_path / "a.svg")

    assert (tmp_path / "a.svg").read_text().startswith("<?xml")
    with pytest.raises(BadOption, match="cannot be written"):
        check_figure_path("a.bmp")


def test_a_notebook_shows_it_once_without_pyplot(result):
    import matplotlib.pyplot as plt

    data, size = result.plot()._repr_png_()
    assert data[1:4] == b"PNG"
    assert size["width"] > 300
    assert plt.get_fignums() == []
