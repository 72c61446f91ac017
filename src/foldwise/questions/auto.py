"""The auto row: the risk of letting inner cross-validation pick the method, without further fits."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.blocks.numbers import listed
from foldwise.questions.contest import compared
from foldwise.questions.method import MethodAnswer, Tally
from foldwise.questions.out_of_fold import FoldAnswers
from foldwise.stats.evidence import Evidence
from foldwise.studies.reading import FoldState
from foldwise.studies.study import Method

AUTO = "auto"


class AutoAnswer(MethodAnswer):
    """ "Tune everything, pick by inner CV, refit": each fold's losses are those of the method its own inner CV prefers.

    The choice is part of the procedure, so the mean has no selection bias; no further fit is needed.
    """

    def __init__(self, members: list[MethodAnswer]) -> None:
        self.members = members
        study = Method(AUTO, ({},), (), {}, ())
        super().__init__(members[0].reading, study)

    @cached_property
    def picks(self) -> list[MethodAnswer]:
        """The method each outer split's inner CV prefers, the first name on ties."""
        return [
            min(self.members, key=lambda member: (member.reading.choice(member.method, at).score, member.method.name))
            for at in range(len(self.study.outer))
        ]

    @property
    def final(self) -> MethodAnswer:
        """The method that inner CV on all rows prefers: the one this estimate belongs to."""
        return min(self.members, key=lambda member: (member.selection_score, member.method.name))

    @cached_property
    def fold_losses(self) -> FloatArray:
        return np.array([pick.fold_losses[at] for at, pick in enumerate(self.picks)])

    @cached_property
    def states(self) -> list[FoldState]:
        return [pick.states[at] for at, pick in enumerate(self.picks)]

    @cached_property
    def keys(self) -> set[str]:
        return set().union(*(member.keys for member in self.members))

    @cached_property
    def tally(self) -> Tally:
        """Failures and warnings are those of its members; the time of fits that they share counts once."""
        is_shared = len(self.keys) < sum(len(member.keys) for member in self.members)
        return Tally(seconds=super().tally.seconds if is_shared else sum(member.seconds for member in self.members))

    @cached_property
    def train_risk(self) -> float:
        if not self.study.has_training_risk:
            return math.nan
        losses = [pick.training_losses[at] for at, pick in enumerate(self.picks)]
        return float(np.mean(losses))

    def out_of_fold(self, at: int) -> FoldAnswers:
        return self.picks[at].out_of_fold(at)

    @cached_property
    def selection_score(self) -> float:
        return self.final.selection_score

    @property
    def selection_train_rows(self) -> float | None:
        return self.members[0].selection_train_rows

    @cached_property
    def optimism(self) -> float:
        return math.nan

    @cached_property
    def agreement(self) -> float:
        return Counter(pick.method.name for pick in self.picks).most_common(1)[0][1] / len(self.picks)

    @property
    def who(self) -> str:
        return f"tuning {listed(self.may_pick)} and taking the one that the inner splits prefer,"

    @property
    def may_pick(self) -> list[str]:
        """The methods it picks from: those that are tuned and did not fail."""
        return sorted(member.method.name for member in self.members)

    @cached_property
    def evidence(self) -> Evidence:
        return self._of_picks({member.method.name: member.evidence for member in self.members})

    def further_evidence(self, loss: int) -> Evidence:
        return self._of_picks({member.method.name: member.further_evidence(loss) for member in self.members})

    def _of_picks(self, evidence: Mapping[str, Evidence]) -> Evidence:
        """The evidence of each outer split's pick."""
        picked = [(at, evidence[pick.method.name]) for at, pick in enumerate(self.picks)]
        rows = tuple(one.row_losses[at] for at, one in picked if one.row_losses is not None)
        scores = tuple(one.scores[at] for at, one in picked if one.scores is not None)
        return replace(
            picked[0][1],
            fold_losses=np.array([one.fold_losses[at] for at, one in picked]),
            row_losses=rows if len(rows) == len(picked) else None,
            scores=scores if len(scores) == len(picked) else None,
            stand_ins=self.stand_ins,
        )

    def _chosen(self, at: int) -> dict[str, Any] | None:
        pick = self.picks[at]
        return {"method": pick.method.name, **(pick._chosen(at) or {})}

    def _fold_score(self, at: int) -> float | None:
        return self.picks[at]._fold_score(at)

    def _fold_score_rows(self, at: int) -> int | None:
        return self.picks[at]._fold_score_rows(at)


def make_auto(methods: list[MethodAnswer]) -> AutoAnswer | None:
    """The auto row, if two or more methods that did not fail were tuned on the same inner splits."""
    tuned = [method for method in methods if method.method.inner is not None]
    if not all(method.is_finished for method in tuned):
        return None
    able = [method for method in compared(tuned) if math.isfinite(method.selection_score)]
    is_alike = all(method.method.inner is tuned[0].method.inner for method in tuned)
    return AutoAnswer(able) if is_alike and len(able) > 1 else None
