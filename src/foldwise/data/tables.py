"""The one place where arrays, sparse matrices and data frames become canonical tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.data.columns import Column, canonical, category_values, digest, number_digest, sparse_digest
from foldwise.errors import BadData, nearest

DOCUMENTS = "text"  # the name of the column where the documents have none


@dataclass(frozen=True, eq=False)
class OpenTable:
    """Columns as the user gave them, before they are made canonical.

    `matrix` holds tables of one number type (an array or a CSR matrix), else `column` gives each by its place.
    """

    container: str
    rows: int
    names: tuple[str, ...]
    places: tuple[int, ...]
    matrix: Any = None
    column: Callable[[int], Column] | None = None
    role: Callable[[int], tuple[Column, bool]] | None = None
    is_series: bool = False  # was it given as one series of documents?

    def find(self, name: str, role: str) -> tuple[Column, bool]:
        """The named column and whether it was declared a category; a refusal with the nearest name if there is none."""
        if self.role is None:
            hint = "Give a data frame, or the values themselves"
            raise BadData(f"{role} is the column name {name!r}, but X has no column names", hint)
        if name not in self.names:
            raise BadData(f"there is no column {name!r} for {role}", nearest(name, self.names))
        return self.role(self.places[self.names.index(name)])

    def without(self, names: Iterable[str]) -> OpenTable:
        """The table less these columns."""
        gone = set(names)
        for name in sorted(gone - set(self.names)):
            raise BadData(f"cannot drop column {name!r}: there is none", nearest(name, self.names))
        if not self.names:
            problem = f"the table has 0 feature(s) (shape=({self.rows}, 0)) while a minimum of 1 is required"
            raise BadData(problem, "Give at least one column")
        rest = [place for place, name in enumerate(self.names) if name not in gone]
        if not rest:
            raise BadData("the table has no feature column left", "Keep at least one column besides the target")
        return replace(self, names=tuple(self.names[k] for k in rest), places=tuple(self.places[k] for k in rest))


def open_table(X: Any) -> OpenTable:
    """Look at any supported container without copying it.

    >>> open_table([[1, 2], [3, 4]]).names
    ('x0', 'x1')
    """
    import narwhals as nw

    if nw.dependencies.is_pandas_dataframe(X):
        return _pandas_table(X)
    if (texts := documents(X)) is not None:
        return replace(_pandas_table(texts), is_series=True)
    if nw.dependencies.is_pandas_series(X) or nw.dependencies.is_polars_series(X):
        raise BadData("X is one series, not a table", "Use X.to_frame() for a single column")
    if _is_sparse(X):
        return _sparse_table(X)
    if isinstance(X, Mapping) or (isinstance(X, np.ndarray) and X.dtype.names):
        import pandas as pd

        return _pandas_table(pd.DataFrame(X))
    if isinstance(X, np.ndarray | list | tuple):
        return _array_table(as_array(X, "X"))
    return _other_frame(X)


def check_order(X: Any, y: Any) -> None:
    """Refuse a table where the target should be, and a column where the table should be.

    >>> import numpy as np
    >>> check_order(np.zeros(5), np.zeros((5, 3)))
    Traceback (most recent call last):
    foldwise.errors.BadData: X is one column and y is a table of 3: they seem to be swapped. Write (X, y).
    """
    if _width(y) < 2 and not _is_file(y):
        return
    if isinstance(X, str) and not _is_file(X):
        problem = f"X is {X!r}, which is no file, and y is {_swapped_words(y)}"
    elif getattr(X, "ndim", 2) == 1 or (isinstance(X, list) and X and not hasattr(X[0], "__len__")):
        problem = f"X is one column and y is {_swapped_words(y)}"
    else:
        return
    raise BadData(f"{problem}: they seem to be swapped", "Write (X, y)")


def _width(values: Any) -> int:
    """Columns of a table; 0 of what is none."""
    if isinstance(values, list | tuple) and values and isinstance(values[0], list | tuple):
        return len(values[0])
    shape = getattr(values, "shape", ())
    return int(shape[1]) if isinstance(shape, tuple) and len(shape) == 2 else 0


def _is_file(value: Any) -> bool:
    try:
        return isinstance(value, str | Path) and Path(value).is_file()
    except (OSError, ValueError):  # too long for a path, or with characters that no path can have
        return False


def _swapped_words(y: Any) -> str:
    return f"the file {str(y)!r}" if _is_file(y) else f"a table of {_width(y)}"


def documents(X: Any) -> Any:
    """A series, list or one-dimensional array of texts as a frame of one column; None where it is something else.

    >>> documents(["a fine wine", None, "a dull one"]).columns.tolist()
    ['text']
    >>> documents([[1, 2], [3, 4]]) is None
    True
    """
    values = _document_values(X)
    if not any(isinstance(text, str) for text in values) or not all(map(_is_document, values)):
        return None
    import pandas as pd

    name = getattr(X, "name", None)
    texts = [str(text) if isinstance(text, str) else None for text in values]
    return pd.DataFrame({DOCUMENTS if name in (None, "") else str(name): pd.Series(texts, dtype=object)})


def _document_values(X: Any) -> Any:
    import narwhals as nw

    if isinstance(X, list | tuple):
        return X
    if isinstance(X, np.ndarray):
        return X.tolist() if X.ndim == 1 and X.dtype.kind in "OUT" else ()
    if nw.dependencies.is_pandas_series(X) or nw.dependencies.is_polars_series(X):
        return () if str(X.dtype).lower().startswith(("categor", "enum")) else X.to_list()
    return ()


def _is_document(text: Any) -> bool:
    """Text, or what stands for missing text in lists and series."""
    is_missing = text is None or type(text).__name__ == "NAType" or (isinstance(text, float) and text != text)
    return isinstance(text, str) or is_missing


def finish(table: OpenTable) -> tuple[Any, tuple[str, ...], list[bytes]]:
    """What a learner is given, the kinds of its columns, and their digests."""
    if table.container == "sparse":
        return _finish_sparse(table)
    if table.matrix is not None:
        return _finish_matrix(table)
    assert table.column is not None
    columns = [table.column(place) for place in table.places]
    kinds, digests = tuple(column.kind for column in columns), [digest(column) for column in columns]
    if table.container == "array" and set(kinds) <= {"number", "boolean"}:
        return stacked([column.values for column in columns], np.float64), kinds, digests
    return frame_of(table.names, columns), kinds, digests


def as_array(values: Any, role: str) -> AnyArray:
    """An array of a list or array-like; mixed lists keep their objects instead of turning to text."""
    if isinstance(values, np.ma.MaskedArray):
        return np.asarray(np.ma.filled(values.astype(np.float64), np.nan))
    if isinstance(values, np.ndarray):
        return np.asarray(values)
    try:
        array = np.asarray(values)
        return array if array.dtype.kind in "fiubcMm" else np.array(values, dtype=object)
    except ValueError:
        lengths = [np.size(row) for row in values]
        row = next((row for row, length in enumerate(lengths) if length != lengths[0]), 0)
        problem = f"{role} has {lengths[0]} values in row 0 but {lengths[row]} in row {row}"
        raise BadData(problem, "Give every row the same number of values") from None


def column_from(values: Any, role: str) -> tuple[Column, bool]:
    """One column of any container, and whether it was declared a category there."""
    import narwhals as nw

    if nw.dependencies.is_into_dataframe(values) or getattr(values, "ndim", 1) == 2:
        values = _single(values, role)
    if nw.dependencies.is_pandas_index(values):
        values = values.to_series()
    if type(values).__name__ == "Categorical":
        import pandas as pd

        values = pd.Series(values)
    if nw.dependencies.is_pandas_series(values):
        return _role_column(role, values)
    if nw.dependencies.is_into_series(values) and not isinstance(values, np.ndarray):
        series = nw.from_native(values, series_only=True)
        raw, is_category = _narwhals_values(series)
        return canonical(role, raw), is_category
    if hasattr(values, "__array__") and not isinstance(values, np.ndarray):
        values = np.asarray(values)
    if isinstance(values, str) or not hasattr(values, "__len__"):
        raise BadData(f"{role} is {values!r}, not a column of values", "Give one value per row")
    array = as_array(list(values) if not isinstance(values, np.ndarray | list) else values, role)
    return canonical(role, array), False


def _single(values: Any, role: str) -> Any:
    width = values.shape[1]
    if width != 1:
        raise BadData(f"{role} has {width} columns", "Give one column; several targets at once are not supported")
    if isinstance(values, np.ndarray):
        return values[:, 0]
    if hasattr(values, "iloc"):
        return values.iloc[:, 0]
    if _is_sparse(values):
        return values.toarray()[:, 0]
    import narwhals as nw

    frame = nw.from_native(values, eager_only=True)
    return frame.get_column(frame.columns[0]).to_native()


def _role_column(role: str, series: Any) -> tuple[Column, bool]:
    # A target of categories 0 and 1 stays numbers: predictions should look like what was given.
    if str(series.dtype) == "category":
        return canonical(role, category_values(series)), True
    return canonical(role, series), False


def _pandas_table(X: Any) -> OpenTable:
    nameless = list(X.columns) == list(range(X.shape[1]))
    names = _names([f"x{j}" if nameless else name for j, name in enumerate(X.columns)])
    return OpenTable(
        "frame", len(X), names, tuple(range(len(names))),
        column=lambda j: canonical(f"column {names[j]!r}", X.iloc[:, j]),
        role=lambda j: _role_column(f"column {names[j]!r}", X.iloc[:, j]),
    )  # fmt: skip


def _other_frame(X: Any) -> OpenTable:
    """Polars, Arrow and other frames, through narwhals."""
    import narwhals as nw

    try:
        frame = nw.from_native(X, eager_only=True)
    except TypeError:
        if hasattr(X, "__array__"):
            return _array_table(as_array(X, "X"))
        hint = "Call .collect() first" if hasattr(X, "collect") else "Give an array, a sparse matrix or a data frame"
        raise BadData(f"X is a {type(X).__name__}, which cannot be read as a table", hint) from None
    except nw.exceptions.DuplicateError as error:
        raise BadData(f"duplicate column names: {error}", "Rename one of them") from None
    names = _names(frame.columns)

    def column(j: int) -> Column:
        raw, is_category = _narwhals_values(frame.get_column(frame.columns[j]))
        return canonical(f"column {names[j]!r}", raw, is_category=is_category)

    def role(j: int) -> tuple[Column, bool]:
        raw, is_category = _narwhals_values(frame.get_column(frame.columns[j]))
        return canonical(f"column {names[j]!r}", raw), is_category

    return OpenTable("frame", len(frame), names, tuple(range(len(names))), column=column, role=role)


def _narwhals_values(series: Any) -> tuple[AnyArray, bool]:
    import narwhals as nw

    is_category = isinstance(series.dtype, nw.Categorical | nw.Enum)
    # Arrow dictionaries lose their missing values on the way to NumPy, text does not.
    return np.asarray((series.cast(nw.String) if is_category else series).to_numpy()), is_category


def _array_table(X: AnyArray) -> OpenTable:
    if X.ndim != 2:
        hint = "Use X.reshape(-1, 1) for a single column" if X.ndim == 1 else "Give rows x columns"
        raise BadData(f"X has {X.ndim} dimension{'s' * (X.ndim != 1)}, but a table has 2", hint)
    names, places = tuple(f"x{j}" for j in range(X.shape[1])), tuple(range(X.shape[1]))
    if X.dtype.kind in "fiub":
        return OpenTable("array", len(X), names, places, matrix=X)
    return OpenTable("array", len(X), names, places, column=lambda j: canonical(f"column {names[j]!r}", X[:, j]))


def _finish_matrix(table: OpenTable) -> tuple[FloatArray, tuple[str, ...], list[bytes]]:
    whole = len(table.places) == table.matrix.shape[1]
    X = np.ascontiguousarray(table.matrix if whole else table.matrix[:, list(table.places)], dtype=np.float64)
    kind = "boolean" if table.matrix.dtype.kind == "b" else "number"
    return X, (kind,) * X.shape[1], [number_digest(X[:, j]) for j in range(X.shape[1])]


def _is_sparse(X: Any) -> bool:
    # Asked without importing scipy for those who do not use it.
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def _sparse_table(X: Any) -> OpenTable:
    if X.ndim != 2:
        raise BadData(f"X has {X.ndim} dimension, but a table has 2", "Give rows x columns")
    if X.dtype.kind not in "fiub":
        raise BadData(f"X is a sparse matrix of {X.dtype}", "Use real numbers")
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    return OpenTable("sparse", X.shape[0], names, tuple(range(len(names))), matrix=X)


def _finish_sparse(table: OpenTable) -> tuple[Any, tuple[str, ...], list[bytes]]:
    from scipy import sparse

    is_whole = len(table.places) == table.matrix.shape[1]
    X = sparse.csr_matrix(table.matrix if is_whole else table.matrix.tocsc()[:, list(table.places)], dtype=np.float64)
    if not X.has_canonical_format or np.count_nonzero(X.data) < X.nnz:
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
    tall, rows = X.tocsc(), X.shape[0]
    digests = [sparse_digest(tall.indices[a:b], tall.data[a:b], rows) for a, b in pairwise(tall.indptr)]
    kind = "boolean" if table.matrix.dtype.kind == "b" else "number"
    return X, (kind,) * X.shape[1], digests


def _names(given: Iterable[Any]) -> tuple[str, ...]:
    names = tuple(str(name) for name in given)
    doubled = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if doubled:
        raise BadData(f"duplicate column names: {', '.join(map(repr, doubled))}", "Rename one of them")
    return names


def stacked(columns: Sequence[AnyArray], dtype: Any) -> AnyArray:
    """Columns side by side in one C-order matrix; row blocks keep the writes inside the cache."""
    rows = len(columns[0])
    out = np.empty((rows, len(columns)), dtype=dtype)
    step = max(1, 65536 // len(columns))
    for start in range(0, rows, step):
        np.stack([column[start : start + step] for column in columns], axis=1, out=out[start : start + step])
    return out


def frame_of(names: Sequence[str], columns: Sequence[Column]) -> Any:
    """The data frame a learner is given."""
    blocks = {kind: _block(kind, columns) for kind in ("number", "boolean", "date")}
    texts = [column for column in columns if column.labels]
    return frame_from_blocks(names, [column.kind for column in columns], blocks, texts)


def _block(kind: str, columns: Sequence[Column]) -> AnyArray | None:
    dtype = {"number": "float64", "boolean": "bool", "date": "datetime64[us]"}[kind]
    chosen = [column.values for column in columns if column.kind == kind]
    return stacked(chosen, dtype) if chosen else None


def frame_from_blocks(
    names: Sequence[str], kinds: Sequence[str], blocks: Mapping[str, AnyArray | None], texts: Sequence[Column]
) -> Any:
    """A frame over the blocks, without copying them: neighbours of one kind share a block, so `take` is quick."""
    import pandas as pd

    pieces, used, text = [], dict.fromkeys(blocks, 0), iter(texts)
    for kind, start, stop in _runs(kinds):
        if kind in ("text", "category"):
            pieces.append(pd.DataFrame({names[start]: _text_values(next(text))}))
            continue
        block, a = blocks[kind], used[kind]
        assert block is not None
        used[kind] = b = a + stop - start
        pieces.append(pd.DataFrame(block[:, a:b], columns=list(names[start:stop]), copy=False))
    frame = pieces[0] if len(pieces) == 1 else pd.concat(pieces, axis=1)
    frame.columns = pd.Index(list(names))
    return frame


def _runs(kinds: Sequence[str]) -> list[tuple[str, int, int]]:
    """Runs of neighbouring columns of one kind; each text column is a run of its own."""
    starts = [j for j, kind in enumerate(kinds) if j == 0 or kind != kinds[j - 1] or kind in ("text", "category")]
    return [(kinds[a], a, b) for a, b in zip(starts, [*starts[1:], len(kinds)], strict=True)]


def _text_values(column: Column) -> Any:
    import pandas as pd

    labels = list(column.labels)
    if column.kind == "category":
        return pd.Categorical.from_codes(column.values, categories=pd.Index(labels))
    # pandas 3 has a text dtype of its own, and selectors look for it.
    dtype: Any = "str" if int(pd.__version__.split(".")[0]) >= 3 else object
    return pd.array(labels, dtype=dtype).take(column.values, allow_fill=True)
