"""What a store was made from; a study that differs in what matters is refused with the difference."""

from __future__ import annotations

import json
import platform
from functools import cache
from importlib.metadata import version
from typing import Any

from foldwise import __version__
from foldwise.data.sketch import Sketch, differences
from foldwise.errors import BadStore
from foldwise.records.encoding import pack, read_json, unpack
from foldwise.records.store import Store
from foldwise.studies.seeds import changes_since
from foldwise.studies.study import Study

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas")
_WORDS = {"data": "the data", "task": "the task", "classes": "the classes", "weights": "the row weights"}


def versions() -> dict[str, str]:
    """Versions of what the numbers depend on."""
    return dict(_versions())


@cache
def _versions() -> dict[str, str]:
    own = {"python": platform.python_version(), "foldwise": __version__}
    return {**own, **{name: version(name) for name in _LIBRARIES}}


def stored_versions(store: Store) -> dict[str, str] | None:
    """Versions of what all numbers in a store depend on; a study knows those of its learners' packages."""
    content = store.document("manifest")
    if content is None:
        return None
    found = _read(content)["versions"]
    return {name: found[name] for name in versions() if name in found}


def checked_manifest(study: Study, store: Store, sketch: Sketch | None = None) -> bytes:
    """What this study is made from, to be kept; a store that was made from something else is refused.

    With a sketch of its data the refusal names the columns and rows that differ, if the store has one too.
    """
    wanted = _manifest(study)
    content = store.document("manifest")
    if content is None:
        store.discard(list(store.keys()))  # of a store whose manifest is damaged: nobody knows what they were made from
    else:
        found = _read(content)
        words = _data_words(store, sketch) if found.get("task") == wanted["task"] else ""
        changes = [*_settings(found, wanted, words), *_codes(found["code"], wanted["code"])]
        if changes:
            before = str(found.get("task"))
            task = f"Say task={before!r} (--task {before}), name" if before != wanted["task"] else "Name"
            raise BadStore(
                f"the store was made from something else: {'; '.join(changes)}",
                f"{task} another store, or go back to what it was made from",
            )
        for part in ("code", "versions"):  # of learners of other studies
            wanted[part] = {**found[part], **wanted[part]}
    return json.dumps(wanted, sort_keys=True).encode()


def _read(content: bytes) -> dict[str, Any]:
    found = read_json(content, "manifest")
    if not isinstance(found, dict) or not all(isinstance(found.get(part), dict) for part in ("versions", "code")):
        raise BadStore("the store does not say what it was made from", "Name another store")
    return found


def _manifest(study: Study) -> dict[str, Any]:
    return {
        "data": study.fingerprint,
        "task": study.task,
        "classes": [str(label) for label in study.classes],
        "weights": None if study.weights is None else hash_of(study.weights.tobytes()),
        "seed": study.seed,
        "fit_threads": study.threads,
        "versions": {**versions(), **study.packages},
        "code": {name: code for method in study.methods for name, code in method.code.items()},
    }


def write_sketch(store: Store, sketch: Sketch | None) -> None:
    """Keep the picture of the data, by which a later run tells what has changed."""
    if sketch is not None:
        arrays = {"columns": sketch.columns, "rows": sketch.rows}
        store.write_document("sketch", pack({"names": list(sketch.names)}, arrays))


def _data_words(store: Store, sketch: Sketch | None) -> str:
    """Where the data differ from those of the store, if both have a picture."""
    content = store.document("sketch")
    if content is None or sketch is None:
        return ""
    head, arrays = unpack(content)
    try:
        return differences(Sketch(tuple(head["names"]), arrays["columns"], arrays["rows"]), sketch)
    except (KeyError, TypeError, ValueError):  # no picture of ours
        return ""


def _settings(found: dict[str, Any], wanted: dict[str, Any], data_words: str) -> list[str]:
    changes = []
    for name in ("data", "task", "classes", "weights", "seed", "fit_threads"):
        if found.get(name) != wanted[name] and name == "data" and data_words:
            changes.append(data_words)
        elif found.get(name) != wanted[name]:
            words = _WORDS.get(name, name)
            changes.append(f"{words} was {_short(found.get(name))} and is {_short(wanted[name])}")
    before, always = found["versions"], versions()
    for name, number in wanted["versions"].items():
        if before.get(name) != number and (
            name in before or name in always
        ):  # a package new to the store has no numbers there
            changes.append(f"the version of {name} was {before.get(name)} and is {number}")
    return [*changes, *changes_since(str(before.get("foldwise")))]


def _codes(found: dict[str, str], wanted: dict[str, str]) -> list[str]:
    return [f"the code of {name} has changed" for name, code in wanted.items() if name in found and found[name] != code]


def _short(value: Any) -> str:
    text = str(value)
    return f"{text[:12]}..." if len(text) > 40 else text


def hash_of(content: bytes) -> str:
    import hashlib

    return hashlib.blake2b(content, digest_size=16).hexdigest()
