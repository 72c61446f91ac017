"""`load`: a result again, from its store alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from foldwise.outlines.file import read_outline
from foldwise.outlines.reading import Reading
from foldwise.questions.manifest import stored_versions
from foldwise.questions.result import Result
from foldwise.records.sqlite import SqliteStore


def load(run: str | Path, *, loss: Any = None) -> Result:
    """The result of the latest study in a store; no learner needs to be installed, and nothing is fitted."""
    store = SqliteStore(run, readonly=True)
    try:
        reading = Reading(read_outline(store, loss=loss), store)
        result = Result(reading, made={}, seconds=0.0, versions=stored_versions(store))
        result.to_dict()
    finally:
        store.close()
    return result
