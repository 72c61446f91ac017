"""The answer of a study as plain values, from its records alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.comparisons.comparison import Comparison
from foldwise.comparisons.same_rows import difference
from foldwise.estimates.chooser import Method, choose
from foldwise.estimates.estimate import Estimate, plain_number
from foldwise.estimates.evidence import Evidence
from foldwise.formulas.multiple import shared_level
from foldwise.outlines.outline import MethodOutline, Note, Outline
from foldwise.outlines.plain import plain_candidate
from foldwise.outlines.reading import Reading
from foldwise.questions.evidence import gather

BASELINE = "baseline"
AUTO = "auto"


class MethodAnswer:
    """All numbers of one method, each worked out when it is asked for."""

    def __init__(self, reading: Reading, method: MethodOutline) -> None:
        self.reading, self.method, self.outline = reading, method, reading.outline

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
    def failures(self) -> list[str]:
        """Error texts of the failed fits the answer would rest on."""
        records = (self.reading.store.get(key) for key in sorted(self.keys))
        return [record.error for record in records if record is not None and not record.is_ok]

    @cached_property
    def warnings(self) -> Counter[str]:
        records = (self.reading.store.get(key) for key in self.keys)
        return Counter(text for record in records if record is not None for text in record.warnings)

    @property
    def seconds(self) -> float:
        records = (self.reading.store.get(key) for key in self.keys)
        return sum(record.seconds for record in records if record is not None)

    @property
    def missing(self) -> int:
        """Fits that are not done yet."""
        return sum(self.reading.store.get(key) is None for key in self.keys)

    @property
    def status(self) -> str:
        if math.isfinite(self.risk):
            return "ok"
        if self.failures:
            return "failed"
        return "partial" if self.missing else "undefined"

    @cached_property
    def train_risk(self) -> float:
        if not self.outline.has_training_risk or not math.isfinite(self.risk):
            return math.nan
        return float(self.reading.training_losses(self.method).mean())

    @cached_property
    def selection_score(self) -> float:
        """The smallest score of the final tuning: optimistic, never the risk."""
        if self.method.inner is None or self.method.inner.final is None:
            return math.nan
        return self.reading.final_choice(self.method).score

    @property
    def selection_train_rows(self) -> float | None:
        if self.method.inner is None or self.method.inner.final is None:
            return None
        return mean_train_rows(self.method.inner.final)

    @cached_property
    def optimism(self) -> float:
        """Risk less the smallest plain CV score on the same outer splits, where those fits are there."""
        if self.method.kind != "tuned" or not self.has_outer_scores or not math.isfinite(self.risk):
            return math.nan
        everyone, outer = range(len(self.method.candidates)), self.outline.outer
        scores = [np.mean([self.reading.fold_loss(self.method, at, split) for split in outer]) for at in everyone]
        return self.risk - float(np.nanmin(scores)) if np.isfinite(scores).any() else math.nan

    @property
    def has_outer_scores(self) -> bool:
        """Were all candidates fitted on the outer training sets? Pairs need them anyway; else they are bought."""
        if self.outline.has_optimism:
            return True
        final = self.method.inner.final if self.method.inner else None
        name = self.outline.rows_name
        return final is not None and {name(split) for split in self.outline.outer} <= {name(split) for split in final}

    @cached_property
    def agreement(self) -> float:
        """Share of the outer splits that chose the commonest candidate."""
        if self.method.kind != "tuned":
            return math.nan
        chosen = [self.reading.choice(self.method, at).candidate for at in range(len(self.outline.outer))]
        return Counter(chosen).most_common(1)[0][1] / len(chosen) if chosen and None not in chosen else math.nan

    @property
    def who(self) -> str:
        return "the tuned learner" if self.method.kind == "tuned" else "the learner"

    def target(self, covers: str | None = None) -> str:
        """What the risk, or the interval around it, is an estimate of."""
        outer = self.outline.outer
        if len(outer) == 1:
            return f"this predictor: {self.who} as trained on these {len(outer[0].train)} rows, not refitted"
        if covers == "these models":
            return f"the average of these {len(outer)} models of {self.who}"
        return f"{self.who} at {mean_train_rows(outer):.0f} training rows"

    @cached_property
    def evidence(self) -> Evidence:
        return gather(self.reading, self.method)

    def interval(self, evidence: Evidence, wish: str | None) -> tuple[Method | None, str]:
        return choose(evidence, wish)

    def estimate(self, loss: int = 0, *, level: float | None = None) -> Estimate:
        """The risk under one of the losses, with the interval that is valid here, or the reason why there is none."""
        evidence = self.evidence if loss == 0 else gather(self.reading, self.method, loss)
        level = self.outline.level if level is None else level
        value = float(evidence.fold_losses.mean()) if evidence.fold_losses.size else math.nan
        method, reason = choose(evidence, self.outline.interval if loss == 0 else None)
        low = high = None
        details: dict[str, Any] = {}
        if method is not None:
            middle, low, high, details = method.compute(evidence, level)
            low, high = low + value - middle, high + value - middle  # means over rows and over folds are not mixed
        return Estimate(
            value=value,
            low=low,
            high=high,
            level=level,
            interval=method.name if method else None,
            target=self.target(method.covers if method else None),
            train_rows=mean_train_rows(self.outline.outer),
            losses=evidence.fold_losses,
            fits=len(self.keys),
            notes=(("interval", reason),),
            details=details,
        )

    def difference(self, other: MethodAnswer, *, rope: float | None = None, level: float | None = None) -> Comparison:
        """This risk less the other's, on the same rows."""
        found = difference(
            self.evidence,
            other.evidence,
            names=(self.method.name, other.method.name),
            level=self.outline.level if level is None else level,
            rope=rope,
        )
        return replace(found, fits=len(self.keys | other.keys))

    def folds(self) -> list[dict[str, Any]]:
        """The outer splits one by one: what was chosen and what it cost."""
        return [
            {
                "repeat": split.repeat,
                "fold": split.fold,
                "loss": plain_number(float(self.fold_losses[at])),
                "candidate": self._chosen(at),
                "selection_score": self._fold_score(at),
            }
            for at, split in enumerate(self.outline.outer)
        ]

    def _chosen(self, at: int) -> dict[str, Any] | None:
        candidate = self.reading.outer_candidate(self.method, at)
        return None if candidate is None else plain_candidate(self.method.candidates[candidate])

    def _fold_score(self, at: int) -> float | None:
        return None if self.method.kind != "tuned" else plain_number(self.reading.choice(self.method, at).score)


class AutoAnswer(MethodAnswer):
    """"Tune everything, pick by inner CV, refit": each fold's losses are those of the method its own inner CV prefers.

    The choice is part of the procedure, so the mean is not optimistic for having picked; it takes no further fit.
    """

    def __init__(self, members: list[MethodAnswer]) -> None:
        self.members = members
        outline = MethodOutline(AUTO, "tuned", ({},), (), {}, ())
        super().__init__(members[0].reading, outline)

    @cached_property
    def picks(self) -> list[MethodAnswer]:
        """The method each outer split's inner CV prefers, the first on ties."""
        return [
            min(self.members, key=lambda member: member.reading.choice(member.method, at).score)
            for at in range(len(self.outline.outer))
        ]

    @property
    def final(self) -> MethodAnswer:
        """The method that inner CV on all rows prefers: the one this estimate belongs to."""
        return min(self.members, key=lambda member: member.selection_score)

    @cached_property
    def fold_losses(self) -> FloatArray:
        return np.array([pick.fold_losses[at] for at, pick in enumerate(self.picks)])

    @cached_property
    def keys(self) -> set[str]:
        return set().union(*(member.keys for member in self.members))

    @cached_property
    def failures(self) -> list[str]:
        return []

    @cached_property
    def warnings(self) -> Counter[str]:
        return Counter()

    @cached_property
    def train_risk(self) -> float:
        if not self.outline.has_training_risk:
            return math.nan
        losses = [self.reading.training_losses(pick.method)[at] for at, pick in enumerate(self.picks)]
        return float(np.mean(losses))

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
        return f"tuning all {len(self.members)} methods and taking the one that inner CV prefers,"

    @cached_property
    def evidence(self) -> Evidence:
        first, picks = self.members[0].evidence, list(enumerate(self.picks))
        rows = None
        if first.row_losses is not None:
            rows = tuple(pick.evidence.row_losses[at] for at, pick in picks if pick.evidence.row_losses is not None)
        scores = None
        if first.scores is not None:
            scores = tuple(pick.evidence.scores[at] for at, pick in picks if pick.evidence.scores is not None)
        kept = {"pair_losses": None, "half_scores": None}
        return replace(first, fold_losses=self.fold_losses, row_losses=rows, scores=scores, **kept)

    def estimate(self, loss: int = 0, *, level: float | None = None) -> Estimate:
        if loss == 0:
            return super().estimate(loss, level=level)
        losses = np.array([self.reading.outer_losses(pick.method, loss=loss)[at] for at, pick in enumerate(self.picks)])
        return Estimate(float(losses.mean()), target=self.target(), losses=losses)

    def _chosen(self, at: int) -> dict[str, Any] | None:
        pick = self.picks[at]
        return {"method": pick.method.name, **(pick._chosen(at) or {})}

    def _fold_score(self, at: int) -> float | None:
        return self.picks[at]._fold_score(at)


def make_auto(methods: list[MethodAnswer]) -> AutoAnswer | None:
    """The auto row, if two or more methods were tuned on the same inner splits and none failed."""
    tuned = [method for method in methods if method.method.kind == "tuned"]
    usable = len(tuned) > 1 and all(method.status == "ok" for method in tuned)
    if not usable or any(method.method.inner is not tuned[0].method.inner for method in tuned):
        return None
    return AutoAnswer(tuned) if all(math.isfinite(method.selection_score) for method in tuned) else None


def pick(methods: list[MethodAnswer]) -> MethodAnswer | None:
    """The method with the smallest risk; the baseline only if nothing beats it."""
    able = [method for method in methods if math.isfinite(method.risk)]
    if not able:
        return None
    return min(able, key=lambda method: (method.risk, method.method.name != BASELINE))


def answer(
    outline: Outline, methods: list[MethodAnswer], *, made: Mapping[str, int], seconds: float, versions: dict[str, str]
) -> dict[str, Any]:
    """The whole answer in plain values: the object of `to_dict()` and `--json`."""
    best = pick(methods)
    notes = [*outline.notes, *_loss_notes(outline)]
    rows = [_method_dict(method, best, made, notes) for method in methods]
    tuned = [method.method for method in methods if method.method.inner is not None]
    return {
        "best": best.method.name if best else None,
        "loss": outline.losses[0].name,
        "losses": [loss.name for loss in outline.losses],
        "task": outline.task,
        "outer": outline.outer.scheme,
        "inner": " / ".join(dict.fromkeys(method.inner.scheme for method in tuned if method.inner)) or None,
        "rows": outline.rows,
        "train_rows": round(mean_train_rows(outline.outer)),
        "seed": outline.seed,
        "level": outline.level,
        "on_failure": outline.on_failure,
        "fits": len(set().union(*(method.keys for method in methods))),
        "fits_made": sum(made.values()),
        "seconds": round(seconds, 3),
        "methods": rows,
        "refit": _refit(best),
        "notes": [{"code": code, "text": text} for code, text in dict.fromkeys(notes)],
        "versions": versions,
        "fingerprint": outline.fingerprint,
    }


def mean_train_rows(splits: Any) -> float:
    return float(np.mean([len(split.train) for split in splits]))


def _method_dict(
    method: MethodAnswer, best: MethodAnswer | None, made: Mapping[str, int], notes: list[Note]
) -> dict[str, Any]:
    estimate = method.estimate()
    is_best = best is method
    difference = None if best is None or is_best or method.status != "ok" else method.difference(best)
    notes += _method_notes(method, estimate)
    numbers: dict[str, Any] = {
        "name": method.method.name,
        "status": method.status,
        "risk": plain_number(estimate.value),
        "low": plain_number(estimate.low),
        "high": plain_number(estimate.high),
        "level": estimate.level,
        "interval": estimate.interval,
        "target": estimate.target,
        "selection_score": plain_number(method.selection_score),
        "selection_train_rows": None
        if method.selection_train_rows is None
        else round(method.selection_train_rows),
        "optimism": plain_number(method.optimism),
        "train_risk": plain_number(method.train_risk),
        "gap": plain_number(method.risk - method.train_risk),
        "difference": 0.0 if is_best else plain_number(difference.value) if difference else None,
        "difference_low": plain_number(difference.low) if difference else None,
        "difference_high": plain_number(difference.high) if difference else None,
        "agreement": plain_number(method.agreement),
        "candidates": len(method.method.candidates) if method.method.kind == "tuned" else None,
        "failed": len(method.failures),
        "fits": len(method.keys),
        "fits_made": made.get(method.method.name, 0),
        "seconds": round(method.seconds, 3),
        "folds": method.folds(),
    }
    if len(method.outline.losses) > 1:
        numbers["losses"] = {
            loss.name: {
                name: value
                for name, value in method.estimate(at).to_dict().items()
                if name in ("value", "low", "high", "interval")
            }
            for at, loss in enumerate(method.outline.losses)
        }
    return numbers


def _method_notes(method: MethodAnswer, estimate: Estimate) -> list[Note]:
    name, notes = method.method.name, list(method.method.notes)
    if method.failures:
        all_fits = len(method.keys)
        notes.append(("failed", f"{name}: {len(method.failures)} of {all_fits} fits failed: {method.failures[0]}"))
    if method.status == "undefined":
        notes.append(("undefined", f"{name}: the loss is undefined on some split, so there is no risk"))
    if method.missing:
        notes.append(("missing", f"{name}: {method.missing} fits are not done yet"))
    for text, count in sorted(method.warnings.items())[:3]:
        notes.append(("warning", f"{name}: {count} fits warned: {text}"))
    if estimate.interval is None and method.status == "ok":
        notes.append(("interval", f"no interval: {estimate.notes[0][1]}"))
    if method.method.kind == "tuned" and method.status == "ok":
        if not method.has_outer_scores:
            notes.append(
                (
                    "optimism",
                    "optimism is not given: the selection scores belong to another training size than the risks; "
                    "optimism=True (--optimism) buys the fits for it",
                )
            )
        if method.method.inner is not None and method.method.inner.final is None:
            notes.append(("final", f"{name}: no inner splits of all rows were given, so there is no final tuning"))
    if not method.outline.has_training_risk:
        notes.append(("training", "training risk is not given: it would take a prediction of all rows by every model"))
    return notes


def _loss_notes(outline: Outline) -> list[Note]:
    return [("loss", loss.words) for loss in outline.losses if not loss.is_per_row and loss.words]


def _refit(best: MethodAnswer | None) -> dict[str, Any] | None:
    if best is None:
        return None
    if best.method.kind == "plain":
        return {"method": best.method.name, "candidate": {}}
    if best.method.inner is None or best.method.inner.final is None:
        return None
    chosen = best.reading.final_choice(best.method).candidate
    return None if chosen is None else {
        "method": best.method.name,
        "candidate": plain_candidate(best.method.candidates[chosen]),
    }
