"""The answer of a study, from its records alone: typed values, each worked out when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from foldwise.blocks.numbers import less
from foldwise.questions import notes
from foldwise.questions.auto import AutoAnswer, make_auto
from foldwise.questions.bias import Corrected, corrections
from foldwise.questions.combined import answer_of
from foldwise.questions.contest import asked_for, holm_values, not_told_apart, pick, picked_among
from foldwise.questions.decision import Decided, Decision, decide, decision_notes
from foldwise.questions.importance import importance_of
from foldwise.questions.ledger import level_of_best
from foldwise.questions.method import FoldValue, MethodAnswer
from foldwise.questions.metric_table import MetricEnds, metric_values
from foldwise.questions.metrics import rare_notes
from foldwise.questions.predicting import seconds_per_1000
from foldwise.questions.training_size import TrainingSize, training_size
from foldwise.questions.value import Value
from foldwise.questions.winner import winner_level_of
from foldwise.stats.bbc import Bbc
from foldwise.stats.comparison import Comparison
from foldwise.stats.estimate import Estimate, plain_number
from foldwise.studies.finding import Finding
from foldwise.studies.plain import plain_candidate
from foldwise.studies.reading import Reading
from foldwise.studies.study import Note, Study


@dataclass(frozen=True)
class NoteValue(Value):
    """A sentence that should be known, and the code of its kind."""

    code: str
    text: str


@dataclass(frozen=True)
class TuningGain(Value):
    """The risk at the default parameters, and how much larger it is than the risk tuned."""

    default_risk: float | None
    value: float | None
    low: float | None
    high: float | None
    interval: str | None


@dataclass(frozen=True)
class LossValue(Value):
    """The risk under one of several losses."""

    label: str
    value: float | None
    low: float | None
    high: float | None
    interval: str | None


@dataclass(frozen=True)
class RiskValue(Value):
    """The risk of one method, and how it compares with the best."""

    name: str
    status: str
    risk: float | None
    low: float | None
    high: float | None
    formula_low: float | None
    formula_high: float | None
    level: float
    interval: str | None
    target: str
    selection_score: float | None
    selection_train_rows: int | None
    optimism: float | None
    train_risk: float | None
    gap: float | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    difference_interval: str | None
    p: float | None
    agreement: float | None
    own_folds: int
    failed: int
    fits: int
    seconds: float
    losses: Mapping[str, LossValue] | None


@dataclass(frozen=True)
class MethodValue(RiskValue):
    """All numbers of one method; `docs/json.md` says what each of them is."""

    selection_middle: float | None
    selection_corrected: Corrected | None
    tuning_gain: TuningGain | None
    metrics: Mapping[str, float | None]
    metric_intervals: Mapping[str, MetricEnds]
    class_metrics: Mapping[str, Mapping[str, float | None]] | None
    importance: Mapping[str, Any] | None
    candidates: int | None
    failures: list[dict[str, Any]]
    fits_made: int
    seconds_per_1000: float | None
    folds: tuple[FoldValue, ...]
    may_pick: list[str] | None
    p_holm: float | None
    p_best: float | None
    expected_regret: float | None
    expected_regret_percent: float | None
    regret_high: float | None
    p_within_margin: float | None
    within_margin: bool | None
    low_simultaneous: float | None
    high_simultaneous: float | None


@dataclass(frozen=True)
class Winner(Value):
    """The risk of the picked method, corrected for its selection, with an interval that holds whichever was best."""

    name: str
    among: int
    level: float
    level_shared: str
    risk: float | None
    bbc: float | None
    bbc_low: float | None
    bbc_high: float | None
    low_simultaneous: float | None
    high_simultaneous: float | None


@dataclass(frozen=True)
class Refit(Value):
    """The method and the candidate that are fitted to all rows."""

    method: str
    candidate: Mapping[str, Any]


@dataclass(frozen=True)
class StudyValue(Value):
    """The whole answer: the object of `to_dict()` and `--json`."""

    best: str | None
    loss: str
    losses: list[str]
    loss_label: str
    score: str | None
    task: str
    outer: str
    inner: str | None
    rows: int
    train_rows: int
    train_rows_range: tuple[int, int]
    trained_on: str
    seed: int
    level: float
    on_failure: str
    finished: bool
    interval: str | None
    fits: int
    fits_made: int
    seconds: float
    methods: tuple[MethodValue, ...]
    not_told_apart: list[str] | None
    winner: Winner | None
    decision: Decision
    refit: Refit | None
    refit_inner: Refit | None
    notes: tuple[NoteValue, ...]
    findings: tuple[Finding, ...]
    versions: Mapping[str, str]
    fingerprint: str


class Answer:
    """What a study says. Nothing is worked out that nobody asks for.

    `check` looks for traps in the results; the findings from before the fits are the study's own.
    """

    def __init__(
        self,
        reading: Reading,
        *,
        made: Mapping[str, int],
        seconds: float,
        versions: Mapping[str, str],
        margin: float | None = None,
        check: Callable[[Answer], Sequence[Finding]] | None = None,
    ) -> None:
        self.reading, self.made, self.seconds = reading, made, seconds
        self.versions, self.margin = versions, margin
        self.methods = [answer_of(reading, method) for method in reading.study.shown]
        self._check = check

    @property
    def study(self) -> Study:
        return self.reading.study

    @cached_property
    def best(self) -> MethodAnswer | None:
        """The picked method: the smallest risk."""
        return pick(self.methods)

    @cached_property
    def auto(self) -> AutoAnswer | None:
        """The procedure that picks the best method inside every fold."""
        return make_auto(self.methods)

    @cached_property
    def every(self) -> list[MethodAnswer]:
        """All rows of the answer."""
        return [*self.methods, *([self.auto] if self.auto else [])]

    @cached_property
    def size(self) -> TrainingSize:
        """On how many rows the models behind the risks were trained."""
        return training_size(self.study.outer)

    @cached_property
    def differences(self) -> dict[str, Comparison]:
        """The difference of every other method to the best one, on the same rows."""
        best = self.best
        able = [] if best is None else [one for one in self.every if one is not best and one.status == "ok"]
        return {method.method.name: method.difference(best) for method in able if best is not None}

    @cached_property
    def may_be_as_good(self) -> list[str] | None:
        """The best method and all that the simultaneous intervals do not tell from it; None without intervals."""
        return not_told_apart(self.methods, self.best)

    @cached_property
    def _corrections(self) -> tuple[dict[str, Corrected], Bbc | None]:
        return corrections(self.methods, picked_among(self.methods, self.best) if self.best else [])

    @property
    def corrected(self) -> dict[str, Corrected]:
        """The selection scores without their bias, by method."""
        return self._corrections[0]

    @cached_property
    def decided(self) -> Decided:
        """Does it matter which method is taken?"""
        return decide(self.methods, self.best, margin=self.margin)

    @cached_property
    def winner(self) -> Winner | None:
        """The interval of the method that was picked; methods that other studies of the store judged count too."""
        best = self.best
        if best is None:
            return None
        among = picked_among(self.methods, best)
        level, count = level_of_best(best, among=len(among), asked=len(asked_for(self.methods)))
        how, own = "evenly", winner_level_of(best, among) if 1 < count == len(among) else None
        if own is not None:
            level, how = own, "winner"
        wide, bbc = best.estimate(level=level), self._corrections[1]
        has_ends = bbc is not None and bbc.low < bbc.high
        return Winner(
            name=best.method.name,
            among=count,
            level=level,
            level_shared=how,
            risk=plain_number(best.risk),
            bbc=plain_number(bbc.value) if bbc else None,
            bbc_low=plain_number(bbc.low) if bbc and has_ends else None,
            bbc_high=plain_number(bbc.high) if bbc and has_ends else None,
            low_simultaneous=plain_number(wide.low),
            high_simultaneous=plain_number(wide.high),
        )

    @cached_property
    def refit(self) -> Refit | None:
        """What is handed over: the best method as tuned on all rows."""
        return _refit(self.best)

    @cached_property
    def _found(self) -> Sequence[Finding]:
        """What the checks find in the results, silenced or not."""
        return [] if self._check is None or self.study.silence is None else self._check(self)

    @cached_property
    def findings(self) -> list[Finding]:
        """What the checks found, before the fits and in the results, without what was silenced."""
        silenced = self.study.silence or ()
        return [*self.study.findings, *(finding for finding in self._found if finding.code not in silenced)]

    @cached_property
    def notes(self) -> list[Note]:
        """What should be known of the answer, each sentence once; a finding takes the place of a note that it says."""
        said = {SAID_BY_FINDINGS.get(finding.code) for finding in self._found}
        every = dict.fromkeys([*self.study.notes, *self._own_notes()])
        return [note for note in every if note[0] not in said]

    def _own_notes(self) -> list[Note]:
        best = self.best
        found = [*notes.loss_notes(self.study), *notes.ledger_notes(self.methods)]
        found += rare_notes(self.study, best.method.name if best else None)
        found += [note for method in self.every for note in notes.method_notes(method)]
        found += notes.interval_notes(self.every)
        lows = {name: difference.low for name, difference in self.differences.items()}
        found += notes.family_notes(lows, self.may_be_as_good)
        found += notes.contest_notes(self.methods, best, self.may_be_as_good)
        return found + decision_notes(self.decided, found)

    @cached_property
    def is_finished(self) -> bool:
        """Are all fits done?"""
        return all(method.is_finished for method in self.methods)

    @cached_property
    def fits(self) -> int:
        """How many distinct fits the answer rests on."""
        return len(set().union(*(method.all_keys for method in self.methods)))

    @cached_property
    def risks(self) -> tuple[RiskValue, ...]:
        """The risk of every method, in the order of the study; the auto row is the last."""
        return tuple(map(self._risk, self.every))

    @cached_property
    def rows(self) -> tuple[MethodValue, ...]:
        """All numbers of every method."""
        return tuple(map(self._row, self.every, self.risks))

    @cached_property
    def value(self) -> StudyValue:
        """Everything at once, in the order of the JSON."""
        study, size = self.study, self.size
        tuned = [method.inner for method in study.methods if method.inner is not None]
        return StudyValue(
            best=self.best.method.name if self.best else None,
            loss=study.losses[0].name,
            losses=[loss.name for loss in study.losses],
            loss_label=study.losses[0].label,
            score=study.losses[0].score,
            task=study.task,
            outer=study.outer.scheme,
            inner=" / ".join(dict.fromkeys(inner.scheme for inner in tuned)) or None,
            rows=study.rows,
            train_rows=round(size.mean),
            train_rows_range=(size.low, size.high),
            trained_on=str(size),
            seed=study.seed,
            level=study.level,
            on_failure=study.on_failure,
            finished=self.is_finished,
            interval=study.interval.name if study.interval else None,
            fits=self.fits,
            fits_made=sum(self.made.values()),
            seconds=round(self.seconds, 3),
            methods=self.rows,
            not_told_apart=self.may_be_as_good,
            winner=self.winner,
            decision=self.decided.decision,
            refit=self.refit,
            refit_inner=_refit(self.auto.final) if self.auto else None,
            notes=tuple(NoteValue(code, text) for code, text in self.notes),
            findings=tuple(self.findings),
            versions=self.versions,
            fingerprint=study.fingerprint,
        )

    @cached_property
    def _holm(self) -> dict[str, float]:
        return holm_values(self.methods, self.best)

    def _risk(self, method: MethodAnswer) -> RiskValue:
        estimate, name = method.estimate(), method.method.name
        is_best, difference = method is self.best, self.differences.get(name)
        return RiskValue(
            name=name,
            status=method.status,
            risk=plain_number(estimate.value),
            low=plain_number(estimate.low),
            high=plain_number(estimate.high),
            formula_low=plain_number(estimate.details.get("formula_low")),
            formula_high=plain_number(estimate.details.get("formula_high")),
            level=estimate.level,
            interval=estimate.interval,
            target=estimate.target,
            selection_score=plain_number(method.selection_score),
            selection_train_rows=None if method.selection_train_rows is None else round(method.selection_train_rows),
            optimism=plain_number(method.optimism),
            train_risk=plain_number(method.train_risk),
            gap=plain_number(less(method.risk, method.train_risk)),
            difference=0.0 if is_best else plain_number(difference.value) if difference else None,
            difference_low=plain_number(difference.low) if difference else None,
            difference_high=plain_number(difference.high) if difference else None,
            difference_interval=difference.interval if difference else None,
            p=plain_number(difference.p) if difference else None,
            agreement=plain_number(method.agreement),
            own_folds=method.own_folds,
            failed=len(method.failures),
            fits=len(method.all_keys),
            seconds=round(method.seconds, 3),
            losses=_every_loss(method),
        )

    def _row(self, method: MethodAnswer, risk: RiskValue) -> MethodValue:
        name, is_auto = risk.name, isinstance(method, AutoAnswer)
        columns = None if is_auto else importance_of(method)
        wide = self.winner if method is self.best else None
        return MethodValue(
            **vars(risk),
            selection_middle=plain_number(method.middle_score),
            selection_corrected=self.corrected.get(name),
            tuning_gain=_tuning_gain(method),
            **metric_values(method),
            importance=columns,
            candidates=None if method.method.inner is None else method.candidates,
            failures=method.failure_kinds,
            fits_made=self.made.get(name, 0),
            seconds_per_1000=None if is_auto else seconds_per_1000(method, columns),
            folds=method.folds(),
            may_pick=method.may_pick if isinstance(method, AutoAnswer) else None,
            p_holm=self._holm.get(name),
            **vars(self.decided.of(name)),
            low_simultaneous=wide.low_simultaneous if wide else None,
            high_simultaneous=wide.high_simultaneous if wide else None,
        )

    def to_dict(self) -> dict[str, Any]:
        """The answer in plain values, stable for scripts."""
        return self.value.to_dict()


# Codes of findings that say what a note of the answer says, and take its place.
SAID_BY_FINDINGS = {"FW405": "ledger", "FW501": "edge", "FW505": "imbalance"}


def _every_loss(method: MethodAnswer) -> dict[str, LossValue] | None:
    losses = method.study.losses
    if len(losses) < 2:
        return None
    estimates: list[Estimate] = [method.estimate(number) for number in range(len(losses))]
    return {
        loss.name: LossValue(
            loss.label,
            plain_number(estimate.value),
            plain_number(estimate.low),
            plain_number(estimate.high),
            estimate.interval,
        )
        for loss, estimate in zip(losses, estimates, strict=True)
    }


def _tuning_gain(method: MethodAnswer) -> TuningGain | None:
    gain = method.tuning_gain
    if gain is None or method.defaults is None:
        return None
    return TuningGain(
        default_risk=plain_number(method.defaults.risk),
        value=plain_number(gain.value),
        low=plain_number(gain.low),
        high=plain_number(gain.high),
        interval=gain.interval,
    )


def _refit(best: MethodAnswer | None) -> Refit | None:
    if best is None:
        return None
    if best.method.inner is None:
        return Refit(best.method.name, getattr(best, "weights", None) or {})
    if best.method.inner.final is None:
        return None
    chosen = best.reading.final_choice(best.method).candidate
    return None if chosen is None else Refit(best.method.name, plain_candidate(best.method.candidates[chosen]))
