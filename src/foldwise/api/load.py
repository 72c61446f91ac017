"""`load`: a result again, from its store alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from foldwise.api.manifest import stored_versions
from foldwise.api.result import Result
from foldwise.records.sqlite import SqliteStore
from foldwise.studies.file import read_study
from foldwise.studies.reading import Reading


def load(run: str | Path, *, loss: Any = None) -> Result:
    """The result of the latest study in a store; no learner needs to be installed, and nothing is fitted."""
    store = SqliteStore(run, readonly=True)
    try:
        reading = Reading(read_study(store, loss=loss), store)
        result = Result(reading, made={}, seconds=0.0, versions=stored_versions(store))
        result.to_dict()
    finally:
        store.close()
    return result
