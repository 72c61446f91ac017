"""A fitted model in a file, with what it needs to predict: column names, kinds, classes and its estimate."""

from __future__ import annotations

import json
import os
import re
import warnings
import zipfile
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from foldwise.api.manifest import versions
from foldwise.api.model_schema import SCHEMA, Refused, Unlisted, check_archive, check_schema
from foldwise.api.model_state import check_state
from foldwise.data.dataset import Dataset
from foldwise.data.features import summary_of
from foldwise.data.task import TASKS
from foldwise.errors import BadLearner
from foldwise.learners.identity import present_module

KINDS = ("number", "boolean", "text", "category", "date", "any")  # of columns; "any" where it is not known
_PICKLE = "pickle=True (--pickle)"
_TRUST = "If you made the file, use trust=True (--trust)"
PICKLES = (".pkl", ".pickle", ".joblib")


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
        raise BadLearner(
            f"{path} would be a pickle, which runs code when read", f"Name it .skops, or ask with {_PICKLE}"
        )
    if suffix not in PICKLES and pickle:
        raise BadLearner(f"a pickle cannot be named {path}", f"Name it .pkl, or leave out {_PICKLE}")
    if suffix not in (".skops", *PICKLES):
        raise BadLearner(f"cannot save a model as {path}", "Name it MODEL.skops")


def save_model(
    path: str | Path, model: Any, data: Dataset, *, about: Mapping[str, Any] | None = None, pickle: bool = False
) -> Path:
    """Write a fitted model and what it needs to predict; skops unless a pickle is asked for."""
    return write_model(path, model, {**about_data(data), **(about or {})}, pickle=pickle)


def write_model(path: str | Path, model: Any, about: Mapping[str, Any], *, pickle: bool = False) -> Path:
    """Write a model with its card, which says of its table what `about_data` says, and when it was saved first."""
    check_model_path(path, pickle=pickle)
    path, model = Path(path), _chosen(model)
    card = {"date": datetime.now(UTC).isoformat(timespec="seconds"), "model": type(_plain(model)).__name__, **about}
    content = {"model": model, "about": json.dumps(card, allow_nan=False)}
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


def _chosen(model: Any) -> Any:
    """The model, with that which a tuned learner at the end of a pipeline chose in place of the learner."""
    from foldwise.learners.answering import AnswersByModel
    from foldwise.learners.conformal import ConformalModel

    if isinstance(model, ConformalModel):
        chosen, model = [_chosen(one) for one in (model.model, *model.fold_models)], copy(model)
        model.model, model.fold_models = chosen[0], chosen[1:]
        return model
    steps = getattr(model, "steps", None)
    if isinstance(steps, list) and steps and isinstance(steps[-1][1], AnswersByModel):
        model = copy(model)
        model.steps = [*steps[:-1], (steps[-1][0], steps[-1][1].model_)]
    return model


def _plain(model: Any) -> Any:
    """The model itself, without those of the outer folds that may be kept beside it."""
    from foldwise.learners.conformal import ConformalModel

    return model.model if isinstance(model, ConformalModel) else model


def load_model(path: str | Path, *, trust: bool = False) -> ModelFile:
    """Read a model; a pickle, or a type that is not on the list, only with `trust=True`."""
    path = Path(path)
    if not path.is_file():
        raise BadLearner(f"there is no model file {path}", "Make one with `foldwise compare ... --save MODEL.skops`")
    content = _load_pickle(path, trust) if path.suffix.lower() in PICKLES else _load_skops(path, trust)
    try:
        model, words = content["model"], content["about"]
    except (KeyError, TypeError):
        model, words = None, ""
    about = _read_about(words, path)
    return ModelFile(model, about, _version_notes(about))


def read_card(path: str | Path, *, trust: bool = False) -> dict[str, Any]:
    """The card of a model file alone: nothing of the model is made, so that it may hold any type; not of a pickle."""
    path = Path(path)
    if not path.is_file() or path.suffix.lower() in PICKLES:
        return dict(load_model(path, trust=trust).about)
    try:
        check_archive(content := path.read_bytes())
        with zipfile.ZipFile(BytesIO(content)) as archive:
            words = json.loads(json.loads(archive.read(SCHEMA))["content"]["about"]["content"])
    except Refused as reason:
        raise BadLearner(f"{path} {reason}", "Do not use it") from None
    except Exception:  # a damaged file can fail in any way
        raise BadLearner(f"{path} is not a model file, or is damaged", "Save the model again") from None
    return _read_about(words, path)


def _read_about(words: Any, path: Path) -> dict[str, Any]:
    try:
        about: dict[str, Any] = json.loads(words)
        is_ours = _is_about(about)
    except (KeyError, TypeError, ValueError, RecursionError):
        is_ours = False
    if not is_ours:
        raise BadLearner(f"{path} was not saved by Foldwise", "Save the model with --save or fw.save_model")
    return about


def _is_about(about: Any) -> bool:
    """Does it say what a saved model says of its table, in the same way?"""
    names, kinds = about["names"], about["kinds"]
    return (
        isinstance(names, list)
        and isinstance(kinds, list)
        and len(names) == len(kinds) == len({str(name) for name in names})
        and all(isinstance(name, str | int) for name in names)
        and set(kinds) <= set(KINDS)
        and about["task"] in TASKS
        and about["container"] in ("frame", "series", "array", "sparse")
        and isinstance(about.get("versions", {}), dict)
        and isinstance(about.get("classes", []), list)
    )


def about_data(data: Dataset) -> dict[str, Any]:
    """What a model must know of the table it was trained on."""
    container = "frame" if hasattr(data.X, "iloc") else "array" if isinstance(data.X, np.ndarray) else "sparse"
    return {
        "names": list(data.names),
        "kinds": list(data.kinds),
        "container": "series" if data.is_series else container,
        "task": data.task,
        "classes": [label.item() if isinstance(label, np.generic) else label for label in data.classes],
        "rows": data.rows,
        "fingerprint": data.fingerprint,
        "versions": versions(),
        "summary": summary_of(data),
    }


def _dump(content: dict[str, Any], path: Path, *, pickle: bool) -> None:
    if pickle:
        import joblib

        joblib.dump(content, path)
        return
    from skops import io

    # the models of many folds are much alike
    packing = zipfile.ZIP_DEFLATED if content["model"] is not _plain(content["model"]) else zipfile.ZIP_STORED
    try:
        io.dump(content, path, compression=packing)
    except OSError:
        raise
    except Exception as error:  # skops raises many kinds for what it cannot write
        name = type(content["model"]).__name__
        raise BadLearner(f"skops cannot write this {name}: {error}", f"Name it .pkl, with {_PICKLE}") from error


def _load_skops(path: Path, trust: bool) -> Any:
    from skops import io

    try:
        check_archive(content := path.read_bytes())
        content = _with_present_names(content)
        if not trust:
            check_schema(content)
        found = io.get_untrusted_types(data=content)
    except Refused as reason:
        remedy = _TRUST if isinstance(reason, Unlisted) else "Do not use it"
        raise BadLearner(f"{path} {reason}", remedy) from None
    except Exception:  # a damaged file can fail in any way
        raise BadLearner(f"{path} is not a model file, or is damaged", "Save the model again") from None
    loaded = _quietly(lambda: io.loads(content, trusted=found), path)
    try:
        if not trust:
            check_state(loaded)
    except Refused as reason:
        raise BadLearner(f"{path} {reason}", "Do not use it") from None
    return loaded


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


def _load_pickle(path: Path, trust: bool) -> Any:
    if not trust:
        raise BadLearner(f"{path} is a pickle, which runs code when read", _TRUST)
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


def _version_notes(about: Mapping[str, Any]) -> tuple[str, ...]:
    import sklearn

    saved = about.get("versions", {}).get("scikit-learn")
    if saved in (None, sklearn.__version__):
        return ()
    return (f"the model was saved with scikit-learn {saved}, this is {sklearn.__version__}: predictions may differ",)
