"""Data from files and from the sets that come with scikit-learn."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from foldwise.data.dataset import Dataset, make_dataset
from foldwise.data.formats import (
    MISSING,
    MOST_COLUMNS,
    MOST_LETTERS,
    check_names,
    read_arff,
    read_json_lines,
    read_workbook,
    with_dates,
)
from foldwise.data.packed import (
    JSON_LINES,
    MOST_RATIO,
    STDIN,
    STDIN_NAME,
    TEXT,
    TextFile,
    open_stdin,
    open_text,
    suffix_of,
)
from foldwise.errors import BadData, FoldwiseError, MissingExtra, nearest

BUILTIN = ("breast_cancer", "diabetes", "digits", "iris", "wine")
ARROW = (".arrow", ".feather", ".ipc")
PICKLES = (".pkl", ".pickle", ".joblib")
# Rows read twice, to find codes such as 007 before they lose their zeros.
PEEK = 1000
MOST_CELLS = 32 * 2**20  # of a table in a file that is much smaller
MOST_LINE = 16 * 2**20  # bytes of a header


def builtin_names() -> tuple[str, ...]:
    """Names of the data sets that come with scikit-learn.

    >>> builtin_names()
    ('breast_cancer', 'diabetes', 'digits', 'iris', 'wine')
    """
    return BUILTIN


def read(
    source: str | Path,
    *,
    target: str | None = None,
    task_hint: str | None = None,
    drop: str | Sequence[str] = (),
    **roles: Any,
) -> Dataset:
    """Make a dataset of a file, or of a built-in set by its name; a file of that name goes first."""
    table, known_target = builtin_table(source) or (read_table(source), None)
    return make_dataset(table, target or known_target, task_hint=task_hint, drop=drop, **roles)


def builtin_table(source: str | Path) -> tuple[Any, str] | None:
    """A built-in set as a frame and the name of its target; None if no set, or a file, has that name."""
    if not is_builtin_set(source):
        return None
    return _builtin(str(source)), "target"


def is_builtin_set(source: str | Path) -> bool:
    """Is this the name of a built-in set, and of no file?

    >>> is_builtin_set("diabetes"), is_builtin_set("diabetes.csv")
    (True, False)
    """
    return _builtin_name(source) is not None and not Path(source).exists()


def read_table(path: str | Path) -> Any:
    """The table in a file as a pandas frame; `-` is standard input."""
    if "://" in str(path)[:12]:
        problem = f"{str(path)!r} is an address, and data are read from files only"
        raise BadData(problem, "Download it first; in Python, pandas.read_csv(...) makes a table of it")
    path = Path(path)
    name = STDIN_NAME if str(path) == STDIN else path.name
    try:
        return _read_open(open_stdin()) if str(path) == STDIN else _reader(path)(path)
    except FoldwiseError:
        raise
    except UnicodeDecodeError as error:
        hint = "Save it as UTF-8; in Python, pandas.read_csv(..., encoding='cp1252'), say, makes a table of it"
        raise BadData(f"cannot read {name!r}: it is not UTF-8 text (byte {error.start})", hint) from None
    except Exception as error:
        # Whatever a reader says about a broken file, one sentence of it is enough.
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        hint = "Check that the file is complete and of the format its name says"
        raise BadData(f"cannot read {name!r}: {reason}", hint) from None


def _reader(path: Path) -> Callable[[Path], Any]:
    suffix = suffix_of(path)
    if suffix in PICKLES:
        raise BadData(
            f"{path.name!r} is a pickle, which can run code when it is opened", "Save the table as CSV or Parquet"
        )
    if path.is_dir():
        raise BadData(f"{str(path)!r} is a folder", "Name one file in it")
    if not path.exists() and not path.suffix:
        raise BadData(f"there is neither a file nor a built-in set {str(path)!r}", nearest(str(path), BUILTIN))
    if not path.exists():
        folder = path.parent.iterdir() if path.parent.is_dir() else ()
        beside = [file.name for file in folder if suffix_of(file) in READERS]
        near = nearest(path.name, beside)
        raise BadData(f"there is no file {str(path)!r}", near if near.startswith("Did") else "Check the path")
    if suffix not in READERS:
        known = ", ".join(sorted(READERS))
        raise BadData(
            f"{path.name!r} has the unknown ending {suffix!r}", f"Known are {known}, and .gz of the text formats"
        )
    if path.stat().st_size == 0:
        raise BadData(f"{path.name!r} is empty", "Give a file with a header and rows")
    return READERS[suffix]


def _read_packed(path: Path) -> Any:
    return _read_open(open_text(path))


def _read_open(source: TextFile) -> Any:
    with source.file:
        return TEXT_READERS[source.suffix](source)


def _read_text(source: TextFile) -> Any:
    import pandas as pd

    file = source.file
    first = _first_line(file, source.name).decode("utf-8-sig")
    delimiter = "\t" if source.suffix == ".tsv" else _delimiter(first)
    _check_header(first, delimiter)
    options: dict[str, Any] = {"sep": delimiter, "encoding": "utf-8-sig", "index_col": False}
    options |= {"keep_default_na": False, "na_values": MISSING}
    with warnings.catch_warnings():
        # Rows longer than the header would lose cells with a mere warning.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        file.seek(0)
        coded = _coded(pd.read_csv(file, dtype=str, nrows=PEEK, **options))
        file.seek(0)
        options |= {"dtype": dict.fromkeys(coded, str), "low_memory": False, **_exact(pd.__version__)}
        return with_dates(pd.read_csv(file, **options))


def _exact(version: str) -> dict[str, str]:
    # pandas reads numbers exactly by itself from 3.1 on, and deprecates the asking.
    return {} if tuple(map(int, version.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}


def _delimiter(header: str) -> str:
    if "," in header:
        return ","
    return next((mark for mark in "\t;" if mark in header), ",")


def _first_line(file: Any, name: str) -> bytes:
    line: bytes = file.readline(MOST_LINE + 1)
    if len(line) > MOST_LINE:
        raise BadData(f"the first line of {name!r} is longer than {MOST_LINE:,} bytes", "Check that it is a table")
    return line


def _check_header(line: str, delimiter: str) -> None:
    names = next(csv.reader([line], delimiter=delimiter), [])
    if len(names) > MOST_COLUMNS:
        raise BadData(f"the table has {len(names):,} columns, more than {MOST_COLUMNS:,}", "Drop some of them")
    check_names(names)


def _coded(peek: Any) -> list[str]:
    """Columns with numbers such as 007, which are names and not numbers."""
    return [name for name in peek if peek[name].str.fullmatch(r"-?0\d+").any()]


def _read_arff(source: TextFile) -> Any:
    with io.TextIOWrapper(source.file, encoding="utf-8-sig") as text:
        return read_arff(iter(lambda: text.readline(MOST_LETTERS + 1), ""), source.name)


def _read_json_lines(source: TextFile) -> Any:
    with io.TextIOWrapper(source.file, encoding="utf-8-sig") as text:
        return read_json_lines(iter(lambda: text.readline(MOST_LETTERS + 1), ""), most_cells=_most_cells(source.size))


def _read_workbook(path: Path) -> Any:
    return read_workbook(path, most_cells=_most_cells(path.stat().st_size))


def _read_parquet(path: Path) -> Any:
    _need_arrow(path)
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        _check_cells(path, file.metadata.num_rows, file.metadata.num_columns)
        return _sound(file.read()).to_pandas()


def _read_arrow(path: Path) -> Any:
    _need_arrow(path)
    import pyarrow as pa

    with pa.memory_map(str(path)) as file:
        try:
            reader: Any = pa.ipc.open_file(file)
            batches = (reader.get_batch(number) for number in range(reader.num_record_batches))
        except pa.ArrowInvalid:
            file.seek(0)
            batches = reader = pa.ipc.open_stream(file)
        table = pa.Table.from_batches(_checked_batches(path, batches), schema=reader.schema)
        return _sound(table).to_pandas()


def _sound(table: Any) -> Any:
    """An Arrow table whose places lie within it and whose text is UTF-8; what reads it does not look again."""
    table.validate(full=True)
    return table


def _checked_batches(path: Path, batches: Iterable[Any]) -> Iterator[Any]:
    rows = 0
    for batch in batches:
        rows += batch.num_rows
        _check_cells(path, rows, batch.num_columns)
        yield batch


def _check_cells(path: Path, rows: int, columns: int) -> None:
    """A few bytes may stand for any number of equal cells."""
    if columns > MOST_COLUMNS or rows * columns > _most_cells(path.stat().st_size):
        size = f"{rows:,} rows of {columns:,} columns in {path.stat().st_size:,} bytes"
        raise BadData(f"{path.name!r} expands to {size}", "Write it as CSV yourself if you trust it")


def _most_cells(size: int) -> int:
    return max(MOST_CELLS, MOST_RATIO * size // 8)


TEXT_READERS: dict[str, Callable[[TextFile], Any]] = {
    **dict.fromkeys(TEXT, _read_text),
    **dict.fromkeys(JSON_LINES, _read_json_lines),
    ".arff": _read_arff,
}
READERS: dict[str, Callable[[Path], Any]] = {
    **dict.fromkeys(TEXT_READERS, _read_packed),
    **dict.fromkeys(ARROW, _read_arrow),
    ".zip": _read_packed,
    ".xlsx": _read_workbook,
    ".parquet": _read_parquet,
    ".pq": _read_parquet,
}


def _need_arrow(path: Path) -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        hint = 'Run pip install "foldwise[arrow]"'
        raise MissingExtra(f"reading {path.name!r} needs pyarrow, which is not installed", hint) from None


def _builtin_name(source: str | Path) -> str | None:
    name = str(source).lower().replace("-", "_")
    return name if isinstance(source, str) and name in BUILTIN else None


def _builtin(source: str) -> Any:
    """A scikit-learn set as a frame with its target in the column `target`; classes by name where they have one."""
    import numpy as np
    import pandas as pd
    from sklearn import datasets

    name = _builtin_name(source)
    bunch: Any = getattr(datasets, f"load_{name}")()
    table = pd.DataFrame(bunch.data, columns=list(bunch.feature_names))
    labels = getattr(bunch, "target_names", None)
    is_named = labels is not None and np.asarray(labels).dtype.kind == "U"
    table["target"] = np.asarray(labels)[bunch.target].astype(object) if is_named else bunch.target
    return table
