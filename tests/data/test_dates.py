"""Dates in text files; holds data/formats.py."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldwise.data.formats import with_dates
from foldwise.data.sources import read, read_table


def column(*values: str | None) -> pd.Series:
    return with_dates(pd.DataFrame({"a": pd.Series(values, dtype="str")}))["a"]


# before pandas 3 text is read by nanoseconds, which end in 2262; later dates stay text there
FIRST, LAST = ("1000-01-01", "3000-01-01") if pd.__version__ >= "3" else ("1700-01-01", "2262-01-01")


@given(st.lists(st.datetimes(pd.Timestamp(FIRST), pd.Timestamp(LAST)), min_size=1, max_size=5))
def test_moments_written_as_iso_asks_are_read_back(moments):
    for written in ([m.isoformat() for m in moments], [m.isoformat(" ") for m in moments]):
        assert column(*written).tolist() == [pd.Timestamp(m) for m in moments]


def test_days_moments_and_gaps_may_mix_and_zones_become_universal_time():
    assert column("2024-01-31", None, "2024-01-31T10:30").tolist() == [
        pd.Timestamp("2024-01-31"),
        pd.NaT,
        pd.Timestamp("2024-01-31 10:30"),
    ]
    assert column("2024-01-31T00:30:00+02:00", "2024-01-31 00:30Z").tolist() == [
        pd.Timestamp("2024-01-30 22:30"),
        pd.Timestamp("2024-01-31 00:30"),
    ]


@pytest.mark.parametrize(
    "values",
    [
        ("2024-01-31", "soon"),
        ("2024-02-30",),
        ("2024-13-01",),
        ("31.01.2024",),
        ("20240131",),
        ("2024-01",),
        ("2024-01-31T10:30", "2024-01-31T10:30Z"),
        ("x2024-01-31",),
    ],
)
def test_anything_else_stays_text(values):
    assert column(*values).tolist() == list(values)


def test_numbers_booleans_and_empty_columns_are_left_alone():
    table = pd.DataFrame(
        {"a": [1, 2], "b": [True, False], "c": [np.nan, np.nan], "d": pd.Series([None, None], dtype="str")}
    )
    assert with_dates(table) is table


def test_a_csv_file_with_dates_has_a_date_column(tmp_path):
    path = tmp_path / "sales.csv"
    path.write_text(
        "day,at,code,price\n2024-01-31,2024-01-31T08:00:00Z,a,1.5\n,2024-02-01T09:30:00Z,b,2.5\n2024-02-02,,a,3\n"
    )
    data = read(path, target="price")
    assert data.kinds == ("date", "date", "text")
    assert read_table(path)["at"].tolist()[:2] == [pd.Timestamp("2024-01-31 08:00"), pd.Timestamp("2024-02-01 09:30")]
