from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from foldwise.data.arff import read_arff
from foldwise.errors import BadData

HEADER = ["@relation 'a b'", "@attribute size numeric", "@attribute colour {red, 'dark blue', \"it's\"}"]


def rows_of(*rows: str, header: list[str] = HEADER) -> pd.DataFrame:
    return read_arff([*header, "@data", *rows])


def test_numbers_and_nominal_values_with_blanks_and_quotes():
    table = rows_of("1, red", "2.5,'dark blue'", "-1e3, dark blue", '?,"it\'s"', r"4,'it\'s'", "5,?")
    np.testing.assert_array_equal(table["size"], [1, 2.5, -1000, np.nan, 4, 5])
    assert table["colour"].astype(object).where(table["colour"].notna(), None).tolist() == [
        "red", "dark blue", "dark blue", "it's", "it's", None,
    ]  # fmt: skip
    assert isinstance(table["colour"].dtype, pd.CategoricalDtype)


def test_comments_may_stand_on_lines_after_attributes_and_after_rows():
    table = read_arff(
        [
            "% top",
            "",
            "@RELATION r",
            "@Attribute a REAL % in 'cm",
            "@attribute b {x,y} % kinds",
            "@DATA",
            "% none",
            "1,x % odd",
            "",
            "2,y",
        ]
    )
    assert table["a"].tolist() == [1.0, 2.0]
    assert list(table["b"]) == ["x", "y"]


def test_a_per_cent_sign_inside_a_value_is_kept():
    assert rows_of("50%, ok 1", header=["@attribute a string", "@attribute b string"]).iloc[0].tolist() == [
        "50%",
        "ok 1",
    ]


def test_quoted_names_with_blanks_and_a_brace_without_blank():
    table = rows_of("x,3", header=["@attribute 'my name'{x,y}", '@attribute "other one" integer'])
    assert list(table.columns) == ["my name", "other one"]


def test_commas_and_braces_inside_quotes_belong_to_the_value():
    table = rows_of(r"'a, \'b\' }','}'", header=["@attribute t string", "@attribute n {'}','{'}"])
    assert table.iloc[0].tolist() == ["a, 'b' }", "}"]


def test_dates_follow_their_format():
    table = rows_of("2024-02-29T12:30:00,31.01.99", header=["@attribute d date", "@attribute e date 'dd.MM.yy'"])
    assert table["d"][0] == pd.Timestamp("2024-02-29 12:30")
    assert table["e"][0] == pd.Timestamp("1999-01-31")


def test_cells_left_out_of_sparse_rows_are_zero_or_the_first_value():
    table = rows_of("{0 3}", "{1 'dark blue'}", "{}", "{0 ?, 1 it's}")
    np.testing.assert_array_equal(table["size"], [3, 0, 0, np.nan])
    assert list(table["colour"]) == ["red", "dark blue", "red", "it's"]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([*HEADER, "@data", "1,red", "1,red,2"], "line 6 .* 3 values for 2 attributes"),
        ([*HEADER, "@data", "1,red", "% c", "big,red"], "line 7 .*'big' in attribute 'size' is not a number"),
        ([*HEADER, "@data", "1,green"], "line 5 .*'green' in attribute 'colour' is not one of its declared values"),
        ([*HEADER, "@data", "1,'red"], "line 5 .*a quote is not closed"),
        ([*HEADER, "@data", "{7 1}"], "line 5 .*'7' is not the number of an attribute"),
        ([*HEADER, "@data", "{0 1"], "line 5 .*no closing brace"),
        (["@attribute d date", "@data", "soon"], "line 3 .*'soon' in attribute 'd' is not a date"),
        (["@attribute d date 'QQ'"], "line 1 .*unknown letter 'Q'"),
        (["@attribute s string", "@data", "{}"], "line 3 .*leaves out text attribute 's'"),
        (["@attribute a relational"], "line 1 .*unknown type 'relational'"),
        (["@attribute a {x,y"], "line 1 .*no closing brace"),
        (["hello"], "line 1 .*'hello' is no ARFF declaration"),
        (["@data"], "line 1 .*before any @attribute"),
        (HEADER, "no @data line"),
        (["@attribute a real", "@attribute a real", "@data", "1,2"], "duplicate column names: 'a'"),
    ],
)
def test_errors_name_the_line(lines, words):
    with pytest.raises(BadData, match=words):
        read_arff(lines)
