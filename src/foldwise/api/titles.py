"""The title of a page: the user's own, or one that names the target and the data; and what else only readers need."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from foldwise.data.packed import STDIN, STDIN_NAME
from foldwise.records.store import Store
from foldwise.studies.stored import ORIGIN

MOST_LETTERS = 200


def title_of(study: Mapping[str, Any]) -> str | None:
    """A title from what is known of a study: its own words, or the names of its target and data.

    >>> title_of({"data": "tables/wine.csv", "target": "quality"}), title_of({"data": "diabetes"})
    ('quality in wine.csv', 'diabetes')
    >>> title_of({"data": "wine.csv", "title": "Which wine?"}), title_of({"data": [[1.0]], "target": [1.0]})
    ('Which wine?', None)
    """
    own, data, target = study.get("title"), study.get("data"), study.get("target")
    if isinstance(own, str) and own.strip():
        return own.strip()[:MOST_LETTERS]
    place = None
    if isinstance(data, str | Path):
        place = STDIN_NAME if str(data) == STDIN else Path(data).name
    wanted = target if isinstance(target, str) else getattr(target, "name", None)
    known = [name for name in (wanted, place) if isinstance(name, str) and name]
    return " in ".join(known)[:MOST_LETTERS] or None


def stored_title(store: Store) -> str | None:
    """The title of the study in a store, if it was begun from the command line or a file."""
    return title_of(ORIGIN.read(store) or {})


def stored_margin(store: Store) -> float | None:
    """The regret that a study from the command line or a file says does not matter."""
    margin = (ORIGIN.read(store) or {}).get("margin")
    if not isinstance(margin, int | float) or isinstance(margin, bool):
        return None
    return float(margin) if 0 <= margin < math.inf else None
