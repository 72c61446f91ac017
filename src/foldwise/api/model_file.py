"""A fitted model in a file, with what it needs to predict: column names, kinds, classes and its estimate."""

from __future__ import annotations

import importlib
import json
import os
import re
import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from foldwise.api.manifest import versions
from foldwise.data.dataset import Dataset
from foldwise.errors import BadLearner
from foldwise.learners.identity import present_module

FREE_BYTES = 256 * 2**20  # a model may expand to this size; beyond it, to so many times its file
MOST_RATIO = 200
MOST_ENTRIES = 200_000
PICKLES = (".pkl", ".pickle", ".joblib")
# Classes of these packages may be built from a file. Functions may not, except those our own
# preprocessing uses: a function in a file is code that somebody else has chosen to run.
TRUSTED_CLASSES = ("sklearn.", "numpy.", "scipy.", "foldwise.learners.")
SCHEMA = "schema.json"  # of a skops archive
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


def _about(data: Dataset) -> dict[str, Any]:
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
        content = _with_present_names(path.read_bytes())
        found = io.get_untrusted_types(data=content)
    except Exception:  # a damaged file can fail in any way
        raise BadLearner(f"{path} is not a model file, or is damaged", "Save the model again") from None
    strangers = [] if trust else [name for name in found if not _is_trusted(name)]
    if strangers:
        listed = ", ".join(strangers[:3])
        raise BadLearner(f"{path} holds types that are not on the list: {listed}", "If you made the file, use --trust")
    return _quietly(lambda: io.loads(content, trusted=found), path)


def _with_present_names(content: bytes) -> bytes:
    """A model file in which parts of ours that were elsewhere in version 0.1 have the place they have now."""
    with zipfile.ZipFile(BytesIO(content)) as archive:
        schema = archive.read(SCHEMA).decode()
        moved = re.sub(r'"(foldwise\.[\w.]+)"', lambda found: f'"{present_module(found[1])}"', schema)
        if moved == schema:
            return content
        written = BytesIO()
        with zipfile.ZipFile(written, "w") as renewed:
            for entry in archive.infolist():
                renewed.writestr(entry, moved if entry.filename == SCHEMA else archive.read(entry))
    return written.getvalue()


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
    """Is this a class of a known package, or a function of our own preprocessing?"""
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
