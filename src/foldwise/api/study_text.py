"""Text of a study that may be a stranger's: how long, deep and large it may be."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from foldwise.errors import BadStudy

LARGEST_FILE = 1_000_000  # bytes; a study is a page of text, not a data set
DEEPEST = 32  # tables in tables; ours need four
LONGEST = 10_000  # letters of a text, or values of a list
MOST_BITS = 1024  # of a number


def read_text(path: Path) -> str:
    """The text of a file that may be a stranger's: not too long, and not nested so deeply that reading it hangs."""
    with path.open("rb") as file:
        content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise BadStudy(f"{path} is too large for a study file", f"Keep it under {LARGEST_FILE:,} bytes")
    text = content.decode("utf-8")
    if _depth(text) > DEEPEST:
        raise BadStudy(f"{path} is nested more than {DEEPEST} levels deep", "A study needs no more than four")
    return text


def check_sizes(value: Any, depth: int = 0) -> None:
    """Refuse words that are too deep, too long or too large for any study, wherever they come from."""
    if depth > DEEPEST:
        raise BadStudy(f"the study is nested more than {DEEPEST} levels deep", "A study needs no more than four")
    if isinstance(value, str | list | tuple | dict) and len(value) > LONGEST:
        raise BadStudy(f"a text or list of the study has {len(value):,} parts", f"Keep it under {LONGEST:,}")
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise BadStudy(f"a number of the study has more than {MOST_BITS:,} bits", "Give a smaller one")
    for part in (*value.keys(), *value.values()) if isinstance(value, dict) else value if _is_row(value) else ():
        check_sizes(part, depth + 1)


def _depth(text: str) -> int:
    """How deep brackets are nested, or how many dots a key has; quotes are not looked at, as no study has so many."""
    bare = re.sub(r"(?m)^[ \t]*#.*$", "", text)
    depth = deepest = 0
    for mark in re.findall(r"[\[\]{}]", bare):
        depth += 1 if mark in "[{" else -1
        deepest = max(deepest, depth)
    dots = re.findall(r"\.+", re.sub(r"[\w \t\"'-]+", "", bare))
    return max([deepest, *map(len, dots)])


def _is_row(value: Any) -> bool:
    return isinstance(value, list | tuple)
