"""Readers of JSON lines, workbooks and ARFF files."""

from __future__ import annotations

import builtins
import math
import sys
from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest

from foldwise.data.formats import read_arff, read_json_lines
from foldwise.data.sources import read_table
from foldwise.data.tables import open_table
from foldwise.errors import BadData, MissingExtra


def read_lines(*lines):
    return read_json_lines(lines, most_cells=1000)


def test_kinds_of_json_are_those_of_the_values():
    table = read_lines(
        '{"n": 1, "x": 0.5, "b": true, "t": "007", "d": "2024-01-31", "m": 1}',
        '{"n": 2, "x": null, "b": false, "t": "NA", "d": "2024-02-01", "m": "a"}',
    )
    kinds = [str(kind)[:8].replace("object", "str") for kind in table.dtypes]  # texts before pandas 3
    assert kinds == ["int64", "float64", "bool", "str", "datetime", "str"]
    assert table["t"].tolist() == ["007", "NA"]
    assert open_table(table).find("m", "m")[0].labels == ("1", "a")


def test_a_key_that_a_line_lacks_is_missing_there():
    table = read_lines('{"a": 1}', '{"b": 2}', "{}")
    assert [[math.isnan(value) for value in table[name]] for name in "ab"] == [[False, True, True], [True, False, True]]


def test_numbers_are_exact_and_those_too_large_for_whole_ones_are_amounts():
    table = read_lines('{"a": 0.1, "b": 12345678901234567890123}', '{"a": 1e-300, "b": -9223372036854775808}')
    assert table["a"].tolist() == [0.1, 1e-300]
    assert open_table(table).find("b", "b")[0].values.tolist() == [12345678901234567890123.0, -9223372036854775808.0]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("1", "line 2 is JSON, but no object"),
        ("[1]", "line 2 is JSON, but no object"),
        ('{"a": 1', "line 2 is no JSON object"),
        ('{"a": [1]}', "line 2 has a list or an object in 'a'"),
        ('{"a": {}}', "line 2 has a list or an object in 'a'"),
        ('{"a": 1, "a": 2}', "line 2 names a column twice"),
    ],
)
def test_a_line_that_is_no_row_is_named(line, words):
    with pytest.raises(BadData, match=words):
        read_lines('{"a": 0}', line)


def write(path, **sheets):
    book = pytest.importorskip("openpyxl").Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_cells_of_a_workbook_keep_their_kinds(tmp_path):
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


HEADER = ["@relation 'a b'", "@attribute size numeric", "@attribute colour {red, 'dark blue', \"it's\"}"]


pytestmark = pytest.mark.usefixtures("arff")


def read_rows(*rows: str, header: list[str] = HEADER) -> pd.DataFrame:
    return read_arff([*header, "@data", *rows], "a.arff")


def test_arff_numbers_and_nominal_values_with_blanks_and_quotes():
    table = read_rows("1, red", "2.5,'dark blue'", "% none", "", '?,"it\'s"', "5,?")
    np.testing.assert_array_equal(table["size"], [1, 2.5, np.nan, 5])
    assert table["colour"].astype(object).where(table["colour"].notna(), None).tolist() == [
        "red", "dark blue", "it's", None,
    ]  # fmt: skip
    assert table["colour"].cat.categories.tolist() == ["red", "dark blue", "it's"]


def test_arff_text_may_be_quoted_and_dates_in_it_are_dates():
    header = ["@ATTRIBUTE 'my name' STRING", '@Attribute "other one" integer', "@attribute day string"]
    table = read_rows(r"'a, \'b\' }',3,2024-01-31", "50%,?,2024-02-01", header=["@relation r", *header])
    assert table["my name"].tolist() == ["a, 'b' }", "50%"]
    assert table["day"].tolist() == [pd.Timestamp(2024, 1, 31), pd.Timestamp(2024, 2, 1)]


def test_arff_cells_left_out_of_sparse_rows_are_zero_or_the_first_value():
    table = read_rows("{0 3}", "{1 'dark blue'}", "{}")
    np.testing.assert_array_equal(table["size"], [3, 0, 0])
    assert list(table["colour"]) == ["red", "dark blue", "red"]


@pytest.mark.parametrize(
    "lines",
    [
        [*HEADER, "@data", "1,red,2"],
        [*HEADER, "@data", "big,red"],
        [*HEADER, "@data", "1,green"],
        [*HEADER, "@data", "1,'red"],
        [*HEADER, "@data", "{7 1}"],
        ["@relation r", "@attribute a relational", "@data", "1"],
        ["@relation r", "@attribute a real", "@attribute a real", "@data", "1,2"],
        ["hello"],
    ],
)
def test_an_arff_file_that_is_none_is_refused(lines):
    with pytest.raises(BadData, match=r"cannot read 'a\.arff': ") as refusal:
        read_arff(lines, "a.arff")
    assert refusal.value.remedy == "Correct the line"


def test_without_the_extra_a_sentence_says_how_to_get_arff(monkeypatch):
    monkeypatch.setitem(sys.modules, "arff", None)
    with pytest.raises(
        MissingExtra, match=r'needs liac-arff, which is not installed. Run pip install "foldwise\[arff\]"'
    ):
        read_rows("1, red")
