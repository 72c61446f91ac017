"""Which models a test set has judged, in which order: kept in a store, and part of what is claimed of them all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from foldwise.errors import BadStore
from foldwise.questions.method import MethodAnswer
from foldwise.records.encoding import read_json
from foldwise.records.store import Store, opened
from foldwise.stats.estimate import Estimate, percent, same_digits
from foldwise.stats.multiple import shared_level, spent_level
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method

NAME = "ledger"
ONE_MODEL = "the interval is about this one model, fixed before it was scored on these rows"
UNCOUNTED = f"{ONE_MODEL}; without a store (store=, --store) nothing counts how many were scored on them"
UNSEEN = "if none was made after looking at the score of another (for those that were: fw.ladder, foldwise ladder)"


class Place(NamedTuple):
    """When a model was first scored on a test set: with those from `first` to `last`, of `scored` so far."""

    first: int
    last: int
    scored: int

    def level_of_all(self, level: float) -> float:
        """The level of this model's interval at which those of all models, also of later ones, hold together."""
        return spent_level(level, self.first, self.last)


def score_in(store: str | Path | Store, test_set: str, model: str) -> Place:
    """Note that this model was scored on this test set."""
    with opened(store) as kept:
        note_scores(kept, test_set, [model])
        place = place_of(kept, test_set, model)
    assert place is not None
    return place


def note_scores(store: Store, test_set: str, models: Iterable[str]) -> None:
    """Add the models that are new to those scored on a test set; they came together, so they share a place."""
    ledger = _read(store)
    known = {model for batch in ledger.get(test_set, ()) for model in batch}
    if new := sorted(set(models) - known):
        ledger.setdefault(test_set, []).append(new)
        store.write_document(NAME, json.dumps(ledger, sort_keys=True).encode())


def place_of(store: Store, test_set: str, model: str) -> Place | None:
    """The place of a model among those scored on a test set, if it was."""
    batches = _read(store).get(test_set, [])
    count, before = sum(map(len, batches)), 0
    for batch in batches:
        if model in batch:
            return Place(before + 1, before + len(batch), count)
        before += len(batch)
    return None


def count_scored(store: Store, test_set: str) -> int:
    """How many models have been scored on a test set."""
    return sum(map(len, _read(store).get(test_set, [])))


def _read(store: Store) -> dict[str, list[list[str]]]:
    """Batches of models by test set, in the order of their first scores; stores of 0.1 have one without an order."""
    content = store.document(NAME)
    found = read_json(content, NAME) if content else {}
    if not isinstance(found, dict) or not all(isinstance(batches, list) for batches in found.values()):
        raise BadStore("the document 'ledger' of the store is no list of models by test set", "Start a new store")
    return {test_set: _batches(written) for test_set, written in found.items()}


def _batches(written: Sequence[Any]) -> list[list[str]]:
    old = [model for model in written if isinstance(model, str)]
    new = [[str(model) for model in batch] for batch in written if isinstance(batch, list)]
    return ([old] if old else []) + new


def name_of(*parts: object) -> str:
    return hashlib.blake2b("|".join(map(str, parts)).encode(), digest_size=12).hexdigest()


def name_of_method(method: Method) -> str:
    """A method by what it is: the same one in another study has the same name."""
    return name_of(*([method.proposals_name] if method.proposals_name else method.identities))


def name_of_test_set(reading: Reading) -> str | None:
    """The name of the test set of a study that has one; folds are none."""
    study = reading.study
    return name_of(study.fingerprint, study.outer.fingerprint) if len(study.outer) == 1 else None


def place_of_method(method: MethodAnswer) -> Place | None:
    """When a method was first judged on the test set of its study."""
    test_set = name_of_test_set(method.reading)
    return None if test_set is None else place_of(method.reading.store, test_set, name_of_method(method.method))


def times_scored(reading: Reading) -> int:
    """How many methods have been judged on the test set of a study with one; 0 for folds."""
    test_set = name_of_test_set(reading)
    return 0 if test_set is None else count_scored(reading.store, test_set)


def level_of_best(best: MethodAnswer, *, among: int, asked: int) -> tuple[float, int, str]:
    """The level at which the interval of the best of `among` methods holds whichever was best, of how many, and how.

    The methods of one study share its level evenly (Bonferroni). Where the store knows more than the study `asked`
    for, judged on the same test set, the level is spent in the order in which they came.
    """
    level, scored = best.study.level, times_scored(best.reading)
    if scored <= asked:
        return shared_level(level, among), among, "evenly"
    place = place_of_method(best) or Place(scored + 1, scored + 1, scored)  # the baseline is not kept
    return place.level_of_all(level), scored, "in order"


def with_ledger(method: MethodAnswer, *, is_kept: bool) -> Estimate:
    """The estimate of a method; on one test set with what its interval claims, alone and together with others."""
    estimate, place = method.estimate(), place_of_method(method)
    if place is None:
        return estimate
    if not is_kept:
        return replace(estimate, notes=(*estimate.notes, *ledger_notes(estimate, None)))
    wide = method.estimate(level=place.level_of_all(estimate.level))
    notes, details = ledger_notes(estimate, place, wide), ledger_details(place, wide)
    return replace(estimate, notes=(*estimate.notes, *notes), details={**estimate.details, **details})


def ledger_details(place: Place, wide: Estimate) -> dict[str, Any]:
    """The place of a model, and its interval at the level it was left."""
    return {
        "scored": place.scored,
        "place": place.last,
        "level_of_all": wide.level,
        "low_of_all": wide.low,
        "high_of_all": wide.high,
    }


def ledger_notes(estimate: Estimate, place: Place | None, wide: Estimate | None = None) -> list[tuple[str, str]]:
    """What the interval is about, and what may be said of all models that a test set has judged."""
    if estimate.interval is None and place is None:
        return []
    if place is None:
        return [(NAME, UNCOUNTED)]
    count = "1 model has" if place.scored == 1 else f"{place.scored} models have"
    words = f"{count} been scored on these rows"
    if wide is None or wide.low is None or wide.high is None:
        return [(NAME, words)]
    low, high = same_digits(wide.low, wide.high)
    words += "" if place.scored == 1 else f", this one as number {place.last}"
    claim = f"{low} to {high} holds together with the intervals of all others, also of later ones"
    return [(NAME, ONE_MODEL), (NAME, f"{words}: {claim} ({percent(estimate.level)}), {UNSEEN}")]
