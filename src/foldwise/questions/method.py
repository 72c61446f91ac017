"""All numbers of one method, read from the records of a study."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.blocks.numbers import less
from foldwise.questions.evidence import gather
from foldwise.questions.failures import own_words
from foldwise.questions.out_of_fold import FoldAnswers, fold_answers
from foldwise.questions.training_size import TrainingSize, training_size
from foldwise.questions.usual_metrics import Metric, usual_metrics
from foldwise.questions.validation import edges
from foldwise.questions.value import Value
from foldwise.records.block import together
from foldwise.records.record import Record
from foldwise.splits.nesting import Inner
from foldwise.stats.chooser import work_out
from foldwise.stats.comparison import Comparison
from foldwise.stats.differences import difference
from foldwise.stats.estimate import Estimate, plain_number
from foldwise.stats.evidence import Evidence
from foldwise.stats.multiple import shared_level
from foldwise.studies.plain import plain_candidate
from foldwise.studies.reading import FoldState, Reading
from foldwise.studies.study import Method


@dataclass
class Tally:
    """Counts of fits by status."""

    failures: list[str] = field(default_factory=list)  # their errors
    kinds: dict[str, list[str]] = field(default_factory=dict)  # the same by status
    warnings: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    missing: int = 0


@dataclass(frozen=True)
class FoldValue(Value):
    """An outer split of a method: what was chosen there, and its loss."""

    repeat: int
    fold: int
    loss: float | None
    candidate: Mapping[str, Any] | None
    selection_score: float | None
    train_rows: int
    selection_train_rows: int | None
    own: bool | None
    losses: Mapping[str, float | None] | None = None


class MethodAnswer:
    """All numbers of one method, each computed when it is first used."""

    def __init__(self, reading: Reading, method: Method) -> None:
        self.reading, self.method, self.study = reading, method, reading.study

    def __repr__(self) -> str:
        return f"{self.method.name}: {self.estimate()}" if self.status == "ok" else f"{self.method.name}: {self.status}"

    @cached_property
    def fold_losses(self) -> FloatArray:
        return self.reading.outer_losses(self.method)

    @cached_property
    def risk(self) -> float:
        """The mean of the fold means; NaN as soon as one of them is missing."""
        return float(self.fold_losses.mean()) if self.fold_losses.size else math.nan

    @cached_property
    def keys(self) -> set[str]:
        return self.reading.fits(self.method)

    @cached_property
    def defaults(self) -> MethodAnswer | None:
        """The same learner at its own default parameters, where the study has it."""
        found = next((one for one in self.study.methods if one.defaults_of == self.method.name), None)
        return None if found is None else MethodAnswer(self.reading, found)

    @cached_property
    def tuning_gain(self) -> Comparison | None:
        """The risk at the default parameters less the risk tuned, on the same rows.

        The method may have been picked by its risk, so the interval holds for all tuned methods at once.
        """
        if self.defaults is None or self.status != "ok" or self.defaults.status != "ok":
            return None
        tuned = sum(bool(method.defaults_of) for method in self.study.methods)
        return self.defaults.difference(self, level=shared_level(self.study.level, tuned))

    @property
    def all_keys(self) -> set[str]:
        """Keys of its fits, and of those at its default parameters."""
        return self.keys if self.defaults is None else self.keys | self.defaults.keys

    @cached_property
    def tally(self) -> Tally:
        """The status of the fits the answer rests on, from their records."""
        found = Tally()
        there = together(self.reading.store, list(self.keys))
        found.seconds += math.fsum(block.seconds * len(block) for block in there.blocks)
        found.missing += there.missing
        for key in sorted(there.single):
            record = self.reading.store.get(key)
            if record is None:
                found.missing += 1
                continue
            found.seconds += record.seconds
            if record.warnings:
                found.warnings.update(record.warnings)
            if not record.is_ok:
                found.failures.append(record.error)
                found.kinds.setdefault(_kind(record), []).append(record.error)
        return found

    @property
    def failures(self) -> list[str]:
        """Error texts of the failed fits the answer would rest on."""
        return self.tally.failures

    @property
    def failure_kinds(self) -> list[dict[str, Any]]:
        """Failed fits by status, the commonest first, each with its first error."""
        kinds = sorted(self.tally.kinds.items(), key=lambda item: (-len(item[1]), item[0]))
        return [{"status": kind, "count": len(errors), "first": errors[0]} for kind, errors in kinds]

    @property
    def warnings(self) -> Counter[str]:
        return self.tally.warnings

    @property
    def seconds(self) -> float:
        return self.tally.seconds

    @property
    def missing(self) -> int:
        """Fits that are not done yet."""
        return self.tally.missing

    @cached_property
    def states(self) -> list[FoldState]:
        """The state of each outer split: whose loss it has, or why it has none."""
        return [self.reading.outer_state(self.method, at) for at in range(len(self.study.outer))]

    @property
    def own_folds(self) -> int:
        """Outer splits with a loss of the method's own."""
        return self.states.count("own")

    @property
    def stand_ins(self) -> int:
        """Outer splits on which the baseline stands in for a failed fit."""
        return self.states.count("baseline")

    @property
    def status(self) -> str:
        if math.isfinite(self.risk):
            return "ok"
        if "failed" in self.states:
            return "failed"
        return "unfinished" if "missing" in self.states else "undefined"

    @property
    def is_finished(self) -> bool:
        """Are all fits done that the answer rests on?"""
        return self.is_judged and (self.defaults is None or self.defaults.is_judged)

    @cached_property
    def is_judged(self) -> bool:
        """Are all of its own fits done?"""
        inner = self.method.inner
        has_final = inner is not None and inner.final is not None and self.study.has_final
        is_waiting = has_final and self.reading.final_choice(self.method).missing > 0
        return not self.missing and not is_waiting and "missing" not in self.states

    @property
    def candidates(self) -> int:
        """How many candidates a tuning chooses among, the most where tunings differ."""
        return max((run.candidates for run in self.reading.runs(self.method)), default=self.method.listed)

    @cached_property
    def planned(self) -> int:
        """Fits the answer will need in the end, including those of splits that have not chosen yet."""
        if self.method.inner is None:
            return len(self.keys)
        name = self.study.rows_name
        waiting = {
            name(stage.split)
            for stage in self.study.stages(self.method)
            if self.reading.choice(self.method, stage.at).missing
        }
        return len(self.keys) + len(waiting - {name(split) for split in self.study.tuning_splits(self.method)})

    @cached_property
    def train_risk(self) -> float:
        if not self.study.has_training_risk or not math.isfinite(self.risk):
            return math.nan
        return float(self.training_losses.mean())

    @cached_property
    def training_losses(self) -> FloatArray:
        return self.reading.training_losses(self.method)

    def out_of_fold(self, at: int) -> FoldAnswers:
        """What the model of an outer split answered for the rows held out."""
        return fold_answers(self.reading, self.method, at)

    @cached_property
    def metrics(self) -> list[Metric]:
        """The usual metrics of the same predictions, without a new fit."""
        return usual_metrics(self)

    @cached_property
    def selection_score(self) -> float:
        """The smallest score of the final tuning: never the risk, and too good for its own training size."""
        if self.method.inner is None or self.method.inner.final is None:
            return math.nan
        return self.reading.final_choice(self.method).score

    @cached_property
    def middle_score(self) -> float:
        """The median score of the final tuning over all candidates; NaN where a tuner picked or dropped some."""
        inner = self.method.inner
        has_all = self.method.tuner.is_listed and self.method.tuner.is_exhaustive
        if inner is None or inner.final is None or not has_all or math.isnan(self.selection_score):
            return math.nan
        scores = self.reading.final_choice(self.method).scores
        return float(np.median(scores.mean(axis=1)))

    @cached_property
    def edges(self) -> list[str]:
        """Warnings about parameters whose chosen values mostly lie at an end of their range."""
        return edges(self.reading, self.method)

    @property
    def selection_train_rows(self) -> float | None:
        if self.method.inner is None or self.method.inner.final is None:
            return None
        return training_size(self.method.inner.final).mean

    @cached_property
    def optimism(self) -> float:
        """Risk less the smallest plain CV score on the same outer splits, where those fits exist."""
        if self.method.inner is None or not self.has_outer_scores or not math.isfinite(self.risk) or self.missing:
            return math.nan
        scores = self._outer_scores()
        if not np.isfinite(scores).all() and self.study.on_failure != "drop_candidate":
            return math.nan
        usable = scores.mean(axis=1)[np.isfinite(scores).all(axis=1)]
        return less(self.risk, float(usable.min())) if usable.size else math.nan

    def _outer_scores(self) -> FloatArray:
        """Losses of every candidate on the outer splits: scores[candidate, split]."""
        outer, final = self.study.outer, self.method.inner.final if self.method.inner else None
        if final is not None and final.fingerprint == outer.fingerprint:
            return self.reading.final_choice(self.method).scores
        everyone = range(len(self.method.candidates))
        return np.array([[self.reading.fold_loss(self.method, at, split) for split in outer] for at in everyone])

    @property
    def has_outer_scores(self) -> bool:
        """Were all candidates fitted on the outer training sets? With pairs always, else with optimism=True."""
        if self.study.has_optimism:
            return True
        if not self.method.tuner.is_exhaustive:  # those that were dropped are not, whatever else is in the store
            return False
        final = self.method.inner.final if self.method.inner else None
        if not self.method.tuner.is_listed:  # each fold has its own candidates, and so has the final tuning
            return final is not None and final.fingerprint == self.study.outer.fingerprint
        name = self.study.rows_name
        return final is not None and {name(split) for split in self.study.outer} <= {name(split) for split in final}

    @cached_property
    def agreement(self) -> float:
        """Share of the outer splits that chose the commonest candidate."""
        if self.method.inner is None:
            return math.nan
        chosen = [self.reading.choice(self.method, at).candidate for at in range(len(self.study.outer))]
        return Counter(chosen).most_common(1)[0][1] / len(chosen) if chosen and None not in chosen else math.nan

    @property
    def who(self) -> str:
        return "the learner" if self.method.inner is None else "the tuned learner"

    def target(self, covers: str | None = None) -> str:
        """What the risk, or the interval around it, is an estimate of."""
        if not self.stand_ins or not math.isfinite(self.risk):
            return self._target(covers)
        whose = own_words(self.own_folds, len(self.states))
        return f"{self._target(covers)}, with the baseline where it failed ({whose})"

    def _target(self, covers: str | None) -> str:
        outer = self.study.outer
        if len(outer) == 1:
            when = " in this period" if outer.is_ordered else ""
            return f"this predictor{when}: {self.who} as trained on these {self.size}, not refitted"
        if outer.is_ordered:
            return f"these forecasts of {self.who} at {self.size}, in this period"
        if covers == "these models":
            return f"the average of these {len(outer)} models of {self.who} at {self.size}"
        return f"{self.who} at {self.size}"

    @cached_property
    def size(self) -> TrainingSize:
        """On how many rows its models were trained."""
        return training_size(self.study.outer)

    @cached_property
    def evidence(self) -> Evidence:
        return gather(self.reading, self.method)

    def further_evidence(self, loss: int) -> Evidence:
        """The evidence for the risk under another loss than the first."""
        return gather(self.reading, self.method, loss)

    def estimate(self, loss: int = 0, *, level: float | None = None) -> Estimate:
        """The risk under one of the losses, with the interval that is valid here, or the reason why there is none."""
        evidence = self.evidence if loss == 0 else self.further_evidence(loss)
        level = self.study.level if level is None else level
        value = float(evidence.fold_losses.mean()) if evidence.fold_losses.size else math.nan
        row, reason, found = work_out(evidence, self.study.interval if loss == 0 else None, level)
        return Estimate(
            value=value,
            low=found.low if found else None,
            high=found.high if found else None,
            level=level,
            interval=row.name if row else None,
            target=self.target(row.covers if row else None),
            train_rows=self.size.mean,
            losses=evidence.fold_losses,
            fits=len(self.keys),
            notes=(("interval", reason), *(found.notes if found else ())),
            details=dict(found.details) if found else {},
        )

    def difference(self, other: MethodAnswer, *, rope: float | None = None, level: float | None = None) -> Comparison:
        """This risk less the other's, on the same rows."""
        found = difference(
            self.evidence,
            other.evidence,
            names=(self.method.name, other.method.name),
            is_same=_is_same(self.method, other.method),
            level=self.study.level if level is None else level,
            rope=rope,
        )
        target = f"{found.target} at {self.size}"
        return replace(found, fits=len(self.keys | other.keys), target=target, train_rows=self.size.mean)

    def folds(self) -> tuple[FoldValue, ...]:
        """One entry per outer split: the chosen candidate and its loss, or losses."""
        every = self.every_fold_loss() if len(self.study.losses) > 1 else None
        return tuple(
            FoldValue(
                repeat=split.repeat,
                fold=split.fold,
                loss=plain_number(float(self.fold_losses[at])),
                candidate=self._chosen(at),
                selection_score=self._fold_score(at),
                train_rows=split.train_rows,
                selection_train_rows=self._fold_score_rows(at),
                own=_IS_OWN.get(self.states[at]),
                losses=None
                if every is None
                else {name: plain_number(float(values[at])) for name, values in every.items()},
            )
            for at, split in enumerate(self.study.outer)
        )

    def every_fold_loss(self) -> dict[str, FloatArray]:
        """The losses of each outer split under every loss of the study, by name."""
        further = range(1, len(self.study.losses))
        found = [self.fold_losses, *(self.further_evidence(loss).fold_losses for loss in further)]
        return {loss.name: values for loss, values in zip(self.study.losses, found, strict=True)}

    def _chosen(self, at: int) -> dict[str, Any] | None:
        """The candidate of this method's own tuning, or what a search object has chosen by itself."""
        candidate = self.reading.outer_candidate(self.method, at)
        if candidate is None:
            return None
        record = self.reading.record(self.method, candidate, self.study.outer[at])
        found = plain_candidate(self.method.candidates[candidate])
        return found or ({} if record is None else dict(record.chosen))

    def _fold_score(self, at: int) -> float | None:
        return None if self.method.inner is None else plain_number(self.reading.choice(self.method, at).score)

    def _fold_score_rows(self, at: int) -> int | None:
        """Training rows of the inner splits of an outer one, on average."""
        return None if self.method.inner is None else round(training_size(self.method.inner.splits[at]).mean)


_IS_OWN: dict[FoldState, bool] = {"own": True, "baseline": False}  # where there is no loss, neither


def _is_same(one: Method, other: Method) -> bool:
    """Do two methods choose among the same candidates, by the same rule, each of them on the same splits?"""
    if not one.identities or one.identities != other.identities or one.rule != other.rule:
        return False
    is_one_tuner = type(one.tuner) is type(other.tuner) and vars(one.tuner) == vars(other.tuner)
    return is_one_tuner and one.proposals.asked == other.proposals.asked and _is_same_inner(one.inner, other.inner)


def _is_same_inner(one: Inner | None, other: Inner | None) -> bool:
    if one is None or other is None or one is other:
        return one is other
    ours, theirs = ([split for splits in inner.splits for split in splits] for inner in (one, other))
    return len(ours) == len(theirs) and all(
        np.array_equal(a.test, b.test) and np.array_equal(a.train, b.train) for a, b in zip(ours, theirs, strict=True)
    )


def _kind(record: Record) -> str:
    """The status of a failed fit, with the signal that ended it if its error names one."""
    signal = re.search(r"\bSIG[A-Z0-9]+\b", record.error) if record.status == "crashed" else None
    return f"{record.status}: {signal[0]}" if signal else record.status
