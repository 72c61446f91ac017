"""Curves as a document of the store, so that the report of its study shows them; a later one replaces its like."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from foldwise.records.encoding import read_json
from foldwise.records.store import AnyStore, Store, document_if_there, opened

NAME = "curves"  # of the document
MOST = 20  # the oldest make room


def keep_curve(store: AnyStore, curve: Mapping[str, Any]) -> None:
    """Keep a curve in plain values where there is a store to keep it in."""
    if store is None:
        return
    with opened(store) as kept:
        others = [known for known in read_curves(kept) if _kind(known) != _kind(curve)]
        shown = {name: value for name, value in curve.items() if name != "fits_made"}  # of one call alone
        kept.write_document(NAME, json.dumps([*others, shown][-MOST:], sort_keys=True).encode())


def read_curves(store: Store) -> list[dict[str, Any]]:
    """The curves of a store, the oldest first; what a stranger's store has in their place is left out."""
    content = document_if_there(store, NAME)
    found = read_json(content, NAME) if content else []
    return [one for one in found if _is_curve(one)] if isinstance(found, list) else []


def _kind(curve: Mapping[str, Any]) -> tuple[Any, ...]:
    return curve["learner"], curve["parameter"], curve["loss"]


def _is_curve(found: Any) -> bool:
    words = ("learner", "parameter", "loss")
    if not isinstance(found, dict) or not all(isinstance(found.get(name), str) for name in words):
        return False
    points = found.get("points")
    return isinstance(points, list) and all(isinstance(one, dict) and _is_point(one) for one in points)


def _is_point(found: Mapping[str, Any]) -> bool:
    numbers = [found.get("train"), found.get("test")]
    return "value" in found and all(one is None or isinstance(one, int | float) for one in numbers)
