"""Tables in Excel workbooks: the one sheet that holds cells, values and no formulas."""

from __future__ import annotations

import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

from foldwise.data.arff import MOST_COLUMNS
from foldwise.data.cells import frame_of
from foldwise.data.dates import with_dates
from foldwise.data.packed import check_archive
from foldwise.errors import BadData, MissingExtra

MISSING = {"", "NA", "NaN", "nan", "null"}
Row = tuple[Any, ...]


def read_workbook(path: Path, *, most_cells: int) -> Any:
    """The sheet of a workbook as a pandas frame; its first row has the names of the columns."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        hint = 'Run pip install "foldwise[excel]"'
        raise MissingExtra(f"reading {path.name!r} needs openpyxl, which is not installed", hint) from None
    with zipfile.ZipFile(path) as archive:
        check_archive(path, archive.infolist())
    book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
    try:
        rows = _only_sheet(path, {sheet.title: _rows(sheet, most_cells) for sheet in book.worksheets})
    finally:
        book.close()
    return with_dates(_frame(rows))


def _only_sheet(path: Path, sheets: dict[str, list[Row]]) -> list[Row]:
    filled = {name: rows for name, rows in sheets.items() if rows}
    if not filled:
        raise BadData(f"{path.name!r} is empty", "Give a sheet with a header and rows")
    if len(filled) > 1:
        names = ", ".join(map(repr, filled))
        raise BadData(f"{path.name!r} has {len(filled)} sheets ({names})", "Keep one, or read it in Python with pandas")
    return next(iter(filled.values()))


def _rows(sheet: Any, most_cells: int) -> list[Row]:
    """The rows of a sheet that hold anything."""
    if not hasattr(sheet, "reset_dimensions"):  # a sheet of a chart
        return []
    sheet.reset_dimensions()  # what a file says of its size pads every row
    rows, cells = [], 0
    for row in sheet.iter_rows(values_only=True):
        cells += max(len(row), 1)
        if len(row) > MOST_COLUMNS or cells > most_cells:
            raise BadData(f"the sheet {sheet.title!r} expands to more than {most_cells:,} cells", "Write it as CSV")
        values = tuple(None if _is_missing(value) else value for value in row)
        if any(value is not None for value in values):
            rows.append(values)
    return rows


def _is_missing(value: Any) -> bool:
    """An empty cell, a word for one, or an error such as #N/A."""
    return value is None or (isinstance(value, str) and (value in MISSING or value.startswith("#N/A")))


def _frame(rows: list[Row]) -> Any:
    head, *body = rows
    width = max(map(len, rows))
    padded = [row + (None,) * (width - len(row)) for row in body]
    names = [*head, *[None] * (width - len(head))]
    columns = {}
    for at, name in enumerate(names):
        values = [row[at] for row in padded]
        if name is not None or any(value is not None for value in values):
            columns[at] = (f"Unnamed: {at}" if name is None else str(name), values)
    doubled = sorted(name for name, times in Counter(name for name, _ in columns.values()).items() if times > 1)
    if doubled:
        raise BadData(f"duplicate column names: {', '.join(map(repr, doubled))}", "Rename one of them")
    return frame_of(dict(columns.values()))
