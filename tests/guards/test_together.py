"""Leaks that one column or several make in other ways; holds guards/checks/together.py, encoded.py and made_rows.py."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from looking import quick
from procedure_cases import codes
from rows_cases import one_column_changed, several_copies, table

X, y = table(120)
WAVE = np.sin(np.arange(120))
CLASSES = np.array(["a", "b", "c"])[np.digitize(y, np.quantile(y, [0.3, 0.6]))]
PLACE = np.random.default_rng(0).integers(0, 10, 120)


def told(**columns) -> list[str]:
    frame = pd.DataFrame(X).rename(columns="x{}".format).assign(**columns)
    return [one.code for one in quick(["linear"], frame, y, outer=5) if set(one.columns) & set(columns)]


def others_mean(values: np.ndarray, place: np.ndarray = PLACE) -> np.ndarray:
    by_place = pd.Series(values).groupby(place)
    return ((by_place.transform("sum") - values) / (by_place.transform("count") - 1)).to_numpy()


MADE_OF_THE_TARGET = {
    "its square and its sign": {"v": y**2, "w": np.where(y > 0, "up", "down")},
    "a sum of two": {"v": y + WAVE, "w": WAVE},
    "a sum of three": {"v": y + WAVE, "w": WAVE - X[:, 0], "x0": X[:, 0]},
    "four bands": {"v": pd.qcut(y, 4, labels=list("dcba")).astype(str)},
    "text with a unit": {"v": [f"{value:.3f} EUR" for value in y]},
    "the mean of the others in a place": {"v": others_mean(y)},
    "a mean drawn to the whole": {"v": pd.Series(y).groupby(PLACE).transform(lambda of: of.sum() / (len(of) + 5))},
}


@pytest.mark.parametrize("name", MADE_OF_THE_TARGET)
def test_what_is_made_of_the_target_is_told(name):
    assert {"FW202", "FW403"} & set(told(**MADE_OF_THE_TARGET[name]))


NOT_MADE_OF_IT = {
    "another square and its sign": {"v": WAVE**2, "w": np.where(WAVE > 0, "up", "down")},
    "a sum with something else": {"v": y + 3 * WAVE, "w": np.cos(np.arange(120))},
    "bands of another column": {"v": pd.qcut(X[:, 3], 4, labels=list("dcba")).astype(str)},
    "text with a unit": {"v": [f"{value:.3f} EUR" for value in WAVE]},
    "the mean of another column": {"v": others_mean(WAVE)},
}


@pytest.mark.parametrize("name", NOT_MADE_OF_IT)
def test_what_is_made_of_something_else_is_let_be(name):
    assert not {"FW202", "FW403"} & set(told(**NOT_MADE_OF_IT[name]))


def test_a_straight_line_of_the_target_is_told_in_24_rows():
    found = quick(["linear"], np.column_stack([X[:24], 2 * y[:24] + 1]), y[:24], outer=4)

    assert found.codes == ["FW202"]


def test_one_column_for_each_class_but_the_last_is_told():
    table_of = np.column_stack([X, CLASSES == "a", CLASSES == "b"])
    shuffled = np.column_stack([X, np.roll(CLASSES, 1) == "a", np.roll(CLASSES, 1) == "b"])

    assert "FW202" in codes(table_of, CLASSES)
    assert "FW202" not in codes(shuffled, CLASSES)


def test_copies_with_one_column_changed_are_told():
    assert "FW102" in one_column_changed(is_copy=True)
    assert "FW102" not in one_column_changed(is_copy=False)


def test_four_near_copies_of_every_row_are_told():
    assert "FW102" in several_copies(0.02)
    assert "FW102" not in several_copies(0.5)


@pytest.mark.parametrize("form", ["%d %b %Y", "%B %d, %Y", "%Y-%m", "%Y%m%d", "%d.%m.%Y"])
def test_dates_are_seen_however_they_are_written(form):
    days = pd.date_range("2019-01-01", periods=120, freq="9D").strftime(form)
    column = days.astype(int) if form == "%Y%m%d" else days

    assert "FW105" in told(v=column)
    assert "FW105" not in told(v=column.map("{} kg".format) if form == "%Y-%m" else np.roll(WAVE, 1))


@pytest.mark.parametrize("step", [1.0, 0.5, 1 / 120])
def test_row_numbers_are_seen_at_any_step(step):
    assert "FW206" in told(v=3.0 + step * np.arange(120))
    assert "FW206" not in told(v=3.0 + step * np.arange(120) ** 2)


def test_a_later_target_is_told_where_rows_are_in_order():
    assert "FW209" in told(v=np.roll(y, -3))
    assert "FW209" not in told(v=np.roll(y, 3))


@pytest.mark.parametrize("size", [2e-6, 1e-7])
def test_a_sum_is_found_where_two_columns_differ_by_hardly_anything(size):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 6))
    noise = rng.normal(size=400)
    columns = np.column_stack([X, X[:, 0] + size * noise])

    found = quick(["linear"], columns, noise + X[:, 3] + 0.5 * X[:, 4], outer=5)

    assert "FW202" in [one.code for one in found]
