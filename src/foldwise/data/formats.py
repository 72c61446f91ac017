"""Readers of JSON lines, workbooks and ARFF files, none of which may expand without end, and of dates in text."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from foldwise.data.packed import check_archive
from foldwise.errors import BadData, MissingExtra

MOST_COLUMNS = 100_000
MOST_LETTERS = 10 * 2**20  # of one line
MOST_SPARSE_CELLS = 50 * 10**6  # of sparse rows, where a few letters stand for any number of cells
MISSING = ["", "NA", "NaN", "nan", "null"]
DAY = r"\d{4}-\d{2}-\d{2}"
CLOCK = r"[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?"
ZONE = r"(?:Z|[+-]\d{2}:?\d{2})"
# with and without a time zone do not mix: what a date without one means, nobody can tell
DATES = (rf"{DAY}(?:{CLOCK})?", rf"{DAY}{CLOCK}{ZONE}")


def read_json_lines(lines: Iterable[str], *, most_cells: int) -> Any:
    """A pandas frame of objects, one in each line; a key that a line lacks is missing there.

    >>> read_json_lines(['{"size": 1.5, "shop": "a"}', "", '{"size": null, "new": true}'], most_cells=99).shape
    (2, 3)
    """
    rows: list[dict[str, Any]] = []
    names: dict[str, None] = {}
    for number, line in enumerate(lines, start=1):
        if line.strip():
            rows.append(_json_object(line, number))
            names |= dict.fromkeys(rows[-1])
            if len(names) > MOST_COLUMNS:
                raise BadData(f"the table has more than {MOST_COLUMNS:,} columns", "Drop some of them")
            if len(rows) * len(names) > most_cells:  # rows that each bring a column of their own
                size = f"{len(rows):,} rows of {len(names):,} columns"
                raise BadData(f"the table expands to {size}", "Write it as CSV if you trust it")
    return _frame((name, [row.get(name) for row in rows]) for name in names)


def _json_object(line: str, number: int) -> dict[str, Any]:
    def row(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise BadData(f"line {number} names a column twice", "Rename one of them")
        return dict(pairs)

    if len(line) > MOST_LETTERS:
        raise BadData(f"line {number} is longer than {MOST_LETTERS:,} letters", "Check that it is a table")
    try:
        content = json.loads(line, object_pairs_hook=row)
    except (ValueError, RecursionError) as error:
        reason = str(error).partition(":")[0] or "it is nested too deeply"
        raise BadData(f"line {number} is no JSON object: {reason}", "Write one object on each line") from None
    if not isinstance(content, dict):
        raise BadData(f"line {number} is JSON, but no object", 'Write each row as {"column": value, ...}')
    nested = next((name for name, value in content.items() if isinstance(value, list | dict)), None)
    if nested is not None:
        problem = f"line {number} has a list or an object in {nested!r}"
        raise BadData(problem, "A cell is a number, text, true or null")
    return content


def read_workbook(path: Path, *, most_cells: int) -> Any:
    """The one sheet of a workbook that holds cells, values and no formulas, as a pandas frame.

    The first row has the names of the columns.
    """
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise _not_installed(path.name, "openpyxl", "excel") from None
    with zipfile.ZipFile(path) as archive:
        check_archive(path, archive.infolist())
    book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
    try:
        sheets = {sheet.title: _sheet_rows(sheet, most_cells) for sheet in book.worksheets}
    finally:
        book.close()
    filled = {name: rows for name, rows in sheets.items() if rows}
    if not filled:
        raise BadData(f"{path.name!r} is empty", "Give a sheet with a header and rows")
    if len(filled) > 1:
        names = ", ".join(map(repr, filled))
        raise BadData(f"{path.name!r} has {len(filled)} sheets ({names})", "Keep one, or read it in Python with pandas")
    (rows,) = filled.values()
    width = max(map(len, rows))
    head, *body = ([*row, *[None] * (width - len(row))] for row in rows)
    columns = [(name, [row[at] for row in body]) for at, name in enumerate(head)]
    return _frame(
        (f"Unnamed: {at}" if name is None else str(name), values)
        for at, (name, values) in enumerate(columns)
        if name is not None or any(value is not None for value in values)
    )


def _sheet_rows(sheet: Any, most_cells: int) -> list[tuple[Any, ...]]:
    """The rows of a sheet that hold anything."""
    if not hasattr(sheet, "reset_dimensions"):  # a sheet of a chart
        return []
    sheet.reset_dimensions()  # what a file says of its size pads every row
    rows, cells = [], 0
    for row in sheet.iter_rows(values_only=True):
        cells += max(len(row), 1)
        if len(row) > MOST_COLUMNS or cells > most_cells:
            raise BadData(f"the sheet {sheet.title!r} expands to more than {most_cells:,} cells", "Write it as CSV")
        texts = [value if isinstance(value, str) else None for value in row]
        gaps = [text is not None and (text in MISSING or text.startswith("#N/A")) for text in texts]
        values = tuple(None if gap else value for value, gap in zip(row, gaps, strict=True))
        if any(value is not None for value in values):
            rows.append(values)
    return rows


def read_arff(lines: Iterable[str], name: str) -> Any:
    """A pandas frame of the lines of an ARFF file, Weka's format; nominal attributes are categories."""
    try:
        import arff
    except ImportError:
        raise _not_installed(name, "liac-arff", "arff") from None
    import pandas as pd

    try:
        table = arff.load(_checked_lines(lines))
    except arff.ArffException as error:
        raise BadData(f"cannot read {name!r}: {str(error).strip()}", "Correct the line") from None
    frame = pd.DataFrame(table["data"], columns=[column for column, _ in table["attributes"]])
    for column, kind in table["attributes"]:
        if isinstance(kind, list):
            frame[column] = pd.Categorical(frame[column], categories=kind)
    return with_dates(frame)


def _checked_lines(lines: Iterable[str]) -> Iterator[str]:
    """The lines as they are, as long as they stand for a table of usual size."""
    columns = sparse = 0
    for number, line in enumerate(lines, start=1):
        columns += line.lstrip()[:10].lower() == "@attribute"
        sparse += line.lstrip().startswith("{")
        if len(line) > MOST_LETTERS:
            raise BadData(f"line {number} is longer than {MOST_LETTERS:,} letters", "Check that it is a table")
        if columns > MOST_COLUMNS:
            raise BadData(f"the table has more than {MOST_COLUMNS:,} columns", "Drop some of them")
        if sparse * columns > MOST_SPARSE_CELLS:
            problem = f"{sparse:,} sparse rows of {columns:,} columns are more than {MOST_SPARSE_CELLS:,} cells"
            raise BadData(problem, "Give a sparse matrix from Python instead")
        yield line


def _not_installed(name: str, package: str, extra: str) -> MissingExtra:
    problem = f"reading {name!r} needs {package}, which is not installed"
    return MissingExtra(problem, f'Run pip install "foldwise[{extra}]"')


def _frame(columns: Iterable[tuple[str, list[Any]]]) -> Any:
    import pandas as pd

    pairs = list(columns)
    check_names([name for name, _ in pairs])
    return with_dates(pd.DataFrame(dict(pairs)))


def check_names(names: Sequence[str]) -> None:
    """Refuse names that stand for two columns."""
    doubled = sorted(name for name, times in Counter(names).items() if name and times > 1)
    if doubled:
        raise BadData(f"duplicate column names: {', '.join(map(repr, doubled))}", "Rename one of them")


def with_dates(table: Any) -> Any:
    """The table with its columns of ISO dates as dates, where every value is one; other text stays text.

    >>> import pandas as pd
    >>> with_dates(pd.DataFrame({"day": ["2024-01-31", None], "week": ["2024-W05", None]})).dtypes.astype(str).tolist()
    ['datetime64[us]', 'str']
    """
    dates = {name: column for name in table.columns if (column := _dates(table[name])) is not None}
    table = table.copy(deep=False) if dates else table
    for name, column in dates.items():
        table[name] = column
    return table


def _dates(column: Any) -> Any:
    """The dates in a column of text, or None where it holds anything else."""
    import pandas as pd

    if column.dtype not in ("str", object):
        return None
    texts = column.dropna()
    if not len(texts) or not isinstance(texts.iloc[0], str):
        return None
    if not any(texts.iloc[:1].str.fullmatch(form).all() and texts.str.fullmatch(form).all() for form in DATES):
        return None
    try:
        dates: Any = pd.to_datetime(column, format="ISO8601", utc=True)
    except ValueError:  # such as February 30
        return None
    return dates.dt.tz_localize(None).astype("datetime64[us]")
