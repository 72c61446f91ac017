"""What the checks of results look at: the answers of the methods that are finished, beside the baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from foldwise.questions.answer import Answer
from foldwise.questions.contest import BASELINE
from foldwise.questions.method import MethodAnswer
from foldwise.studies.study import Study


@dataclass(frozen=True, eq=False)
class Outcome:
    """A study with what its methods answered."""

    study: Study
    answer: Answer | None  # None where one learner was judged alone
    methods: Sequence[MethodAnswer]

    @cached_property
    def own(self) -> list[MethodAnswer]:
        """Methods that were asked for and have a risk that is all their own; a study that still runs has fewer."""
        return [
            one
            for one in self.methods
            if one.method.name != BASELINE and one.status == "ok" and one.is_finished and not one.stand_ins
        ]

    @property
    def tuned(self) -> list[MethodAnswer]:
        return [one for one in self.own if one.method.inner is not None and not one.method.combines]

    @cached_property
    def baseline(self) -> MethodAnswer | None:
        found = (one for one in self.methods if one.method.name == BASELINE and one.status == "ok")
        return next(found, None)

    @cached_property
    def best(self) -> MethodAnswer | None:
        """The method of the smallest risk among those."""
        return min(self.own, key=lambda one: (one.risk, one.method.name), default=None)

    def is_shown_worse(self, method: MethodAnswer) -> bool:
        """Does the interval of its difference to the best exclude 0?"""
        difference = self.answer.differences.get(method.method.name) if self.answer else None
        return difference is not None and difference.low is not None and difference.low > 0
