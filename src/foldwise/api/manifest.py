"""What a store was made from; a study that differs in what matters is refused with the difference."""

from __future__ import annotations

import json
import platform
from functools import cache
from importlib.metadata import version
from typing import Any

from foldwise import __version__
from foldwise.errors import BadStore
from foldwise.records.encoding import read_json
from foldwise.records.store import Store
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
    """Versions of what made the numbers in a store."""
    content = store.document("manifest")
    if content is None:
        return None
    found: dict[str, str] = read_json(content, "manifest")["versions"]
    return {name: found[name] for name in (*versions(), *found) if name in found}


def checked_manifest(study: Study, store: Store) -> bytes:
    """What this study is made from, to be kept; a store that was made from something else is refused."""
    wanted = _manifest(study)
    content = store.document("manifest")
    if content is not None:
        found = read_json(content, "manifest")
        differences = [*_settings(found, wanted), *_codes(found["code"], wanted["code"])]
        if differences:
            raise BadStore(
                f"the store was made from something else: {'; '.join(differences)}",
                "Name another store, or go back to what it was made from",
            )
        wanted["code"] = {**found["code"], **wanted["code"]}
    return json.dumps(wanted, sort_keys=True).encode()


def _manifest(study: Study) -> dict[str, Any]:
    return {
        "data": study.fingerprint,
        "task": study.task,
        "classes": [str(label) for label in study.classes],
        "weights": None if study.weights is None else hash_of(study.weights.tobytes()),
        "seed": study.seed,
        "fit_threads": study.threads,
        "versions": versions(),
        "code": {name: code for method in study.methods for name, code in method.code.items()},
    }


def _settings(found: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    differences = []
    for name in ("data", "task", "classes", "weights", "seed", "fit_threads"):
        if found.get(name) != wanted[name]:
            words = _WORDS.get(name, name)
            differences.append(f"{words} was {_short(found.get(name))} and is {_short(wanted[name])}")
    for name, number in wanted["versions"].items():
        if found["versions"].get(name) != number:
            differences.append(f"the version of {name} was {found['versions'].get(name)} and is {number}")
    return differences


def _codes(found: dict[str, str], wanted: dict[str, str]) -> list[str]:
    return [f"the code of {name} has changed" for name, code in wanted.items() if name in found and found[name] != code]


def _short(value: Any) -> str:
    text = str(value)
    return f"{text[:12]}..." if len(text) > 40 else text


def hash_of(content: bytes) -> str:
    import hashlib

    return hashlib.blake2b(content, digest_size=16).hexdigest()
