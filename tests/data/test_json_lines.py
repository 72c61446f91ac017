from __future__ import annotations

import math

import pytest

from foldwise.data.json_lines import read_json_lines
from foldwise.errors import BadData


def read(*lines):
    return read_json_lines(lines, most_cells=1000)


def test_kinds_are_those_of_the_values():
    table = read(
        '{"n": 1, "x": 0.5, "b": true, "t": "007", "d": "2024-01-31", "m": 1}',
        '{"n": 2, "x": null, "b": false, "t": "NA", "d": "2024-02-01", "m": "a"}',
    )
    kinds = [str(kind)[:8].replace("object", "str") for kind in table.dtypes]  # texts before pandas 3
    assert kinds == ["int64", "float64", "bool", "str", "datetime", "str"]
    assert table["t"].tolist() == ["007", "NA"]
    assert table["m"].tolist() == ["1", "a"]


def test_a_key_that_a_line_lacks_is_missing_there():
    table = read('{"a": 1}', '{"b": 2}', "{}")
    assert [[math.isnan(value) for value in table[name]] for name in "ab"] == [[False, True, True], [True, False, True]]


def test_numbers_are_exact_and_those_too_large_for_whole_ones_are_amounts():
    table = read('{"a": 0.1, "b": 12345678901234567890123}', '{"a": 1e-300, "b": -9223372036854775808}')
    assert table["a"].tolist() == [0.1, 1e-300]
    assert table["b"].tolist() == [12345678901234567890123.0, -9223372036854775808.0]


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
        read('{"a": 0}', line)
