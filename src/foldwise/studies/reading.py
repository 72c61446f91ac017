"""Losses, scores and choices of a study, read from its records."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.losses.loss import Loss
from foldwise.records.block import RecordBlock, record_parts, together
from foldwise.records.overflow import bytes_of
from foldwise.records.record import Record
from foldwise.records.store import Store
from foldwise.splits.split import Split
from foldwise.studies.baseline import baseline_answer
from foldwise.studies.proposals import with_method, with_proposals
from foldwise.studies.study import Method, Note, Stage, Study
from foldwise.studies.tuning_run import FAILED, MISSING, THERE, Choice, TuningRun

MANY = 10_000  # row sets remembered at most
MOST_TARGETS = 500  # row sets whose targets are remembered
WORTH_LOOKING = 4 * 2**20  # bytes of new records, above which they are scored at once
CELLS = 500_000  # predictions that are scored at a time
LONG = 2_000  # rows, above which fits are scored one by one: their losses then stay in the processor's cache
FoldState = Literal["own", "baseline", "failed", "missing", "undefined"]


class Reading:
    """A study read with its records; nothing here runs a fit."""

    def __init__(self, study: Study, store: Store) -> None:
        self.store = store
        self._take(with_proposals(study, store))
        self.complete: set[tuple[str, str]] = set()  # training rows on which all candidates of a method have answered
        self._choices: dict[tuple[str, str, str], Choice] = {}
        self._undefined: dict[tuple[str, str], dict[str, str]] = {}
        self._runs: dict[str, dict[str, TuningRun]] = {}
        self._runs_by_set: dict[str, dict[str, list[TuningRun]]] = {}  # by method and training set
        self._training_sets: dict[str, dict[str, tuple[Split, IntArray]]] = {}
        self._known_places: dict[tuple[int, int], tuple[Any, ...]] = {}
        self._judging_responses: dict[str, list[str]] = {}
        self._known_targets: dict[int, tuple[IntArray, AnyArray, FloatArray | None]] = {}

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
        """The response of a fit for these rows; that of the baseline for a failed fit, if that is the policy."""
        record = self.record(method, candidate, split)
        return None if record is None else self._answer(record, split, response, rows)

    @property
    def has_stand_ins(self) -> bool:
        """Does the baseline stand in for fits that failed?"""
        return self.study.on_failure == "baseline"

    def method(self, name: str) -> Method:
        """The method of this name, with the candidates that are known now."""
        return self._methods[name]

    def extend(self, method: Method) -> None:
        """Replace a method by one with more candidates; the store has them already."""
        self._take(with_method(self.study, method))

    def note(self, *notes: Note) -> None:
        """Add to the notes of the study what was found while it was read."""
        self._take(replace(self.study, notes=(*self.study.notes, *notes)))

    def refresh(self) -> None:
        """Read what was proposed since, where another process runs the study."""
        self._take(with_proposals(self.study, self.store))

    def _take(self, study: Study) -> None:
        self.study, self._methods = study, {method.name: method for method in study.methods}

    def runs(self, method: Method) -> list[TuningRun]:
        """Every tuning of a method: one for each split it is judged on, and the final one."""
        return list(self._runs_of(method).values())

    def run(self, method: Method, tuning: str) -> TuningRun:
        """A tuning by its name: `outer 0`, `outer 1`, `final`."""
        return self._runs_of(method)[tuning]

    def look(self, records: Sequence[Record]) -> None:
        """Score candidates by these records while they are at hand: large ones may have to be fetched later."""
        parts = list(record_parts(records))
        if len(parts) * max(map(bytes_of, parts[:: max(len(parts) // 50, 1)])) < WORTH_LOOKING:
            return
        sets = {part.training_set if isinstance(part, RecordBlock) else "" for part in parts}
        for name, runs in self._runs.items():
            for run in runs.values() if "" in sets else self._runs_on(name, sets):
                run.look()

    def _runs_on(self, method: str, training_sets: set[str]) -> list[TuningRun]:
        """The tunings of a method that use one of these training sets."""
        if method not in self._runs_by_set:
            runs_by_set = self._runs_by_set[method] = {}
            for run in self._runs[method].values():
                for split in run.place.every_split():
                    runs_by_set.setdefault(self.study.rows_name(split), []).append(run)
        runs = {id(run): run for name in training_sets for run in self._runs_by_set[method].get(name, ())}
        return list(runs.values())

    def choice(self, method: Method, outer: int, *, rule: str | None = None) -> Choice:
        """The candidate chosen for an outer split on its own inner splits."""
        return self._choose(method, f"outer {outer}", rule)

    def final_choice(self, method: Method, *, rule: str | None = None) -> Choice:
        """The candidate chosen on all rows: the one to ship."""
        return self._choose(method, "final", rule)

    def is_waiting(self, method: Method, stage: Stage) -> bool:
        """Are there fits to do before this split can choose its candidate?"""
        if (method.name, stage.name, method.rule) in self._choices:
            return False
        if self.run(method, stage.name).state(is_quick=True) == "evaluate":
            return True
        return self.choice(method, stage.at).missing > 0

    def outer_candidate(self, method: Method, outer: int) -> int | None:
        """The candidate an outer split is judged by."""
        return 0 if method.inner is None else self.choice(method, outer).candidate

    def training_sets(self, method: Method) -> dict[str, tuple[Split, IntArray]]:
        """Training sets of a method's tunings by name, with all rows on which they may be scored."""
        sets = self._training_sets.get(method.name)
        if sets is None:
            sets = self._training_sets[method.name] = dict(self.study.tuning_rows(method))
            for split in (split for run in self.runs(method) if run.levels for split in run.place.every_split()):
                name = self.study.rows_name(split)
                first, rows = sets.get(name, (split, None))
                sets[name] = (first, split.test if rows is None else np.union1d(rows, split.test))
        return sets

    def outer_losses(self, method: Method, *, loss: int = 0) -> FloatArray:
        """Mean loss on the test rows of each outer split, of the candidate chosen inside it."""
        losses = [self._outer_loss(method, outer, loss, split.test) for outer, split in enumerate(self.study.outer)]
        return np.array(losses)

    def training_losses(self, method: Method, *, loss: int = 0) -> FloatArray:
        """Mean loss on the training rows of each outer split."""
        splits = enumerate(self.study.outer)
        return np.array([self._outer_loss(method, outer, loss, _distinct(split.train)) for outer, split in splits])

    def outer_response(self, method: Method, outer: int, loss: Loss | None = None) -> AnyArray | None:
        """Predictions of an outer split's model for its test rows, or the response by which a loss judges it."""
        candidate, split = self.outer_candidate(method, outer), self.study.outer[outer]
        if candidate is None:
            return None
        response = "predict" if loss is None else method.response_for(loss, candidate)
        return self.answer(method, candidate, split, response, split.test)

    def outer_state(self, method: Method, outer: int) -> FoldState:
        """Whether the loss of an outer split is the method's own or the baseline's, or why there is none."""
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
        """Outer splits on which the baseline stands in for a failed fit."""
        if not self.has_stand_ins:
            return 0
        splits = enumerate(self.study.outer)
        candidates = ((self.outer_candidate(method, outer), split) for outer, split in splits)
        records = [self.record(method, candidate, split) for candidate, split in candidates if candidate is not None]
        return sum(record is not None and not record.is_ok for record in records)

    def row_losses(self, judge: Loss, answers: AnyArray, rows: IntArray) -> FloatArray | None:
        """The loss of each row; None where the loss has none."""
        try:
            return judge.rows(self.study.target[rows], answers)
        except Exception:  # a user's own function may do anything; the fold's mean is undefined, and says why
            return None

    def undefined(self, method: Method, loss: Loss) -> dict[str, str]:
        """Why the loss is undefined, by the key of each fit it could not judge, among those read so far."""
        return dict(sorted(self._undefined.get((method.name, loss.name), {}).items()))

    def fits(self, method: Method) -> set[str]:
        """Keys of the distinct fits the method's answer rests on."""
        keys, study = set[str](), self.study
        for run in self.runs(method):
            run.state()
            keys |= set(run.fit_keys())
        for split in study.outer if study.has_optimism and method.inner is not None else ():
            keys |= set(study.keys(method, study.rows_name(split)))
        return keys | {study.key(method, candidate, stage.split) for candidate, stage in self.judged(method)}

    def judged(self, method: Method) -> Iterator[tuple[int, Stage]]:
        """The candidates judged on each split, as far as they are known: all of them without tuning."""
        for stage in self.study.stages(method):
            if stage.inner is None:
                yield from ((candidate, stage) for candidate in range(len(method.candidates)))
            elif not self.is_waiting(method, stage):
                candidate = self.outer_candidate(method, stage.at)
                yield from [] if candidate is None else [(candidate, stage)]

    def _outer_loss(self, method: Method, outer: int, loss: int, rows: IntArray) -> float:
        candidate, split = self.outer_candidate(method, outer), self.study.outer[outer]
        return np.nan if candidate is None else self.fold_loss(method, candidate, split, loss=loss, rows=rows)

    def _answer(self, record: Record, split: Split, response: str, rows: IntArray) -> AnyArray | None:
        if record.is_ok:
            places = self._places(record, rows) if response in record.responses else None
            return None if places is None else record.responses[response][places]
        return baseline_answer(self.study, split.train, response, len(rows)) if self.has_stand_ins else None

    def _places(self, record: Record | RecordBlock, rows: IntArray) -> IntArray | slice | None:
        """Where these rows are in a record; records of one fold share their rows, so this is computed once."""
        name = (id(record.rows), id(rows))
        if name not in self._known_places:
            if len(self._known_places) > MANY:
                self._known_places.clear()
            first = record.record(0) if isinstance(record, RecordBlock) else record
            self._known_places[name] = (first.places(rows), record.rows, rows)  # holds both, so that no id is reused
        places: IntArray | slice | None = self._known_places[name][0]
        return places

    def _targets(self, rows: IntArray) -> tuple[AnyArray, FloatArray | None]:
        """Targets and weights of these rows, extracted once."""
        if id(rows) not in self._known_targets:
            if len(self._known_targets) > MOST_TARGETS:
                self._known_targets.clear()
            weights = None if self.study.weights is None else self.study.weights[rows]
            self._known_targets[id(rows)] = (rows, self.study.target[rows], weights)
        return self._known_targets[id(rows)][1:]

    def _mean_loss(self, judge: Loss, answers: AnyArray, rows: IntArray, fit: tuple[Method, int, Split]) -> float:
        """The mean loss on these rows; NaN, with the reason noted, where it is not finite."""
        target, weights = self._targets(rows)
        try:
            mean = judge.fold(target, answers, weights)
            if math.isfinite(mean):
                return mean
            reason = f"it is {mean}"
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

    def _choose(self, method: Method, tuning: str, rule: str | None) -> Choice:
        name = (method.name, tuning, rule or method.rule)
        choice = self._choices.get(name)
        if choice is None:
            choice = self.run(method, tuning).choice(rule or method.rule)
            if not choice.missing:
                self._choices[name] = choice
        return choice

    def _runs_of(self, method: Method) -> dict[str, TuningRun]:
        if method.name not in self._runs:
            tunings = self.study.named_tunings(method).items()
            self._runs[method.name] = {name: TuningRun(self, method, name, splits) for name, splits in tunings}
        return self._runs[method.name]

    def has_failed(self, method: Method) -> bool:
        """Has a tuning fit failed under the policy `fail`? Then no more candidates are proposed."""
        return self.study.on_failure == "fail" and any(run.failed for run in self.runs(method))

    def is_proposing(self, method: Method) -> bool:
        """May some tuning of a method get more candidates?"""
        if method.tuner.is_listed:
            return False
        states = [run.state() for run in self.runs(method)]
        return any(state != "over" for state in states) and not self.has_failed(method)

    def scores_on(self, method: Method, candidates: Sequence[int], split: Split) -> tuple[FloatArray, IntArray]:
        """Scores of these candidates on a split, and the status of each fit (see `tuning_run`)."""
        every_key = self.study.keys(method, self.study.rows_name(split))
        keys = [every_key[candidate] for candidate in candidates]
        places = together(self.store, keys)
        if places.missing == len(keys):
            return np.full(len(keys), np.nan), np.full(len(keys), MISSING)
        responses = self._responses(method)
        in_blocks = None
        if places.blocks:
            wanted = {responses[candidate] for candidate in candidates}
            in_blocks = self._block_scores(wanted, split, keys, places.blocks)
        if in_blocks is None:
            return self._scores_of(method, candidates, split)
        scores, status = in_blocks
        if places.single:
            missing = np.flatnonzero(status == MISSING)
            others = [candidates[place] for place in missing.tolist()]
            scores[missing], status[missing] = self._scores_of(method, others, split)
        return scores, status

    def _block_scores(
        self, responses: set[str], split: Split, keys: Sequence[str], blocks: Sequence[RecordBlock]
    ) -> tuple[FloatArray, IntArray] | None:
        """The same, by records that are in blocks; the others are missing. None where they cannot be judged at once."""
        judge, (target, weights) = self.study.losses[0], self._targets(split.test)
        if len(responses) > 1 or not judge.is_elementwise or weights is not None:
            return None
        (response,) = responses
        is_one_block = len(blocks) == 1 and blocks[0].keys == tuple(keys)
        place_of = {} if is_one_block else {key: place for place, key in enumerate(keys)}
        scores, status = np.full(len(keys), np.nan), np.full(len(keys), MISSING)
        for block in blocks:
            rows = self._places(block, split.test)
            if rows is None or response not in block.responses:
                return None
            answers = block.responses[response]
            means = _mean_losses(judge, target, answers, rows) if answers.ndim == 2 else None
            if means is None:
                return None
            places = slice(None) if is_one_block else [place_of[key] for key in block.keys]
            scores[places], status[places] = means, THERE
        return scores, status

    def _scores_of(self, method: Method, candidates: Sequence[int], split: Split) -> tuple[FloatArray, IntArray]:
        """The same, record by record."""
        judge, keys = self.study.losses[0], self.study.keys(method, self.study.rows_name(split))
        records = [self.store.get(keys[candidate]) for candidate in candidates]
        if records and not any(records):
            return np.full(len(records), np.nan), np.full(len(records), MISSING)
        responses = self._responses(method)
        responses = [responses[candidate] for candidate in candidates]
        status = np.full(len(records), THERE)
        means = self._means_at_once(judge, records, responses, split.test) if records else None
        if means is not None:
            return means, status
        scores = np.full(len(records), np.nan)
        for place, (candidate, record, response) in enumerate(zip(candidates, records, responses, strict=True)):
            answers = None if record is None else self._answer(record, split, response, split.test)
            if record is not None and not record.is_ok:
                status[place] = FAILED
            elif answers is None:
                status[place] = MISSING
            if answers is not None:
                scores[place] = self._mean_loss(judge, answers, split.test, (method, candidate, split))
        return scores, status

    def _responses(self, method: Method) -> list[str]:
        """The response by which the first loss judges each candidate, looked up once."""
        responses, judge = self._judging_responses.setdefault(method.name, []), self.study.losses[0]
        new = range(len(responses), len(method.responses))
        responses += [method.response_for(judge, candidate) for candidate in new]
        return responses

    def seen_losses(self, method: Method, candidate: int, split: Split) -> FloatArray | None:
        """Losses of single rows, weighted so that their mean is the score; None where there are none."""
        judge = self.study.losses[0]
        answers = self.answer(method, candidate, split, method.response_for(judge, candidate), split.test)
        losses = self.row_losses(judge, answers, split.test) if answers is not None and judge.is_per_row else None
        weights = self._targets(split.test)[1]
        return losses if losses is None or weights is None else losses * weights / weights.mean()

    def _means_at_once(
        self, judge: Loss, records: list[Record | None], responses: list[str], rows: IntArray
    ) -> FloatArray | None:
        """Mean losses of many fits on the same rows at once, the same bits; None where the fits differ in type."""
        first, response = records[0], responses[0]
        target, weights = self._targets(rows)
        if first is None or not judge.is_elementwise or weights is not None or len(set(responses)) > 1:
            return None
        places, answers = self._places(first, rows), list[AnyArray]()
        if places is None:
            return None
        for record in records:
            if record is None or not record.is_ok or record.rows is not first.rows or response not in record.responses:
                return None
            answers.append(record.responses[response])
        return _mean_losses(judge, target, answers, places) if answers[0].ndim == 1 else None


def _mean_losses(
    judge: Loss, target: AnyArray, answers: AnyArray | list[AnyArray], places: IntArray | slice
) -> FloatArray | None:
    """Mean losses of many fits on these places of their rows, the same bits as one by one; None if one is infinite."""
    if len(target) > LONG:
        sums = np.array([np.add.reduce(judge.measure(target, values[places])) for values in answers])
    else:
        step, sums = max(1, CELLS // len(target)), np.empty(len(answers))
        for start in range(0, len(answers), step):
            some = answers[start : start + step]
            chosen = some[:, places] if isinstance(some, np.ndarray) else np.stack([values[places] for values in some])
            losses = judge.measure(target, np.ascontiguousarray(chosen))
            sums[start : start + step] = np.add.reduce(losses, axis=1)
    means: FloatArray = sums / len(target)
    return means if np.isfinite(means).all() else None


def _distinct(rows: IntArray) -> IntArray:
    """Sorted rows without repetitions, which only a bootstrap has."""
    return rows if (np.diff(rows) > 0).all() else np.unique(rows)
