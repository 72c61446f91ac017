"""A search that grows: which candidates each tuning of a method was told to try, written down before their fits.

The ledger of a search is a document of the store, so that a result can be read without the
tuner that asked, and a study that goes on takes up what was asked before, whatever the tuner
would say today.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from foldwise.errors import BadStore
from foldwise.records.encoding import read_json
from foldwise.records.store import Store
from foldwise.studies.plain import plain_candidate

if TYPE_CHECKING:
    from foldwise.studies.study import Method, Study

MOST_CANDIDATES = 1_000_000  # in a ledger that may be a stranger's


@dataclass(eq=False)
class Search:
    """How far an adaptive method's tunings may go, and how far they have come.

    A candidate that several tunings try has one number; `points` says where in the space each is.
    """

    budget: int | None = None  # candidates of each tuning
    seconds: float | None = None  # of all fits, and all asking, of the method's tunings together
    stop: str | None = None
    ledger: str = ""  # the name of its document
    points: list[tuple[int, tuple[float, ...]]] = field(default_factory=list)
    asked: dict[str, list[int]] = field(default_factory=dict)  # by tuning, in the order they were asked for
    over: set[str] = field(default_factory=set)  # tunings that ended before their budget did
    asking: dict[str, float] = field(default_factory=dict)  # seconds it took to ask, where time is the budget
    estimators: list[Any] = field(default_factory=list)  # of each candidate, where there are learners

    def of(self, tuning: str) -> list[int]:
        """The candidates of a tuning, as far as its budget reaches."""
        return self.asked.get(tuning, [])[: self.budget]

    def is_over(self, tuning: str) -> bool:
        """Is there nothing more to ask for?"""
        is_full = self.budget is not None and len(self.asked.get(tuning, ())) >= self.budget
        return is_full or tuning in self.over

    def to_json(self) -> dict[str, Any]:
        """What is known of it before it begins."""
        return {"budget": self.budget, "seconds": self.seconds, "stop": self.stop, "ledger": self.ledger}


def search_from(written: dict[str, Any]) -> Search:
    """The search that `to_json` described; a store from a stranger may hold anything."""
    search = Search(**written)
    numbers = (search.budget, search.seconds)
    if not all(value is None or (isinstance(value, int | float) and value > 0) for value in numbers):
        raise TypeError(f"a budget of {numbers}")
    if not isinstance(search.budget, int | None) or not isinstance(search.ledger, str):
        raise TypeError(f"a search named {search.ledger!r} with a budget of {search.budget!r}")
    return search


def add_candidate(method: Method, point: Sequence[Any], *, candidate: dict[str, Any], setting: str) -> int:
    """The number of a candidate, which is new or known by its setting."""
    search, settings = method.search, method.settings
    assert search is not None
    assert isinstance(method.candidates, list)
    assert isinstance(settings, list)
    if setting in settings:
        return settings.index(setting)
    search.points.append((point[0], tuple(point[1])))
    method.candidates.append(candidate)
    settings.append(setting)
    return len(settings) - 1


def write_ledger(method: Method, store: Store) -> None:
    """Keep all that was asked for so far, before its fits."""
    search = method.search
    assert search is not None
    written = {
        "points": [[block, list(at)] for block, at in search.points],
        "candidates": [plain_candidate(candidate) for candidate in method.candidates],
        "settings": list(method.settings),
        "offers": [list(names) for names in method.offers],
        "ranks": None if method.ranks is None else list(method.ranks),
        "asked": search.asked,
        "over": sorted(search.over),
        "asking": search.asking,
    }
    store.write_document(search.ledger, json.dumps(written, sort_keys=True).encode())


def read_ledgers(study: Study, store: Store) -> None:
    """Fill the searches of a study with what the store knows of them, and nothing else."""
    for method in study.methods:
        if method.search is not None:
            content = store.document(method.search.ledger)
            _empty(study, method)
            if content is not None:
                _fill(method, read_json(content, "ledger of proposals"))


def _empty(study: Study, method: Method) -> None:
    search = method.search
    assert search is not None
    lists = (method.candidates, method.settings, method.offers, search.points, search.estimators, method.ranks or [])
    for each in lists:
        assert isinstance(each, list)
        each.clear()
    search.asked.clear()
    search.over.clear()
    search.asking.clear()
    study.forget_keys(method)


def _fill(method: Method, written: Any) -> None:
    """A ledger may be a stranger's: what does not fit together is refused."""
    search = method.search
    assert search is not None
    try:
        points = [
            (int(block), tuple(float(x) if isinstance(x, float) else int(x) for x in at))
            for block, at in written["points"]
        ]
        candidates, settings, offers = written["candidates"], written["settings"], written["offers"]
        count = len(points)
        if count > MOST_CANDIDATES or not {len(candidates), len(settings), len(offers)} == {count}:
            raise ValueError("its lists differ in length")
        if not all(isinstance(each, dict) for each in candidates) or not all(isinstance(s, str) for s in settings):
            raise TypeError("its candidates are of the wrong kind")
        asked = {str(name): [_number(at, count) for at in places] for name, places in written["asked"].items()}
        ranks = written["ranks"]
        if method.ranks is not None and (ranks is None or len(ranks) != count):
            raise ValueError("its ranks are missing")
        asking = {str(name): float(seconds) for name, seconds in written["asking"].items()}
        over = {str(name) for name in written["over"]}
        offered = [tuple(str(name) for name in names) for names in offers]
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as reason:
        raise BadStore(
            f"the ledger of proposals of {method.name!r} cannot be read: {reason}", "Start a new store"
        ) from reason
    search.points += points
    for mine, theirs in ((method.candidates, candidates), (method.settings, settings), (method.offers, offered)):
        assert isinstance(mine, list)
        mine += theirs
    if isinstance(method.ranks, list):
        method.ranks.extend(int(rank) for rank in ranks)
    search.asked.update(asked)
    search.over |= over
    search.asking.update(asking)


def _number(at: Any, count: int) -> int:
    if isinstance(at, bool) or not isinstance(at, int) or not 0 <= at < count:
        raise ValueError(f"it has no candidate {at!r}")
    return at
