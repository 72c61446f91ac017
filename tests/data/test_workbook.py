"""Workbooks (data/workbook.py) and loose cells (data/cells.py) against what was written by openpyxl."""

from __future__ import annotations

import builtins
from datetime import date, datetime

import pandas as pd
import pytest

from foldwise.data.sources import read_table
from foldwise.errors import BadData, MissingExtra

openpyxl = pytest.importorskip("openpyxl")


def write(path, **sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_cells_keep_their_kinds(tmp_path):
    rows = [
        ["n", "x", "b", "t", "d", "m"],
        [1, 0.25, True, "007", datetime(2024, 1, 31), 1],
        [2, None, False, "NA", date(2024, 2, 1), "a"],
    ]
    table = read_table(write(tmp_path / "a.xlsx", first=rows))
    kinds = [str(kind)[:8].replace("object", "str") for kind in table.dtypes]  # texts before pandas 3
    assert kinds == ["int64", "float64", "bool", "str", "datetime", "str"]
    assert [None if pd.isna(value) else value for value in table["t"]] == ["007", None]
    assert table["d"].tolist() == [pd.Timestamp(2024, 1, 31), pd.Timestamp(2024, 2, 1)]


def test_empty_rows_columns_and_sheets_are_left_out(tmp_path):
    rows = [[], ["a", None, "b"], [1, None, 2], [], [3, None, "#N/A", "more"]]
    table = read_table(write(tmp_path / "a.xlsx", empty=[], first=rows))
    assert table.columns.tolist() == ["a", "b", "Unnamed: 3"]
    assert table["b"].isna().tolist() == [False, True]


@pytest.mark.parametrize(
    ("sheets", "words"),
    [
        ({"one": [["a"], [1]], "two": [["b"], [2]]}, r"has 2 sheets \('one', 'two'\). Keep one"),
        ({"one": []}, "'a.xlsx' is empty"),
        ({"one": [["a", "a"], [1, 2]]}, "duplicate column names: 'a'"),
    ],
)
def test_a_workbook_that_is_no_table_is_refused(tmp_path, sheets, words):
    with pytest.raises(BadData, match=words):
        read_table(write(tmp_path / "a.xlsx", **sheets))


def test_without_the_extra_a_sentence_says_how_to_get_it(tmp_path, monkeypatch):
    write(tmp_path / "a.xlsx", one=[["a"], [1]])
    true_import = builtins.__import__

    def no_openpyxl(name, *rest, **more):
        if name.startswith("openpyxl"):
            raise ImportError(name)
        return true_import(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", no_openpyxl)
    with pytest.raises(
        MissingExtra, match=r'needs openpyxl, which is not installed. Run pip install "foldwise\[excel\]"'
    ):
        read_table(tmp_path / "a.xlsx")
