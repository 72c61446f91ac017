"""What a store was made from; a study that differs in what matters is refused with the difference."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from typing import Any

from foldwise import __version__
from foldwise.data.sketch import Sketch, differences
from foldwise.errors import BadStore
from foldwise.records.document import Document
from foldwise.records.store import Store
from foldwise.studies.study import Study

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas")
_WORDS = {"data": "the data", "task": "the task", "classes": "the classes", "weights": "the row weights"}


@dataclass(frozen=True)
class Manifest:
    """What the records of a store rest on."""

    data: str
    task: str
    classes: tuple[str, ...]
    weights: str | None
    seed: int
    fit_threads: int
    versions: Mapping[str, str]
    code: Mapping[str, str]  # hashes of the user's own code


MANIFEST = Document("manifest", Manifest)
SKETCH = Document("sketch", Sketch, is_optional=True)  # by which a later run tells what has changed


def versions() -> dict[str, str]:
    """Versions of what the numbers depend on."""
    return dict(_versions())


@cache
def _versions() -> dict[str, str]:
    libraries = {name: version(name) for name in _LIBRARIES}
    return {"python": platform.python_version(), "foldwise": __version__, **libraries}


def stored_versions(store: Store) -> dict[str, str] | None:
    """Versions of what all numbers in a store depend on; a study knows those of its learners' packages."""
    manifest = MANIFEST.read(store)
    if manifest is None:
        return None
    return {name: manifest.versions[name] for name in versions() if name in manifest.versions}


def checked_manifest(study: Study, store: Store, sketch: Sketch | None = None) -> Manifest:
    """What this study is made from, to be kept; a store that was made from something else is refused.

    With a sketch of its data the refusal names the columns and rows that differ, if the store has one too.
    """
    wanted = Manifest(
        data=study.fingerprint,
        task=study.task,
        classes=tuple(map(str, study.classes)),
        weights=None if study.weights is None else hash_of(study.weights.tobytes()),
        seed=study.seed,
        fit_threads=study.threads,
        versions={**versions(), **study.packages},
        code={name: code for method in study.methods for name, code in method.code.items()},
    )
    stored = MANIFEST.read(store)
    if stored is None:
        store.discard(list(store.keys()))  # of a store whose manifest is damaged: nobody knows what they were made from
        return wanted
    old_sketch = SKETCH.read(store) if sketch is not None and stored.task == wanted.task else None
    words = "" if sketch is None or old_sketch is None else differences(old_sketch, sketch)
    if changes := [*_settings(stored, wanted, words), *_codes(stored.code, wanted.code)]:
        before = stored.task
        task = f"Say task={before!r} (--task {before}), name" if before != wanted.task else "Name"
        raise BadStore(
            f"the store was made from something else: {'; '.join(changes)}",
            f"{task} another store, or go back to what it was made from",
        )
    # those of learners of other studies stay
    return replace(wanted, versions={**stored.versions, **wanted.versions}, code={**stored.code, **wanted.code})


def _settings(stored: Manifest, wanted: Manifest, data_words: str) -> list[str]:
    changes = []
    for name in ("data", "task", "classes", "weights", "seed", "fit_threads"):
        before, now = getattr(stored, name), getattr(wanted, name)
        if before != now and name == "data" and data_words:
            changes.append(data_words)
        elif before != now:
            changes.append(f"{_WORDS.get(name, name)} was {_short(before)} and is {_short(now)}")
    before, always = stored.versions, versions()
    for name, number in wanted.versions.items():
        if before.get(name) != number and (
            name in before or name in always
        ):  # a package new to the store has no numbers there
            changes.append(f"the version of {name} was {before.get(name)} and is {number}")
    return changes


def _codes(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    return [f"the code of {name} has changed" for name, code in now.items() if name in before and before[name] != code]


def _short(value: Any) -> str:
    text = str(list(value) if isinstance(value, tuple) else value)
    return f"{text[:12]}..." if len(text) > 40 else text


def hash_of(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
