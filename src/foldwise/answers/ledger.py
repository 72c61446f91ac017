"""How often a test set has been scored: kept in a store, shown, and part of the claim."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from foldwise.answers.method import MethodAnswer
from foldwise.estimates.estimate import Estimate
from foldwise.formulas.multiple import shared_level
from foldwise.records.encoding import read_json
from foldwise.records.opening import opened
from foldwise.records.store import Store
from foldwise.studies.reading import Reading

NAME = "ledger"


def score_in(store: str | Path | Store, test_set: str, model: str) -> int:
    """Note that this model was scored on this test set; how many models have been, this one included."""
    with opened(store) as kept:
        return note_scores(kept, test_set, [model])


def note_scores(store: Store, test_set: str, models: Iterable[str]) -> int:
    """Add models to those scored on a test set; the same model again counts once."""
    content = store.document(NAME)
    ledger: dict[str, list[str]] = read_json(content, "ledger") if content else {}
    scored = sorted({*ledger.get(test_set, ()), *models})
    ledger[test_set] = scored
    store.write_document(NAME, json.dumps(ledger, sort_keys=True).encode())
    return len(scored)


def read_ledger(store: Store) -> dict[str, int]:
    """How many models have been scored on each test set."""
    content = store.document(NAME)
    ledger: dict[str, list[str]] = read_json(content, "ledger") if content else {}
    return {test_set: len(models) for test_set, models in ledger.items()}


def times_scored(reading: Reading) -> int:
    """How many methods have been judged on the test set of a study with one; 0 for folds."""
    study = reading.study
    if len(study.outer) != 1:
        return 0
    return read_ledger(reading.store).get(name_of(study.fingerprint, study.outer.fingerprint), 0)


def name_of(*parts: object) -> str:
    return hashlib.blake2b("|".join(map(str, parts)).encode(), digest_size=12).hexdigest()


def estimate_for_all(method: MethodAnswer) -> Estimate:
    """The estimate; on a test set that other methods were judged on too, its interval holds for all of them."""
    level, count = method.study.level, times_scored(method.reading)
    if count < 2:
        return method.estimate()
    wide = method.estimate(level=shared_level(level, count))
    return replace(wide, level=level, notes=(*wide.notes, *ledger_notes(True, count, wide.interval is not None)))


def ledger_notes(is_kept: bool, count: int, has_interval: bool) -> list[tuple[str, str]]:
    """How many models a test set has judged, where a store counts them."""
    if not is_kept:
        return []
    words = "1 model has" if count == 1 else f"{count} models have"
    claim = "; the interval holds for all of them at once" if has_interval and count > 1 else ""
    return [("ledger", f"{words} been scored on this test set{claim}")]
