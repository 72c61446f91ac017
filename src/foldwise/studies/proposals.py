"""What the searches of a study proposed, stored before its fits.

Each method's proposals are a document of the store. So a result can be read without the tuner that made them, and a
study that is resumed continues from what was proposed before, whatever the tuner would propose today.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from foldwise.records.document import Document
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


@dataclass(frozen=True)
class StoredProposals:
    """Proposals with the candidates they stand for, as a store keeps them."""

    points: tuple[tuple[int, tuple[int | float, ...]], ...]
    candidates: tuple[dict[str, Any], ...]
    identities: tuple[str, ...]
    responses: tuple[tuple[str, ...], ...]
    ranks: tuple[int, ...] | None
    asked: Mapping[str, tuple[int, ...]]
    over: frozenset[str]
    seconds: Mapping[str, float]

    def __post_init__(self) -> None:
        count = len(self.points)
        lists = [self.candidates, self.identities, self.responses, *([] if self.ranks is None else [self.ranks])]
        if count > MOST_CANDIDATES or any(len(values) != count for values in lists):
            raise ValueError("its lists differ in length")
        if not all(0 <= number < count for numbers in self.asked.values() for number in numbers):
            raise ValueError("a tuning asks for a candidate that is not there")


PROPOSALS = Document("proposals", StoredProposals)


def write_proposals(method: Method, store: Store) -> None:
    """Store all proposals so far, before their fits."""
    stored = StoredProposals(
        candidates=tuple(map(plain_candidate, method.candidates)),
        identities=tuple(method.identities),
        responses=tuple(method.responses),
        ranks=None if method.ranks is None else tuple(method.ranks),
        **vars(method.proposals),
    )
    PROPOSALS.write(store, stored, name=method.proposals_name)


def with_proposals(study: Study, store: Store) -> Study:
    """The study with the stored proposals of its searches; the same study without searches."""
    if all(method.tuner.is_listed for method in study.methods):
        return study
    methods = tuple(method if method.tuner.is_listed else _filled(method, store) for method in study.methods)
    return replace(study, methods=methods, _keys={})  # keys of other candidates are not theirs


def with_method(study: Study, method: Method) -> Study:
    """The study with this method in place of the one of the same name."""
    return replace(study, methods=tuple(method if old.name == method.name else old for old in study.methods))


def _filled(method: Method, store: Store) -> Method:
    stored = PROPOSALS.read(store, name=method.proposals_name)
    if stored is None:
        return method
    return replace(
        method,
        candidates=stored.candidates,
        identities=stored.identities,
        responses=stored.responses,
        ranks=None if method.ranks is None else stored.ranks,
        proposals=Proposals(
            tuple(Point(block, at) for block, at in stored.points), stored.asked, stored.over, stored.seconds
        ),
    )
