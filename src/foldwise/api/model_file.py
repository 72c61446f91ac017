"""A fitted model in a file, with what it needs to predict: column names, kinds, classes and its estimate."""

from __future__ import annotations

import importlib
import json
import os
import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.arrays import AnyArray
from foldwise.data.columns import Column
from foldwise.errors import BadData, BadLearner, nearest

if TYPE_CHECKING:
    import pandas as pd

    from foldwise.data.dataset import Dataset

FREE_BYTES = 256 * 2**20  # a model may expand to this size; beyond it, to so many times its file
MOST_RATIO = 200
MOST_ENTRIES = 200_000
PICKLES = (".pkl", ".pickle", ".joblib")
# Classes of these packages may be built from a file. Functions may not, except those our own
# preparation uses: a function in a file is code that somebody else has chosen to run.
TRUSTED_CLASSES = ("sklearn.", "numpy.", "scipy.", "foldwise.learners.", "foldwise.tuners.")
TRUSTED_FUNCTIONS = "foldwise.learners.preprocessing.preprocess."
# Histogram boosting on categories keeps this check; what a partial calls must be on the list as well.
TRUSTED_NAMES = ("functools.partial", "sklearn.utils.validation.check_array")


@dataclass(frozen=True, eq=False)
class ModelFile:
    """A model and what is known of it."""

    model: Any
    about: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"ModelFile({self.about.get('method') or type(self.model).__name__}, columns={len(self.about['names'])})"


def check_model_path(path: str | Path, *, pickle: bool = False) -> None:
    """Refuse a file name that cannot be written as asked, before any work is done."""
    suffix = Path(path).suffix.lower()
    if suffix in PICKLES and not pickle:
        raise BadLearner(f"{path} would be a pickle, which runs code when read", "Name it .skops, or ask with --pickle")
    if suffix not in PICKLES and pickle:
        raise BadLearner(f"a pickle cannot be named {path}", "Name it .pkl or .joblib, or leave --pickle out")
    if suffix not in (".skops", *PICKLES):
        raise BadLearner(f"cannot save a model as {path}", "Name it MODEL.skops")


def save_model(
    path: str | Path, model: Any, data: Dataset, *, about: Mapping[str, Any] | None = None, pickle: bool = False
) -> Path:
    """Write a fitted model and what it needs to predict; skops unless a pickle is asked for."""
    check_model_path(path, pickle=pickle)
    path = Path(path)
    content = {"model": model, "about": json.dumps({**_about(data), **(about or {})}, allow_nan=False)}
    part = path.with_name(f".{path.name}.part")  # a reader never meets half a model
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _dump(content, part, pickle=pickle)
        os.replace(part, path)
    except OSError as error:
        raise BadLearner(f"cannot write the model {path}: {error.strerror}", "Give another path") from None
    finally:
        part.unlink(missing_ok=True)
    return path


def load_model(path: str | Path, *, trust: bool = False) -> ModelFile:
    """Read a model; a pickle, or a type that is not on the list, only with `trust=True`."""
    path = Path(path)
    if not path.is_file():
        raise BadLearner(f"there is no model file {path}", "Make one with `foldwise compare ... --save MODEL.skops`")
    content = _load_pickle(path, trust) if path.suffix.lower() in PICKLES else _load_skops(path, trust)
    try:
        model, about = content["model"], json.loads(content["about"])
        about["names"], about["kinds"], about["task"], about["container"]
    except (KeyError, TypeError, ValueError):
        raise BadLearner(f"{path} was not saved by Foldwise", "Save the model with --save or fw.save_model") from None
    return ModelFile(model, about, _version_notes(about))


def predict_table(file: ModelFile, frame: Any) -> pd.DataFrame:
    """Predictions for every row: row, prediction and, if the model has them, one probability per class."""
    import pandas as pd

    X = align(file, frame)
    try:
        table = pd.DataFrame({"row": np.arange(len(frame)), "prediction": np.asarray(file.model.predict(X))})
        if file.about["task"] != "regression" and hasattr(file.model, "predict_proba"):
            shares = np.asarray(file.model.predict_proba(X))
            for label, share in zip(file.model.classes_, shares.T, strict=True):
                table[f"p_{label}"] = share
    except ValueError as error:
        raise BadData(f"the model cannot predict these rows: {str(error).splitlines()[0]}") from error
    return table


def align(file: ModelFile, frame: Any) -> Any:
    """The columns the model knows, in its order and kinds, in the container it was fitted with."""
    from foldwise.data.tables import frame_of, open_table, stacked

    table = open_table(frame)
    names, kinds = file.about["names"], file.about["kinds"]
    absent = [name for name in names if name not in table.names]
    if absent:
        listed = ", ".join(map(repr, absent[:5])) + (f" and {len(absent) - 5} more" if len(absent) > 5 else "")
        raise BadData(f"the table lacks {listed}, which the model needs", nearest(absent[0], table.names))
    if not table.rows:
        raise BadData("the table has no rows to predict", "Give at least one row")
    columns = [_as_kind(name, _column(table, name), kind) for name, kind in zip(names, kinds, strict=True)]
    if file.about["container"] == "frame":
        return frame_of(names, columns)
    X = stacked([column.values for column in columns], np.float64)
    if file.about["container"] == "array":
        return X
    from scipy import sparse

    return sparse.csr_matrix(X)


def judge_table(
    file: ModelFile,
    source: str,
    *,
    target: str | None = None,
    weights: str | None = None,
    groups: str | None = None,
    **words: Any,
) -> Any:
    """The risk of a saved model, estimated from rows of a file that it has not seen; gives an Estimate."""
    from foldwise.api.risk import test_risk
    from foldwise.data.sources import builtin_table, read_table

    frame, own_target = builtin_table(source) or (read_table(source), None)
    wanted = target or own_target or file.about.get("target")
    columns = {"the target": wanted, "weights": weights, "groups": groups}
    for role, name in columns.items():
        if name is None and role == "the target":
            raise BadData("there is no target", f"Name its column with --target: {', '.join(map(str, frame.columns))}")
        if name is not None and name not in frame.columns:
            raise BadData(f"there is no column {name!r} for {role}", nearest(name, frame.columns))
    return test_risk(
        file.model,
        align(file, frame),
        frame[wanted],
        weights=None if weights is None else frame[weights],
        groups=None if groups is None else frame[groups],
        trained_on=file.about.get("fingerprint"),
        **words,
    )


def _about(data: Dataset) -> dict[str, Any]:
    from foldwise.api.manifest import versions

    container = "frame" if hasattr(data.X, "iloc") else "array" if isinstance(data.X, np.ndarray) else "sparse"
    return {
        "names": list(data.names),
        "kinds": list(data.kinds),
        "container": container,
        "task": data.task,
        "classes": [label.item() if isinstance(label, np.generic) else label for label in data.classes],
        "rows": data.rows,
        "fingerprint": data.fingerprint,
        "versions": versions(),
    }


def _dump(content: dict[str, Any], path: Path, *, pickle: bool) -> None:
    if pickle:
        import joblib

        joblib.dump(content, path)
        return
    from skops import io

    try:
        io.dump(content, path)
    except OSError:
        raise
    except Exception as error:  # skops raises many kinds for what it cannot write
        name = type(content["model"]).__name__
        raise BadLearner(f"skops cannot write this {name}: {error}", "Save it as .pkl with --pickle") from error


def _load_skops(path: Path, trust: bool) -> Any:
    from skops import io

    _check_archive(path)
    try:
        found = io.get_untrusted_types(file=path)
    except Exception:  # a damaged file can fail in any way
        raise BadLearner(f"{path} is not a model file, or is damaged", "Save the model again") from None
    strangers = [] if trust else [name for name in found if not _is_trusted(name)]
    if strangers:
        listed = ", ".join(strangers[:3])
        raise BadLearner(f"{path} holds types that are not on the list: {listed}", "If you made the file, use --trust")
    return _quietly(lambda: io.load(path, trusted=found), path)


def _check_archive(path: Path) -> None:
    """A small file that expands without end is refused before it is read."""
    try:
        with zipfile.ZipFile(path) as archive:
            sizes = [entry.file_size for entry in archive.infolist()]
    except Exception:  # a damaged file can fail in any way
        raise BadLearner(f"{path} is not a model file, or is damaged", "Save the model again") from None
    most = max(FREE_BYTES, MOST_RATIO * path.stat().st_size)
    if sum(sizes) > most or len(sizes) > MOST_ENTRIES:
        found = f"{len(sizes):,} parts of {sum(sizes):,} bytes"
        raise BadLearner(f"{path} expands to {found}, more than {most:,}", "Save the model again, or do not use it")


def _load_pickle(path: Path, trust: bool) -> Any:
    if not trust:
        raise BadLearner(f"{path} is a pickle, which runs code when read", "If you made the file, use --trust")
    import joblib

    return _quietly(lambda: joblib.load(path), path)


def _quietly(load: Any, path: Path) -> Any:
    """Load without the version warning, which becomes a note of ours."""
    from sklearn.exceptions import InconsistentVersionWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InconsistentVersionWarning)
        try:
            return load()
        except Exception as error:  # whatever a damaged or foreign file does, one sentence comes out
            raise BadLearner(f"cannot load {path}: {error}", "Save the model again with these versions") from error


def _is_trusted(name: str) -> bool:
    """Is this a class of a known package, or a function of our own preparation?"""
    if name.startswith(TRUSTED_FUNCTIONS) or name in TRUSTED_NAMES:
        return True
    if not name.startswith(TRUSTED_CLASSES):
        return False
    module, _, attribute = name.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except Exception:  # whatever importing a module of that name does
        return False
    # The object itself is asked: a module also holds what it has imported from elsewhere.
    return isinstance(found, type) and f"{found.__module__}.".startswith(TRUSTED_CLASSES)


def _version_notes(about: Mapping[str, Any]) -> tuple[str, ...]:
    import sklearn

    saved = about.get("versions", {}).get("scikit-learn")
    if saved in (None, sklearn.__version__):
        return ()
    return (f"the model was saved with scikit-learn {saved}, this is {sklearn.__version__}: predictions may differ",)


def _column(table: Any, name: str) -> Column:
    from foldwise.data.columns import canonical

    place = table.names.index(name)
    if table.column is not None:
        column: Column = table.column(place)
        return column
    matrix = table.matrix[:, [place]]
    return canonical(name, np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix).ravel())


def _as_kind(name: str, column: Column, kind: str) -> Column:
    """The column as the model knew it; a number where text was seen is text, but text is no number."""
    is_empty = bool(column.missing.all())
    if column.kind == kind:
        return column
    if kind in ("text", "category"):
        return _as_text(name, column, kind)
    if kind == "number" and column.kind == "boolean":
        return Column("number", column.values.astype(np.float64))
    if kind == "boolean" and column.kind == "number" and not is_empty:
        return _as_boolean(name, column)
    if is_empty and kind in ("number", "date"):
        return Column(kind, np.full(len(column.values), np.nan if kind == "number" else np.datetime64("NaT", "us")))
    raise BadData(f"column {name!r} holds {column.kind} values, but the model was trained on {kind} values there")


def _as_text(name: str, column: Column, kind: str) -> Column:
    from foldwise.data.columns import canonical

    if column.labels:
        raw: AnyArray = column.texts
    elif column.kind == "date":
        raw = _written_dates(column)
    else:
        raw = np.array([_label(value) for value in column.values.tolist()], dtype=object)
    if column.missing.all():
        return Column(kind, np.full(len(raw), -1, dtype=np.int32), ("",))
    return canonical(name, raw, is_category=kind == "category")


def _label(value: Any) -> str | None:
    """A number as it would be written in a table: 3, not 3.0."""
    if isinstance(value, float) and value != value:
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _written_dates(column: Column) -> AnyArray:
    """Dates as a table would write them, for a model that saw them beside other text."""
    is_day = bool((column.values.astype("datetime64[D]") == column.values)[~column.missing].all())
    texts = np.datetime_as_string(column.values, unit="D" if is_day else "s").astype(object)
    texts[column.missing] = None
    return texts


def _as_boolean(name: str, column: Column) -> Column:
    if column.missing.any():
        return Column("number", column.values)
    if not np.isin(column.values, (0.0, 1.0)).all():
        raise BadData(f"column {name!r} holds numbers other than 0 and 1, but the model was trained on booleans there")
    return Column("boolean", column.values.astype(bool))
