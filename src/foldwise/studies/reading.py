"""Losses, scores and choices of a study, read from its records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.losses.loss import Loss
from foldwise.records.record import Record
from foldwise.records.store import Store
from foldwise.splits.split import Split, Splits
from foldwise.studies.baseline import baseline_answer
from foldwise.studies.field import Course, RecordedField
from foldwise.studies.ladder import Ladder
from foldwise.studies.search import read_ledgers
from foldwise.studies.study import Method, Stage, Study
from foldwise.tuners.rounds import rounds
from foldwise.tuners.rules import choose

MANY = 10_000  # row sets remembered at most
FoldState = Literal["own", "baseline", "failed", "missing", "undefined"]


@dataclass(frozen=True, eq=False)
class Choice:
    """What tuning on some splits came to; `candidate` is None where it could not choose."""

    candidate: int | None
    score: float
    scores: FloatArray  # scores[candidate, split]
    failed: int  # failed fits among them
    missing: int  # fits not done yet
    tried: Sequence[int] | None = None  # the candidates of a search's own tuning, which the rows of `scores` belong to

    def means(self, candidates: int) -> FloatArray:
        """The mean score of each of so many candidates of a method; NaN where this tuning did not try it."""
        means: FloatArray = self.scores.mean(axis=1)
        if self.tried is None:
            return means[:candidates]
        every = np.full(candidates, np.nan)
        every[list(self.tried)] = means
        return every


class Reading:
    """A study's outline and its records, read together; nothing here runs a fit."""

    def __init__(self, study: Study, store: Store) -> None:
        self.study = study
        self.store = store
        read_ledgers(study, store)
        self.settled: set[tuple[str, str]] = set()  # training rows on which all candidates of a method have answered
        self._choices: dict[tuple[Any, ...], Choice] = {}
        self._undefined: dict[tuple[str, str], dict[str, str]] = {}
        self._ladders: dict[str, Ladder] = {}
        self._fields: dict[tuple[str, int], RecordedField] = {}
        self._seen: dict[tuple[str, int, int], tuple[float, bool]] = {}
        self._placed: dict[tuple[int, int], tuple[Any, ...]] = {}
        self._judged: dict[int, tuple[IntArray, AnyArray, FloatArray | None]] = {}

    def record(self, method: Method, candidate: int, split: Split) -> Record | None:
        return self.store.get(self.study.key(method, candidate, split))

    def fold_loss(
        self, method: Method, candidate: int, split: Split, *, loss: int = 0, rows: IntArray | None = None
    ) -> float:
        """Mean loss of one fit on the split's test rows (or other rows); NaN where there is none."""
        judge, rows = self.study.losses[loss], split.test if rows is None else rows
        answers = self.answer(method, candidate, split, method.response_for(judge, candidate), rows)
        return np.nan if answers is None else self._mean_loss(judge, answers, rows, (method, candidate, split))

    def answer(self, method: Method, candidate: int, split: Split, response: str, rows: IntArray) -> AnyArray | None:
        """What a fit answered for these rows; for a failed one the baseline does, if that is the policy."""
        record = self.record(method, candidate, split)
        return None if record is None else self._answer(record, split, response, rows)

    @property
    def has_stand_ins(self) -> bool:
        """Does the baseline answer for fits that failed?"""
        return self.study.on_failure == "baseline"

    def choice(self, method: Method, outer: int, *, rule: str | None = None) -> Choice:
        """The candidate chosen for an outer split on its own inner splits."""
        assert method.inner is not None
        return self._choose(method, method.inner.splits[outer], ("outer", method.name, outer), rule)

    def stage_choice(self, method: Method, stage: Stage) -> Choice:
        """The candidate chosen for a split of any level on its own inner splits."""
        assert stage.inner is not None
        return self._choose(method, stage.inner, (stage.level, method.name, stage.at), None)

    def is_waiting(self, method: Method, stage: Stage) -> bool:
        """Are there fits to do before this split can choose its candidate?"""
        assert stage.inner is not None
        if (stage.level, method.name, stage.at, method.rule) in self._choices:
            return False
        if method.schedule or method.search:
            return self.stage_choice(method, stage).missing > 0
        names = map(self.study.rows_name, stage.inner)
        if any(self.store.get(key) is None for name in names for key in self.study.keys(method, name)):
            return True
        return self.stage_choice(method, stage).missing > 0

    def stage_candidate(self, method: Method, stage: Stage) -> int | None:
        """The candidate a split of any level is judged by."""
        return 0 if stage.inner is None else self.stage_choice(method, stage).candidate

    def final_choice(self, method: Method, *, rule: str | None = None) -> Choice:
        """The candidate chosen on all rows: the one to ship."""
        assert method.inner is not None
        assert method.inner.final is not None
        return self._choose(method, method.inner.final, ("final", method.name), rule)

    def outer_candidate(self, method: Method, outer: int) -> int | None:
        """The candidate an outer split is judged by."""
        return 0 if method.kind == "plain" else self.choice(method, outer).candidate

    def outer_losses(self, method: Method, *, loss: int = 0) -> FloatArray:
        """Mean loss on the test rows of each outer split, of the candidate chosen inside it."""
        return np.array([self._outer_loss(method, at, split, loss, split.test) for at, split in self._outer])

    def training_losses(self, method: Method, *, loss: int = 0) -> FloatArray:
        """Mean loss on the training rows of each outer split."""
        return np.array(
            [self._outer_loss(method, at, split, loss, _distinct(split.train)) for at, split in self._outer]
        )

    def outer_response(self, method: Method, outer: int, loss: Loss | None = None) -> AnyArray | None:
        """What the model of an outer split answered for its test rows: its predictions, or what a loss judges it by."""
        candidate, split = self.outer_candidate(method, outer), self.study.outer[outer]
        if candidate is None:
            return None
        response = "predict" if loss is None else method.response_for(loss, candidate)
        return self.answer(method, candidate, split, response, split.test)

    def outer_state(self, method: Method, outer: int) -> FoldState:
        """Whether an outer split has a loss, the method's own or the baseline's, or why it has none."""
        candidate, split = self.outer_candidate(method, outer), self.study.outer[outer]
        if candidate is None:
            return self._why_no_choice(self.choice(method, outer))
        record = self.record(method, candidate, split)
        if record is None:
            return "missing"
        if not record.is_ok and not self.has_stand_ins:
            return "failed"
        if self.outer_response(method, outer, self.study.losses[0]) is None:
            return "missing" if record.is_ok else "failed"
        if not math.isfinite(self.fold_loss(method, candidate, split)):
            return "undefined"
        return "own" if record.is_ok else "baseline"

    def stand_ins(self, method: Method) -> int:
        """Outer splits on which the baseline answers in the place of a fit that failed."""
        if not self.has_stand_ins:
            return 0
        candidates = ((self.outer_candidate(method, at), split) for at, split in self._outer)
        records = [self.record(method, candidate, split) for candidate, split in candidates if candidate is not None]
        return sum(record is not None and not record.is_ok for record in records)

    def row_losses(self, judge: Loss, answers: AnyArray, rows: IntArray) -> FloatArray | None:
        """The loss of each row; None where the loss cannot tell."""
        try:
            return judge.rows(self.study.target[rows], answers)
        except Exception:  # a user's own function may do anything; the fold's mean is undefined, and says why
            return None

    def undefined(self, method: Method, loss: Loss) -> dict[str, str]:
        """Why the loss is undefined, by the keys of the fits that it could not judge, as far as they were looked at."""
        return dict(sorted(self._undefined.get((method.name, loss.name), {}).items()))

    def fits(self, method: Method) -> set[str]:
        """Keys of the distinct fits the method's answer rests on."""
        key, study = self.study.key, self.study
        everyone = range(len(method.candidates))
        if method.kind == "swept":
            return {key(method, candidate, split) for split in study.outer for candidate in everyone}
        distinct = {study.rows_name(split): split for split in study.tuning_splits(method)}
        keys = {key(method, candidate, split) for split in distinct.values() for candidate in everyone}
        if method.schedule:
            fields = [self.field(method, splits) for splits in study.tunings(method)]
            keys = {key(method, *field.fit(ask)) for field in fields for ask in self.course(field).asked}
        if method.search:
            tunings = study.named_tunings(method).items()
            keys = {
                key(method, at, split) for name, those in tunings for at in method.search.of(name) for split in those
            }
        chosen = ((self.stage_candidate(method, stage), stage.split) for stage in study.stages(method))
        return keys | {key(method, candidate, split) for candidate, split in chosen if candidate is not None}

    @cached_property
    def _outer(self) -> list[tuple[int, Split]]:
        return list(enumerate(self.study.outer))

    def _outer_loss(self, method: Method, at: int, split: Split, loss: int, rows: IntArray) -> float:
        candidate = self.outer_candidate(method, at)
        return np.nan if candidate is None else self.fold_loss(method, candidate, split, loss=loss, rows=rows)

    def _answer(self, record: Record, split: Split, response: str, rows: IntArray) -> AnyArray | None:
        if record.is_ok:
            places = self._places(record, rows) if response in record.responses else None
            return None if places is None else record.responses[response][places]
        return baseline_answer(self.study, split.train, response, len(rows)) if self.has_stand_ins else None

    def _places(self, record: Record, rows: IntArray) -> IntArray | slice | None:
        """Where these rows are in a record; records of one fold share their rows, so it is looked up once."""
        name = (id(record.rows), id(rows))
        if name not in self._placed:
            if len(self._placed) > MANY:
                self._placed.clear()
            self._placed[name] = (record.places(rows), record.rows, rows)  # kept, so that their ids stay their own
        places: IntArray | slice | None = self._placed[name][0]
        return places

    def _truth(self, rows: IntArray) -> tuple[AnyArray, FloatArray | None]:
        """Targets and weights of these rows, taken out once."""
        if id(rows) not in self._judged:
            if len(self._judged) > MANY:
                self._judged.clear()
            weights = None if self.study.weights is None else self.study.weights[rows]
            self._judged[id(rows)] = (rows, self.study.target[rows], weights)
        return self._judged[id(rows)][1:]

    def _mean_loss(self, judge: Loss, answers: AnyArray, rows: IntArray, fit: tuple[Method, int, Split]) -> float:
        """The mean loss on these rows; NaN, with a word on the reason, where it is no finite number."""
        target, weights = self._truth(rows)
        try:
            found = judge.fold(target, answers, weights)
            if math.isfinite(found):
                return found
            reason = f"it is {found}"
        except Exception as problem:  # a user's own function may do anything, and must not end the study
            reason = f"it raised {type(problem).__name__}: {(str(problem).splitlines() or [''])[0][:200]}".rstrip(": ")
        if rows is fit[2].test:  # on training rows it may be undefined without harm
            self._undefined.setdefault((fit[0].name, judge.name), {})[self.study.key(*fit)] = reason
        return math.nan

    def _why_no_choice(self, choice: Choice) -> FoldState:
        if choice.failed and self.study.on_failure == "fail":
            return "failed"
        if choice.missing:
            return "missing"
        return "failed" if choice.failed else "undefined"

    def _choose(self, method: Method, splits: Splits, name: tuple[Any, ...], rule: str | None) -> Choice:
        rule = rule or method.rule
        found = self._choices.get((*name, rule))
        if found is None and method.search:
            found = self._searched(method, splits, " ".join(map(str, (name[0], *name[2:]))), rule)
        if found is None:
            found = self._score(method, splits, rule)
            if not found.missing:
                self._choices[*name, rule] = found
        return found

    def scores_of(self, method: Method, splits: Splits, candidates: Sequence[int]) -> FloatArray:
        """Scores of these candidates on these splits; NaN where a fit is missing, failed or cannot be judged."""
        seen = [[self.seen_once(method, at, split) for split in splits] for at in candidates]
        scores = [[math.nan if one is None else one[0] for one in those] for those in seen]
        return np.array(scores, dtype=float).reshape(len(candidates), len(splits))

    def seen_once(self, method: Method, candidate: int, split: Split) -> tuple[float, bool] | None:
        """The same as `seen`, worked out once: the scores of a search are looked at in every round."""
        name = (method.name, candidate, id(split))
        if name not in self._seen:
            found = self.seen(method, candidate, split)
            if found is None:
                return None
            self._seen[name] = found
        return self._seen[name]

    def has_failed(self, method: Method) -> bool:
        """Has a fit of a search failed that the policy does not forgive? It then goes no further."""
        if self.study.on_failure != "fail" or method.search is None:
            return False
        records = (
            self.record(method, at, split)
            for name, splits in self.study.named_tunings(method).items()
            for at in method.search.of(name)
            for split in splits
        )
        return any(record is not None and not record.is_ok for record in records)

    def is_searching(self, method: Method) -> bool:
        """Is there a tuning that may ask for more candidates?"""
        search = method.search
        if search is None or self.has_failed(method):
            return False
        return not all(search.is_over(name) for name in self.study.named_tunings(method))

    def _searched(self, method: Method, splits: Splits, tuning: str, rule: str) -> Choice:
        """The choice among the candidates that a tuning's own search has tried, when it is over."""
        assert method.search is not None
        own = method.search.of(tuning)
        seen = [self.seen_once(method, at, split) for at in own for split in splits]
        failed, missing = sum(one is not None and one[1] for one in seen), seen.count(None)
        if not missing and not method.search.is_over(tuning) and not self.has_failed(method):
            missing = 1
        scores = self.scores_of(method, splits, own)
        may_choose = not missing and (not failed or self.study.on_failure != "fail")
        ranks = None if method.ranks is None else [method.ranks[at] for at in own]
        chosen = choose(scores, rule=rule, ranks=ranks) if may_choose else None
        score = np.nan if chosen is None else float(np.nanmin(scores.mean(axis=1)))
        return Choice(None if chosen is None else own[chosen], score, scores, failed, missing, own)

    def ladder(self, method: Method) -> Ladder:
        """The rungs that a method's candidates climb."""
        assert method.schedule is not None
        if method.name not in self._ladders:
            self._ladders[method.name] = Ladder(self.study, method, method.schedule)
        return self._ladders[method.name]

    def field(self, method: Method, splits: Splits) -> RecordedField:
        """One tuning of a method whose candidates are dropped on the way."""
        name = (method.name, id(splits))
        if name not in self._fields:
            self._fields[name] = RecordedField(self, method, splits, self.ladder(method))
        return self._fields[name]

    def course(self, field: RecordedField) -> Course:
        """How that tuning goes, as far as the records tell."""
        schedule = field.method.schedule
        assert schedule is not None
        return field.follow(lambda: rounds(schedule, field))

    def seen(self, method: Method, candidate: int, split: Split) -> tuple[float, bool] | None:
        """The score of one fit and whether it failed; None where it is still to be made."""
        record, judge = self.record(method, candidate, split), self.study.losses[0]
        if record is None:
            return None
        answers = self._answer(record, split, method.response_for(judge, candidate), split.test)
        if answers is None:
            return None if record.is_ok else (math.nan, True)
        return self._mean_loss(judge, answers, split.test, (method, candidate, split)), not record.is_ok

    def seen_losses(self, method: Method, candidate: int, split: Split) -> FloatArray | None:
        """Losses row by row, weighted to have the score as their mean; None where there are none."""
        judge = self.study.losses[0]
        answers = self.answer(method, candidate, split, method.response_for(judge, candidate), split.test)
        losses = self.row_losses(judge, answers, split.test) if answers is not None and judge.is_per_row else None
        weights = self._truth(split.test)[1]
        return losses if losses is None or weights is None else losses * weights / weights.mean()

    def _raced(self, method: Method, splits: Splits, rule: str) -> Choice:
        """The choice among the candidates that reached the end of all full splits."""
        field = self.field(method, splits)
        course = self.course(field)
        scores = field.final_scores(course.asked)
        may_choose = not course.missing and (not course.failed or self.study.on_failure != "fail")
        chosen = choose(scores, rule=rule, ranks=method.ranks) if may_choose else None
        score = np.nan if chosen is None else float(np.nanmin(scores.mean(axis=1)))
        return Choice(chosen, score, scores, course.failed, len(course.missing))

    def _score(self, method: Method, splits: Splits, rule: str) -> Choice:
        if method.schedule:
            return self._raced(method, splits, rule)
        scores = np.full((len(method.candidates), len(splits)), np.nan)
        judge, failed, missing = self.study.losses[0], 0, 0
        responses = [method.response_for(judge, candidate) for candidate in range(len(method.candidates))]
        for at, split in enumerate(splits):
            keys = self.study.keys(method, self.study.rows_name(split))
            records = [self.store.get(key) for key in keys]
            together = self._together(judge, records, responses, split.test)
            if together is not None:
                scores[:, at] = together
                continue
            for candidate, (record, response) in enumerate(zip(records, responses, strict=True)):
                answers = None if record is None else self._answer(record, split, response, split.test)
                if record is not None and not record.is_ok:
                    failed += 1
                elif answers is None:
                    missing += 1
                if answers is not None:
                    scores[candidate, at] = self._mean_loss(judge, answers, split.test, (method, candidate, split))
        may_choose = not missing and (not failed or self.study.on_failure != "fail")
        chosen = choose(scores, rule=rule, ranks=method.ranks) if may_choose else None
        # The selection score is the smallest one, whatever the rule then takes.
        score = np.nan if chosen is None else float(np.nanmin(scores.mean(axis=1)))
        return Choice(chosen, score, scores, failed, missing)

    def _together(
        self, judge: Loss, records: list[Record | None], responses: list[str], rows: IntArray
    ) -> FloatArray | None:
        """Mean losses of many fits on the same rows at once, the same to the bit; None where they differ in kind."""
        first, response = records[0], responses[0]
        target, weights = self._truth(rows)
        if first is None or not judge.is_elementwise or weights is not None or len(set(responses)) > 1:
            return None
        answers = []
        for record in records:
            if record is None or not record.is_ok or record.rows is not first.rows or response not in record.responses:
                return None
            answers.append(record.responses[response])
        places = self._places(first, rows)
        if places is None or answers[0].ndim != 1:
            return None
        losses = judge.measure(target, np.ascontiguousarray(np.stack(answers)[:, places]))
        means: FloatArray = np.add.reduce(losses, axis=1) / len(rows)
        return means if np.isfinite(means).all() else None


def _distinct(rows: IntArray) -> IntArray:
    """Sorted rows without repetitions, which only a bootstrap has."""
    return rows if (np.diff(rows) > 0).all() else np.unique(rows)
