"""The numbers of a blend, from its own records and those of its members."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from foldwise.questions.method import MethodAnswer
from foldwise.stats.evidence import Evidence
from foldwise.studies.members import final_key, members_of, weights_of
from foldwise.studies.reading import FoldState, Reading
from foldwise.studies.study import Method, Study

_WORSE: tuple[FoldState, ...] = ("failed", "undefined", "missing")


class CombinedAnswer(MethodAnswer):
    """A blend, judged like an untuned learner; it fails where a member failed."""

    @cached_property
    def members(self) -> list[MethodAnswer]:
        return [MethodAnswer(self.reading, member) for member in members_of(self.study, self.method)]

    @cached_property
    def keys(self) -> set[str]:
        own = self.reading.fits(self.method)
        own |= {final_key(self.study, self.method)} if self.has_final else set()
        if self._is_lost:  # fits that need a failed member are not made
            own = {key for key in own if self.reading.store.get(key) is not None}
        return own.union(*(member.keys for member in self.members))

    @property
    def _is_lost(self) -> bool:
        """Has a member failed, so that some of its own fits will never be made?"""
        lost = any(state in ("failed", "undefined") for member in self.members for state in member.states)
        return all(member.is_judged for member in self.members) and (lost or self._has_no_final)

    @property
    def _has_no_final(self) -> bool:
        return self.has_final and any(
            self.reading.final_choice(member.method).candidate is None for member in self.members
        )

    @property
    def has_final(self) -> bool:
        """Are its members tuned on all rows too?"""
        inner = self.members[0].method.inner
        return self.study.has_final and inner is not None and inner.final is not None

    @cached_property
    def states(self) -> list[FoldState]:
        own = [self.reading.outer_state(self.method, at) for at in range(len(self.study.outer))]
        return [self._state(state, at) for at, state in enumerate(own)]

    def _state(self, own: FoldState, at: int) -> FoldState:
        """Its state on a split: a member's where it has no record of its own, or where the baseline stands in."""
        members = [member.states[at] for member in self.members]
        if own == "missing":
            return next((state for state in _WORSE if state in members), own)
        return "baseline" if own == "own" and "baseline" in members else own

    @cached_property
    def is_judged(self) -> bool:
        if "missing" in self.states or not all(member.is_judged for member in self.members):
            return False
        if not self.has_final or self._has_no_final:
            return True
        return self.reading.store.get(final_key(self.study, self.method)) is not None

    @property
    def weights(self) -> dict[str, float] | None:
        """The weight of each member on all rows; None where they are not known yet."""
        return weights_of(self.reading, self.method, None)

    @cached_property
    def planned(self) -> int:
        return len(self.keys)

    @property
    def who(self) -> str:
        return "the blended learner"

    @cached_property
    def evidence(self) -> Evidence:
        return replace(super().evidence, stand_ins=self.stand_ins)

    def _chosen(self, at: int) -> dict[str, Any] | None:
        return weights_of(self.reading, self.method, self.study.outer[at])


def answer_of(reading: Reading, method: Method) -> MethodAnswer:
    """All numbers of one method of a study, a blend or not."""
    return (CombinedAnswer if method.members else MethodAnswer)(reading, method)


def made_by_rows(made: Mapping[str, int], study: Study) -> dict[str, int]:
    """Fits made, by the rows of the answer: those of a hidden member belong to the method it was made for."""
    owner = {name: method.name for method in reversed(study.methods) for _, name in method.members}
    owner |= {method.name: method.defaults_of for method in study.methods if method.defaults_of}
    hidden = {method.name for method in study.methods if method.is_hidden}
    found = Counter[str]()
    for name, count in made.items():
        found[owner[name] if name in hidden else name] += count
    return dict(found)
