"""Tables as JSON lines: one object per line, its keys the columns, its values numbers, text, booleans or null."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from foldwise.data.arff import MOST_COLUMNS
from foldwise.data.cells import frame_of
from foldwise.data.dates import with_dates
from foldwise.errors import BadData

MOST_LETTERS = 16 * 2**20  # of one line
MOST_WHOLE = 2**63  # beyond, a whole number is kept as a floating-point one


def read_json_lines(lines: Iterable[str], *, most_cells: int) -> Any:
    """A pandas frame of the lines; a key that a line lacks is missing there.

    >>> read_json_lines(['{"size": 1.5, "shop": "a"}', "", '{"size": null, "new": true}'], most_cells=99).shape
    (2, 3)
    """
    columns: dict[str, list[Any]] = {}
    rows = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        for name, value in _object(line, number).items():
            column = columns.setdefault(name, [])
            column.extend([None] * (rows - len(column)))
            column.append(value)
        rows += 1
        _check_size(rows, len(columns), most_cells)
    for column in columns.values():
        column.extend([None] * (rows - len(column)))
    return with_dates(frame_of(columns))


def _object(line: str, number: int) -> dict[str, Any]:
    if len(line) > MOST_LETTERS:
        raise BadData(f"line {number} is longer than {MOST_LETTERS:,} letters", "Check that it is a table")
    try:
        found = json.loads(line, object_pairs_hook=_Pairs, parse_int=_whole)
    except (ValueError, RecursionError) as error:
        reason = str(error).partition(":")[0] or "it is nested too deeply"
        raise BadData(f"line {number} is no JSON object: {reason}", "Write one object on each line") from None
    if not isinstance(found, _Pairs):
        raise BadData(f"line {number} is JSON, but no object", 'Write each row as {"column": value, ...}')
    row = dict(found)
    if len(row) < len(found):
        raise BadData(f"line {number} names a column twice", "Rename one of them")
    for name, value in found:
        if isinstance(value, list | tuple):
            raise BadData(
                f"line {number} has a list or an object in {name!r}", "A cell is a number, text, true or null"
            )
    return row


class _Pairs(tuple[tuple[str, Any], ...]):
    """The keys and values of an object, those that are there twice too."""

    __slots__ = ()


def _whole(text: str) -> int | float:
    value = int(text) if len(text) < 20 else None
    return value if value is not None and abs(value) < MOST_WHOLE else float(text)


def _check_size(rows: int, columns: int, most_cells: int) -> None:
    """Rows that each bring a column of their own stand for the square of as many cells."""
    if columns > MOST_COLUMNS:
        raise BadData(f"the table has more than {MOST_COLUMNS:,} columns", "Drop some of them")
    if rows * columns > most_cells:
        raise BadData(f"the table expands to {rows:,} rows of {columns:,} columns", "Write it as CSV if you trust it")
