"""What the searches of a study proposed, written down before its fits.

The document of a method's proposals is in the store. So a result can be read without the
tuner that proposed, and a study that goes on takes up what was proposed before, whatever the
tuner would say today.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from foldwise.errors import BadStore
from foldwise.records.encoding import read_json
from foldwise.records.store import Store
from foldwise.spaces.point import Point
from foldwise.studies.plain import plain_candidate
from foldwise.tuners.tuner import Limits

if TYPE_CHECKING:
    from foldwise.studies.study import Method, Study

MOST_CANDIDATES = 1_000_000  # in a document that may be a stranger's


@dataclass(frozen=True)
class Proposals:
    """Which candidates each tuning of a method was given to try; one that several try has one number."""

    points: tuple[Point, ...] = ()  # where in the space each candidate is
    asked: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # by tuning, in the order they were proposed
    over: frozenset[str] = frozenset()  # tunings that ended before their budget did
    seconds: Mapping[str, float] = field(default_factory=dict)  # it took to propose, where time is the budget

    def of(self, tuning: str, limits: Limits) -> tuple[int, ...]:
        """The candidates of a tuning, as far as its budget reaches."""
        return self.asked.get(tuning, ())[: limits.budget]


def limits_to_json(limits: Limits, ledger: str) -> dict[str, Any]:
    return {**limits._asdict(), "ledger": ledger}


def limits_from(written: dict[str, Any]) -> tuple[Limits, str]:
    """The limits and the document of a search; a store from a stranger may hold anything."""
    limits, ledger = Limits(written["budget"], written["seconds"], written["stop"]), written["ledger"]
    if not all(value is None or (isinstance(value, int | float) and value > 0) for value in limits[:2]):
        raise TypeError(f"a budget of {limits[:2]}")
    if not isinstance(limits.budget, int | None) or not isinstance(ledger, str):
        raise TypeError(f"a search named {ledger!r} with a budget of {limits.budget!r}")
    return limits, ledger


def write_proposals(method: Method, store: Store) -> None:
    """Keep all that was proposed so far, before its fits."""
    found = method.proposals
    written = {
        "points": [[block, list(at)] for block, at in found.points],
        "candidates": [plain_candidate(candidate) for candidate in method.candidates],
        "settings": list(method.settings),
        "offers": [list(names) for names in method.offers],
        "ranks": None if method.ranks is None else list(method.ranks),
        "asked": {name: list(numbers) for name, numbers in found.asked.items()},
        "over": sorted(found.over),
        "asking": dict(found.seconds),
    }
    store.write_document(method.ledger, json.dumps(written, sort_keys=True).encode())


def with_proposals(study: Study, store: Store) -> Study:
    """The study with what the store knows of its searches; the same study where nothing is searched."""
    if all(method.tuner.is_listed for method in study.methods):
        return study
    methods = (method if method.tuner.is_listed else _filled(method, store) for method in study.methods)
    return replace(study, methods=tuple(methods), _keys={})  # keys of other candidates are not theirs


def with_method(study: Study, method: Method) -> Study:
    """The study with one method in the place of that of the same name, to which candidates were added."""
    return replace(study, methods=tuple(method if one.name == method.name else one for one in study.methods))


def _filled(method: Method, store: Store) -> Method:
    content = store.document(method.ledger)
    return method if content is None else _read(method, read_json(content, "ledger of proposals"))


def _read(method: Method, written: Any) -> Method:
    """A document may be a stranger's: what does not fit together is refused."""
    try:
        points = tuple(
            Point(int(block), tuple(float(x) if isinstance(x, float) else int(x) for x in at))
            for block, at in written["points"]
        )
        candidates, settings, offers = written["candidates"], written["settings"], written["offers"]
        count = len(points)
        if count > MOST_CANDIDATES or not {len(candidates), len(settings), len(offers)} == {count}:
            raise ValueError("its lists differ in length")
        if not all(isinstance(each, dict) for each in candidates) or not all(isinstance(s, str) for s in settings):
            raise TypeError("its candidates are of the wrong kind")
        return replace(
            method,
            candidates=tuple(candidates),
            settings=tuple(settings),
            offers=tuple(tuple(str(name) for name in names) for names in offers),
            ranks=_ranks(method, written["ranks"], count),
            proposals=Proposals(
                points,
                {str(name): tuple(_number(at, count) for at in places) for name, places in written["asked"].items()},
                frozenset(str(name) for name in written["over"]),
                {str(name): float(seconds) for name, seconds in written["asking"].items()},
            ),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as reason:
        raise BadStore(
            f"the ledger of proposals of {method.name!r} cannot be read: {reason}", "Start a new store"
        ) from reason


def _ranks(method: Method, ranks: Sequence[Any] | None, count: int) -> tuple[int, ...] | None:
    if method.ranks is None:
        return None
    if ranks is None or len(ranks) != count:
        raise ValueError("its ranks are missing")
    return tuple(int(rank) for rank in ranks)


def _number(at: Any, count: int) -> int:
    if isinstance(at, bool) or not isinstance(at, int) or not 0 <= at < count:
        raise ValueError(f"it has no candidate {at!r}")
    return at
