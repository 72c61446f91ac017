"""What predicting costs, as a document of the store: seconds of the first outer model of every method."""

from __future__ import annotations

import json
import math
from typing import NamedTuple

from foldwise.records.encoding import read_json
from foldwise.records.store import Store, document_if_there

NAME = "predicting"  # of the document


class Timed(NamedTuple):
    """One prediction of the rows that the first outer split holds out."""

    method: str
    rows: int
    seconds: float


def write_timed(store: Store, name: str, found: Timed) -> None:
    """Keep what one model took, by the name of `studies/importance.py` for it."""
    models = {**{known: one._asdict() for known, one in read_timed(store).items()}, name: found._asdict()}
    store.write_document(NAME, json.dumps(models, sort_keys=True).encode())


def read_timed(store: Store) -> dict[str, Timed]:
    """What every model took, by its name; what a stranger's store has in their place is left out."""
    content = document_if_there(store, NAME)
    try:
        written = read_json(content, NAME) if content else {}
        found = {str(name): _timed(one) for name, one in written.items()}
    except (KeyError, TypeError, ValueError, AttributeError):
        return {}
    return found


def _timed(one: dict[str, object]) -> Timed:
    found = Timed(str(one["method"]), int(str(one["rows"])), float(str(one["seconds"])))
    if found.rows < 1 or not math.isfinite(found.seconds) or found.seconds < 0:
        raise ValueError(f"{found}")
    return found
