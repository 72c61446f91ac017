"""Dates as numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.testing import assert_array_equal

from foldwise.learners.preprocessing.date_parts import DateParts


def test_parts_that_vary_in_the_training_rows_are_kept():
    moments = ["2023-12-31 23:30", "2024-01-01 00:00", None, "2024-02-29 12:00"]
    table = pd.DataFrame({"at": pd.to_datetime(moments)})
    made = DateParts().fit(table)
    assert list(made.get_feature_names_out()) == ["at_seconds", "at_year", "at_month", "at_weekday", "at_hour"]
    expected = [pd.Timestamp(moment) for moment in moments if moment]
    naive = [[moment.timestamp(), moment.year, moment.month, moment.weekday(), moment.hour] for moment in expected]
    assert_array_equal(made.transform(table)[[0, 1, 3]], naive)
    assert np.isnan(made.transform(table)[2]).all()


def test_seconds_stay_where_nothing_varies_and_whatever_comes_later():
    table = pd.DataFrame({"a": pd.to_datetime(["2024-01-01"] * 3), "b": pd.to_datetime([None] * 3)})
    made = DateParts().fit(table)
    later = pd.DataFrame({"a": pd.to_datetime(["2031-05-05 07:00"]), "b": pd.to_datetime(["1969-12-31 23:59:59.5"])})
    assert_array_equal(made.transform(later), [[pd.Timestamp("2031-05-05 07:00").timestamp(), -0.5]])


def test_the_resolution_and_the_time_zone_make_no_difference():
    moments = pd.to_datetime(["2024-01-01 00:01", "2024-06-01 05:00", None])
    fitted = DateParts().fit(pd.DataFrame({"a": moments}))
    expected = fitted.transform(pd.DataFrame({"a": moments}))
    for other in (moments.as_unit("s"), moments.as_unit("ns"), moments.tz_localize("UTC").tz_convert("Asia/Tokyo")):
        assert_array_equal(fitted.transform(pd.DataFrame({"a": other})), expected)


def test_dates_of_any_year_are_dates():
    """Tables write 9999-12-31 for "never", which nanoseconds cannot hold."""
    days = np.array(["0001-01-01", "1066-10-14", "9999-12-31", "NaT"], dtype="datetime64[s]")
    made = DateParts().fit_transform(pd.DataFrame({"a": days}))
    assert_array_equal(made[:3, 0], days[:3].astype(np.int64))
    assert_array_equal(made[:, 1], [1, 1066, 9999, np.nan])
