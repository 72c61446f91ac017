"""Losses, scores and choices of a study, read from its records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.losses.loss import Loss
from foldwise.outlines.outline import MethodOutline, Outline, Stage
from foldwise.outlines.rules import choose
from foldwise.records.record import Record
from foldwise.records.store import Store
from foldwise.splits.split import Split, Splits


@dataclass(frozen=True, eq=False)
class Choice:
    """What tuning on some splits came to; `candidate` is None where it could not choose."""

    candidate: int | None
    score: float
    scores: FloatArray  # scores[candidate, split]
    failed: int  # failed fits among them
    missing: int  # fits not done yet


class Reading:
    """A study's outline and its records, read together; nothing here runs a fit."""

    def __init__(self, outline: Outline, store: Store) -> None:
        self.outline = outline
        self.store = store
        self._choices: dict[tuple[Any, ...], Choice] = {}

    def record(self, method: MethodOutline, candidate: int, split: Split) -> Record | None:
        return self.store.get(self.outline.key(method, candidate, split))

    def fold_loss(
        self, method: MethodOutline, candidate: int, split: Split, *, loss: int = 0, rows: IntArray | None = None
    ) -> float:
        """Mean loss of one fit on the split's test rows (or other rows); NaN where there is none."""
        record = self.record(method, candidate, split)
        if record is None or not record.is_ok:
            return np.nan
        judge, rows = self.outline.losses[loss], split.test if rows is None else rows
        answers = record.find(method.response_for(judge, candidate), rows)
        return np.nan if answers is None else self._mean_loss(judge, answers, rows)

    def choice(self, method: MethodOutline, outer: int, *, rule: str | None = None) -> Choice:
        """The candidate chosen for an outer split on its own inner splits."""
        assert method.inner is not None
        return self._choose(method, method.inner.splits[outer], ("outer", method.name, outer), rule)

    def stage_choice(self, method: MethodOutline, stage: Stage) -> Choice:
        """The candidate chosen for a split of any level on its own inner splits."""
        assert stage.inner is not None
        return self._choose(method, stage.inner, (stage.level, method.name, stage.at), None)

    def stage_candidate(self, method: MethodOutline, stage: Stage) -> int | None:
        """The candidate a split of any level is judged by."""
        return 0 if stage.inner is None else self.stage_choice(method, stage).candidate

    def final_choice(self, method: MethodOutline, *, rule: str | None = None) -> Choice:
        """The candidate chosen on all rows: the one to ship."""
        assert method.inner is not None
        assert method.inner.final is not None
        return self._choose(method, method.inner.final, ("final", method.name), rule)

    def outer_candidate(self, method: MethodOutline, outer: int) -> int | None:
        """The candidate an outer split is judged by."""
        return 0 if method.kind == "plain" else self.choice(method, outer).candidate

    def outer_losses(self, method: MethodOutline, *, loss: int = 0) -> FloatArray:
        """Mean loss on the test rows of each outer split, of the candidate chosen inside it."""
        return np.array([self._outer_loss(method, at, split, loss, split.test) for at, split in self._outer])

    def training_losses(self, method: MethodOutline, *, loss: int = 0) -> FloatArray:
        """Mean loss on the training rows of each outer split."""
        return np.array(
            [self._outer_loss(method, at, split, loss, _distinct(split.train)) for at, split in self._outer]
        )

    def outer_response(self, method: MethodOutline, outer: int, loss: Loss | None = None) -> AnyArray | None:
        """What the model of an outer split answered for its test rows: its predictions, or what a loss judges it by."""
        candidate, split = self.outer_candidate(method, outer), self.outline.outer[outer]
        record = None if candidate is None else self.record(method, candidate, split)
        if record is None or candidate is None or not record.is_ok:
            return None
        response = "predict" if loss is None else method.response_for(loss, candidate)
        return record.find(response, split.test)

    def fits(self, method: MethodOutline) -> set[str]:
        """Keys of the distinct fits the method's answer rests on."""
        key, outline = self.outline.key, self.outline
        everyone = range(len(method.candidates))
        if method.kind == "swept":
            return {key(method, candidate, split) for split in outline.outer for candidate in everyone}
        distinct = {outline.rows_name(split): split for split in outline.tuning_splits(method)}
        keys = {key(method, candidate, split) for split in distinct.values() for candidate in everyone}
        chosen = ((self.stage_candidate(method, stage), stage.split) for stage in outline.stages(method))
        return keys | {key(method, candidate, split) for candidate, split in chosen if candidate is not None}

    @cached_property
    def _outer(self) -> list[tuple[int, Split]]:
        return list(enumerate(self.outline.outer))

    def _outer_loss(self, method: MethodOutline, at: int, split: Split, loss: int, rows: IntArray) -> float:
        candidate = self.outer_candidate(method, at)
        return np.nan if candidate is None else self.fold_loss(method, candidate, split, loss=loss, rows=rows)

    def _mean_loss(self, judge: Loss, answers: AnyArray, rows: IntArray) -> float:
        weights = None if self.outline.weights is None else self.outline.weights[rows]
        return judge.fold(self.outline.target[rows], answers, weights)

    def _choose(self, method: MethodOutline, splits: Splits, name: tuple[Any, ...], rule: str | None) -> Choice:
        rule = rule or method.rule
        found = self._choices.get((*name, rule))
        if found is None:
            found = self._score(method, splits, rule)
            if not found.missing:
                self._choices[*name, rule] = found
        return found

    def _score(self, method: MethodOutline, splits: Splits, rule: str) -> Choice:
        scores = np.full((len(method.candidates), len(splits)), np.nan)
        judge = self.outline.losses[0]
        failed = missing = 0
        for candidate in range(len(method.candidates)):
            response = method.response_for(judge, candidate)
            for at, split in enumerate(splits):
                record = self.record(method, candidate, split)
                if record is not None and not record.is_ok:
                    failed += 1
                elif record is None or (answers := record.find(response, split.test)) is None:
                    missing += 1
                else:
                    scores[candidate, at] = self._mean_loss(judge, answers, split.test)
        may_choose = not missing and (not failed or self.outline.on_failure == "drop_candidate")
        chosen = choose(scores, rule=rule, ranks=method.ranks) if may_choose else None
        # The selection score is the smallest one, whatever the rule then takes.
        score = np.nan if chosen is None else float(np.nanmin(scores.mean(axis=1)))
        return Choice(chosen, score, scores, failed, missing)


def _distinct(rows: IntArray) -> IntArray:
    """Sorted rows without repetitions, which only a bootstrap has."""
    return rows if (np.diff(rows) > 0).all() else np.unique(rows)
