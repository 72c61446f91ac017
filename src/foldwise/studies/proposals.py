"""What the searches of a study proposed, stored before its fits.

Each method's proposals are a document of the store. So a result can be read without the
tuner that made them, and a study that is resumed continues from what was proposed before, whatever the
tuner would propose today.
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
    """The candidates proposed to each tuning of a method; one that several tunings try has one number."""

    points: tuple[Point, ...] = ()  # of each candidate in the space
    asked: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # by tuning, in the order they were proposed
    over: frozenset[str] = frozenset()  # tunings that ended before their budget did
    seconds: Mapping[str, float] = field(default_factory=dict)  # spent on proposing, where time is the budget

    def of(self, tuning: str, limits: Limits) -> tuple[int, ...]:
        """The candidates of a tuning, as far as its budget reaches."""
        return self.asked.get(tuning, ())[: limits.budget]


def limits_to_json(limits: Limits, proposals_name: str) -> dict[str, Any]:
    return {**limits._asdict(), "ledger": proposals_name}


def limits_from(written: dict[str, Any]) -> tuple[Limits, str]:
    """The limits and the document of a search; a store from a stranger may hold anything."""
    limits, proposals_name = Limits(written["budget"], written["seconds"], written["stop"]), written["ledger"]
    if not all(value is None or (isinstance(value, int | float) and value > 0) for value in limits[:2]):
        raise TypeError(f"a budget of {limits[:2]}")
    if not isinstance(limits.budget, int | None) or not isinstance(proposals_name, str):
        raise TypeError(f"a search named {proposals_name!r} with a budget of {limits.budget!r}")
    return limits, proposals_name


def write_proposals(method: Method, store: Store) -> None:
    """Store all proposals so far, before their fits."""
    found = method.proposals
    written = {
        "points": [[block, list(at)] for block, at in found.points],
        "candidates": [plain_candidate(candidate) for candidate in method.candidates],
        "settings": list(method.identities),
        "offers": [list(names) for names in method.responses],
        "ranks": None if method.ranks is None else list(method.ranks),
        "asked": {name: list(numbers) for name, numbers in found.asked.items()},
        "over": sorted(found.over),
        "asking": dict(found.seconds),
    }
    store.write_document(method.proposals_name, json.dumps(written, sort_keys=True).encode())


def with_proposals(study: Study, store: Store) -> Study:
    """The study with the stored proposals of its searches; the same study without searches."""
    if all(method.tuner.is_listed for method in study.methods):
        return study
    methods = (method if method.tuner.is_listed else _filled(method, store) for method in study.methods)
    return replace(study, methods=tuple(methods), _keys={})  # keys of other candidates are not theirs


def with_method(study: Study, method: Method) -> Study:
    """The study with this method in place of the one of the same name."""
    return replace(study, methods=tuple(method if one.name == method.name else one for one in study.methods))


def _filled(method: Method, store: Store) -> Method:
    content = store.document(method.proposals_name)
    return method if content is None else _read(method, read_json(content, "document of proposals"))


def _read(method: Method, written: Any) -> Method:
    """The document may come from anyone: refuse what is inconsistent."""
    try:
        points = tuple(
            Point(int(block), tuple(float(x) if isinstance(x, float) else int(x) for x in at))
            for block, at in written["points"]
        )
        candidates, identities, responses = written["candidates"], written["settings"], written["offers"]
        count = len(points)
        if count > MOST_CANDIDATES or not {len(candidates), len(identities), len(responses)} == {count}:
            raise ValueError("its lists differ in length")
        if not all(isinstance(each, dict) for each in candidates) or not all(isinstance(s, str) for s in identities):
            raise TypeError("its candidates are of the wrong type")
        return replace(
            method,
            candidates=tuple(candidates),
            identities=tuple(identities),
            responses=tuple(tuple(str(name) for name in names) for names in responses),
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
            f"the stored proposals of {method.name!r} cannot be read: {reason}", "Start a new store"
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
