"""What a cell shows in a real notebook: every value once, as text and as HTML, and pictures with no magic."""

from __future__ import annotations

import ast

import pytest

pytestmark = pytest.mark.slow  # a kernel takes seconds to start

SETUP = """
import numpy as np
import foldwise as fw
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
x = np.linspace(0, 1, 40)
X, y = x[:, None], np.sin(9 * x) + 0.1 * np.random.default_rng(0).normal(size=40)
learners = {"k-nn": fw.tune(KNeighborsRegressor(), n_neighbors=[1, 3, 5]), "<i>ridge": Ridge()}
options = dict(outer=4, inner=3, jobs=1, progress=False)
result = fw.compare(learners, X, y, **options)
plan = fw.plan(learners, X, y, outer=4, inner=3)
curve = fw.curve(KNeighborsRegressor(), X, y, n_neighbors=[1, 3, 5], outer=4, jobs=1, progress=False)
"""
DRAWS = [
    "result.plot()",
    "result.plot_differences()",
    "result.plot_choices()",
    "result.plot_optimism()",
    "curve.plot()",
    "%matplotlib inline\nresult.plot()  # with the magic too",
    "curve.plot()  # after the magic",
]
QUIET = ["figure = result.plot()", "result.plot();", "text = str(result)", "same = repr(result)"]
PRINTED = ["print(result)", "str(result)", "print(result); result", "display(result)"]
VALUES = [
    "result",
    "result.difference('k-nn', 'baseline')",
    "result.rows_needed('k-nn', 'baseline')",
    "result.search_curve('k-nn')",
    "result.explain()",
    "result.report()",
    "curve",
    "plan",
    "fw.split(X, y)",
    "fw.KFold(5)",
    "fw.log_range(1, 10)",
    "fw.racing()",
    "fw.pinball(0.5)",
]


@pytest.fixture(scope="module")
def cells(execute_cells):
    return execute_cells([SETUP, *VALUES, *PRINTED, *QUIET, *DRAWS])


def test_nothing_is_drawn_by_a_cell_that_shows_nothing(cells):
    assert {source: cells[source] for source in (SETUP, *QUIET) if cells[source]} == {}


@pytest.mark.parametrize("source", VALUES)
def test_a_value_is_shown_once_as_text_and_as_html(cells, source):
    (shown,) = cells[source]

    assert shown.output_type == "execute_result"
    assert set(shown.data) == {"text/plain", "text/html"}
    assert "\x1b" not in shown.data["text/plain"]
    assert "<script" not in shown.data["text/html"]
    assert "<i>ridge" not in shown.data["text/html"]
    assert len(shown.data["text/plain"]) < 5_000


def test_a_printed_result_is_one_text_with_every_method_and_its_numbers(cells):
    (printed,) = cells["print(result)"]
    (as_text,) = cells["str(result)"]

    assert (printed.output_type, printed.name) == ("stream", "stdout")
    assert printed.text == ast.literal_eval(as_text.data["text/plain"]) + "\n"
    assert printed.text == cells["result"][0].data["text/plain"] + "\n"
    assert max(map(len, printed.text.splitlines())) <= 100  # what a notebook does not break
    for words in ("k-nn", "<i>ridge", "baseline", "RMSE", "95% CI"):
        assert words in printed.text


def test_printing_and_showing_a_result_are_two_outputs(cells):
    assert [output.output_type for output in cells["print(result); result"]] == ["stream", "execute_result"]
    (displayed,) = cells["display(result)"]
    assert set(displayed.data) == {"text/plain", "text/html"}


@pytest.mark.parametrize("source", DRAWS)
def test_a_plot_is_one_picture_with_or_without_the_magic(cells, source):
    (shown,) = cells[source]

    assert shown.output_type == "execute_result"
    assert "image/png" in shown.data
