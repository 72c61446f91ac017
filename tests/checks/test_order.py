"""Time and order that are not declared."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from cases import check_cases, codes_in
from looking import told
from rows_cases import table

import foldwise as fw

WAVE = np.sin(np.arange(120))


@pytest.mark.parametrize("code", codes_in("order"))
def test_a_check_fires_where_it_should_and_is_silent_elsewhere(code):
    check_cases(code)


def test_dates_written_as_text_are_time_and_no_identifier():
    rng = np.random.default_rng(0)
    days = pd.date_range("2020-01-01", periods=60).strftime("%Y-%m-%d").astype(object)
    table = pd.DataFrame({"a": rng.normal(size=60), "day": days, "y": rng.normal(size=60)})

    assert fw.check(["ridge"], table, "y").codes == ["FW105"]


@pytest.mark.parametrize("form", ["%d %b %Y", "%B %d, %Y", "%Y-%m", "%Y%m%d", "%d.%m.%Y"])
def test_dates_are_seen_however_they_are_written(form):
    days = pd.date_range("2019-01-01", periods=120, freq="9D").strftime(form)
    column = days.astype(int) if form == "%Y%m%d" else days

    assert "FW105" in told(v=column)
    assert "FW105" not in told(v=column.map("{} kg".format) if form == "%Y-%m" else np.roll(WAVE, 1))


def test_a_later_target_is_told_where_rows_are_in_order():
    assert "FW209" in told(v=np.roll(table()[1], -3))
    assert "FW209" not in told(v=np.roll(table()[1], 3))
