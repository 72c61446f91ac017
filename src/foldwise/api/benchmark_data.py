"""The data sets of a benchmark: their names, their folders, and the forms they are given in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from foldwise.errors import BadStudy

_LONGEST = 60  # letters of a folder's name


def name_data(data: Any) -> dict[str, Any]:
    """Data sets by name; files and built-in sets may be a list, and are named after themselves.

    >>> name_data(["diabetes", "tables/wine.csv"])
    {'diabetes': 'diabetes', 'wine': 'tables/wine.csv'}
    """
    if isinstance(data, Mapping):
        named = {str(name): value for name, value in data.items()}
    elif isinstance(data, Sequence) and not isinstance(data, str) and all(isinstance(d, str | Path) for d in data):
        names = [Path(source).name.split(".")[0] for source in data]
        if doubled := next((name for name in names if names.count(name) > 1), None):
            raise BadStudy(f"two data sets are named {doubled!r}", "Give names with a dictionary")
        named = dict(zip(names, data, strict=True))
    else:
        raise BadStudy(f"data sets are given by name, not as {type(data).__name__}", "Write {'name': (X, y), ...}")
    if not named:
        raise BadStudy("there are no data sets", "Write {'name': (X, y), ...}")
    return named


def name_targets(words: Iterable[str]) -> dict[str, tuple[str, str | None]]:
    """Data sets by name from words such as wine, rows.csv and rows.csv:price: where each is, and its target.

    >>> name_targets(["wine", "tables/rows.csv:price"])
    {'wine': ('wine', None), 'rows': ('tables/rows.csv', 'price')}
    """
    named: dict[str, tuple[str, str | None]] = {}
    for word in words:
        path, _, target = ("", "", "") if Path(word).exists() else word.rpartition(":")
        path, own = (path, target) if path and target else (word, None)
        name = Path(path).name.split(".")[0] or path
        if name in named:
            raise BadStudy(f"two data sets are named {name!r}", "Rename one of the files")
        named[name] = path, own
    return named


def folder_name(name: str) -> str:
    """A name for a folder; one that is not safe as it is gets some letters of its own.

    >>> folder_name("wine"), folder_name("../a b")
    ('wine', 'a-b-2c2c791a')
    """
    safe = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip(".-")[:_LONGEST]
    return (
        safe
        if safe == name
        else "-".join(filter(None, (safe, sha256(name.encode("utf-8", "replace")).hexdigest()[:8])))
    )


def data_parts(value: Any) -> tuple[Any, Any, dict[str, Any]]:
    """Columns, target and the words of one data set."""
    if isinstance(value, Mapping):
        own = {str(name): part for name, part in value.items()}
        if "X" not in own:
            raise BadStudy(f"a data set has no 'X' but {', '.join(map(repr, own))}", "Write {'X': X, 'y': y, ...}")
        X, y = own.pop("X"), own.pop("y", None)
        return X, y, own
    if isinstance(value, tuple):
        if len(value) != 2:
            raise BadStudy(f"a data set is a pair (X, y), not {len(value)} things", "Write {'name': (X, y), ...}")
        return value[0], value[1], {}
    return value, None, {}
