"""The usual metrics of a method, from its stored predictions: each with how it is averaged, and an interval if valid.

Means of row losses are averaged as the risk is: over the rows of a fold, then over folds. AUC and average precision
are those of each fold, never of pooled rows, whose scores come from different models. Precision, recall, F1, MCC and
R2 are worked out once, from the counts or sums of all out-of-fold rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.losses.loss import CLASSIFICATION, REGRESSION, Loss, make_losses
from foldwise.questions.evidence import evidence_of
from foldwise.questions.metrics import auc
from foldwise.questions.out_of_fold import FoldAnswers
from foldwise.stats.chooser import work_out
from foldwise.stats.class_counts import average_precision, by_class, class_counts, matthews
from foldwise.studies.study import Study

if TYPE_CHECKING:
    from foldwise.questions.method import MethodAnswer

ROWS = "mean of row losses, as the risk is"
ROOT = "root of the mean squared loss"
FOLDS = "mean over folds, never pooled"
COUNTS, SUMS, POOLED = "from pooled counts", "from pooled sums", "of all rows pooled"
NO_INTERVAL = "no interval here is valid for a metric of pooled rows"
RANKING = ("decision_function", "predict_proba")
LOSSES = {"accuracy": "zero_one", "balanced_accuracy": "balanced_zero_one", "log_loss": "log", "brier": "brier"}
UNKEPT = "no probabilities or decision values of it were kept; 'roc_auc' among the losses keeps what it has"
BY_CLASS = ("precision", "recall", "f1")
SHARES = "it changes with the shares of the classes, which stratified folds hold fixed, so no interval is valid"
Pooled = tuple[AnyArray, AnyArray, FloatArray | None]


@dataclass(frozen=True)
class Metric:
    """One metric of one method; NaN or None where it cannot be given, and then `note` says why.

    >>> Metric("rmse", 3.2, 2.9, 3.4, averaged=ROOT)
    Metric(rmse 3.2)
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    interval: str | None = None
    averaged: str = ROWS
    is_better_high: bool = False
    of: Any = None  # the class that it is about
    note: str = ""
    loss: float = math.nan  # what it is 1 less

    def __repr__(self) -> str:
        about = "" if self.of is None else f" of {self.of}"
        return f"Metric({self.name}{about} {self.value:.4g})"


def usual_metrics(answer: MethodAnswer) -> list[Metric]:
    """All usual metrics of a method; those that it cannot have are NaN with a note."""
    folds = [answer.out_of_fold(at) for at in range(len(answer.study.outer))]
    make = _of_numbers if answer.study.task == "regression" else _of_classes
    return list(make(answer, folds))


def _of_numbers(answer: MethodAnswer, folds: list[FoldAnswers]) -> Iterator[Metric]:
    squared, absolute = make_losses(["squared", "absolute"], facts_of(answer.study))
    yield _root(replace(_mean(answer, folds, squared), name="rmse", averaged=ROOT))
    yield replace(_mean(answer, folds, absolute), name="mae")
    if zeros := int((answer.study.target == 0).sum()):
        yield Metric("mape", math.nan, note=f"the target is 0 in {zeros} of {answer.study.rows} rows")
    else:
        yield _mean(answer, folds, Loss("mape", _percentage_rows, REGRESSION, spec="mape"))
    rows = pooled(folds)
    lacking = "" if rows else _why_none(answer, folds)
    median, r2 = (_median_error(*rows), _r2(*rows)) if rows else (math.nan, math.nan)
    yield _of_all("median_absolute_error", median, lacking, averaged=POOLED, is_better_high=False)
    yield _of_all("r2", r2, lacking, averaged=SUMS)


def _of_classes(answer: MethodAnswer, folds: list[FoldAnswers]) -> Iterator[Metric]:
    judges = make_losses(list(LOSSES.values()), facts_of(answer.study))
    for name, judge in zip(LOSSES, judges, strict=True):
        found = replace(_mean(answer, folds, judge), name=name)
        yield _one_less(found) if name.endswith("accuracy") else found
    for name, measure in (("auc", auc), ("average_precision", average_precision)):
        yield _ranked(name, answer, folds, measure)
    rows = pooled(folds)
    yield from _of_counts(answer.study, rows, "" if rows else _why_none(answer, folds))


def _of_counts(study: Study, rows: Pooled | None, lacking: str) -> Iterator[Metric]:
    """What the counts of true and predicted classes say: of all classes, then of each."""
    counts = class_counts(rows[0], rows[1], len(study.classes), rows[2]) if rows else None
    found = None if counts is None else by_class(counts)
    yield _of_all("mcc", math.nan if counts is None else matthews(counts), lacking)
    for name in BY_CLASS:
        values = None if found is None else getattr(found, name)
        for kind in ("macro", "weighted"):
            mean = math.nan if found is None else found.mean(getattr(found, name), weighted=kind == "weighted")
            yield _of_all(f"{name}_{kind}", mean, lacking)
        for code, label in enumerate(study.classes):
            yield replace(_of_all(name, math.nan if values is None else float(values[code]), lacking), of=label)


def facts_of(study: Study) -> Any:
    """What losses must know of the data."""
    facts = SimpleNamespace(task=study.task, classes=study.classes, codes=study.target, target=study.target)
    facts.rows, facts.weights = study.rows, study.weights
    return facts


def _mean(answer: MethodAnswer, folds: Sequence[FoldAnswers], judge: Loss, known: FloatArray | None = None) -> Metric:
    """The mean loss over folds, with the interval that the risk would have under it."""
    evidence = evidence_of(answer.study, judge, folds, answer.stand_ins, known)
    if evidence is None:
        return Metric(judge.name, math.nan, note=_why_none(answer, folds))
    value = float(evidence.fold_losses.mean())
    if not math.isfinite(value):
        return Metric(judge.name, math.nan, note="it is undefined in some fold")
    if judge.spec == answer.study.losses[0].spec:  # the risk itself, perhaps with an interval that was asked for
        risk = answer.estimate()
        return Metric(judge.name, value, risk.low, risk.high, risk.interval, note=_reason(risk.interval, risk.notes))
    row, reason, found = work_out(evidence, None, answer.study.level)
    if row is None or found is None:
        return Metric(judge.name, value, note=reason)
    notes = "; ".join(text for _, text in found.notes)
    return Metric(judge.name, value, found.low, found.high, row.name, note=notes)


def _reason(interval: str | None, notes: Sequence[tuple[str, str]]) -> str:
    """Why an estimate has no interval."""
    return "" if interval is not None else next((text for code, text in notes if code == "interval"), "")


def _ranked(name: str, answer: MethodAnswer, folds: Sequence[FoldAnswers], measure: Callable[..., float]) -> Metric:
    """A measure of the order of rows: of each fold, as rows of different models have no common order."""
    blank = Metric(name, math.nan, averaged=FOLDS, is_better_high=True)
    if all(fold.responses for fold in folds) and any(fold.first(RANKING) is None for fold in folds):
        return replace(blank, note=UNKEPT)
    if any(len(np.unique(fold.target)) < len(answer.study.classes) for fold in folds):
        return replace(blank, note="some fold lacks a class, and folds are never pooled")
    if any(not fold.responses for fold in folds):
        return replace(blank, note=_why_none(answer, folds))
    count, spec = len(answer.study.classes), _scorer_name(name, answer.study)
    values = np.array([_ranked_fold(measure, count, fold) for fold in folds])
    judge = Loss(spec, measure, CLASSIFICATION, RANKING, is_per_row=False, spec=spec)
    found = replace(_one_less(_mean(answer, folds, judge, 1 - values)), value=float(values.mean()))
    if name == "average_precision" and "stratified" in answer.study.outer.scheme and found.interval is not None:
        found = replace(found, low=None, high=None, interval=None, note=SHARES)
    return replace(found, name=name, averaged=FOLDS)


def _scorer_name(name: str, study: Study) -> str:
    """The name of the loss that is 1 less this metric."""
    if name == "auc":
        return "roc_auc" if study.task == "binary" else "roc_auc_ovr"
    return name


def _ranked_fold(measure: Callable[..., float], classes: int, fold: FoldAnswers) -> float:
    """The measure of the last of two classes, or its mean over classes, each against the rest."""
    answer: Any = fold.first(RANKING)
    if classes == 2:
        return measure(fold.target == 1, answer if answer.ndim == 1 else answer[:, 1], fold.weights)
    return float(np.mean([measure(fold.target == code, answer[:, code], fold.weights) for code in range(classes)]))


def pooled(folds: Sequence[FoldAnswers]) -> Pooled | None:
    """Targets, predictions and weights of all out-of-fold rows; None where some have no prediction."""
    known = [fold.responses["predict"] for fold in folds if "predict" in fold.responses]
    if not known or len(known) < len(folds):
        return None
    weights = [fold.weights for fold in folds if fold.weights is not None]
    truth = np.concatenate([fold.target for fold in folds])
    return truth, np.concatenate(known), np.concatenate(weights) if weights else None


def _of_all(name: str, value: float, lacking: str, *, averaged: str = COUNTS, is_better_high: bool = True) -> Metric:
    """A metric of all out-of-fold rows at once."""
    note = lacking or (NO_INTERVAL if math.isfinite(value) else "it is undefined here")
    return Metric(name, value, averaged=averaged, is_better_high=is_better_high, note=note)


def _why_none(answer: MethodAnswer, folds: Sequence[FoldAnswers]) -> str:
    """Why a response is lacking: the learner has none, or fits did."""
    if all("predict" in fold.responses for fold in folds):
        return "it gives no probabilities"
    return {"failed": "fits of it failed", "undefined": "no candidate could be chosen"}.get(
        answer.status, "its fits are not finished"
    )


def _root(mean: Metric) -> Metric:
    """The root of a mean squared loss, with the roots of its ends."""
    ends = [None if end is None else math.sqrt(max(end, 0.0)) for end in (mean.low, mean.high)]
    return replace(mean, value=math.sqrt(mean.value), low=ends[0], high=ends[1])


def _one_less(loss: Metric) -> Metric:
    """1 less a loss, with its ends the other way round."""
    low, high = (None if end is None else 1 - end for end in (loss.high, loss.low))
    return replace(loss, value=1 - loss.value, low=low, high=high, is_better_high=True, loss=loss.value)


def _percentage_rows(target: FloatArray, prediction: FloatArray) -> FloatArray:
    return np.abs((target - prediction) / target)


def _median_error(truth: AnyArray, said: AnyArray, weights: FloatArray | None) -> float:
    """The median absolute error; of weighted rows the middle of the two that share the weight in halves."""
    errors = np.abs(truth - said)
    if weights is None:
        return float(np.median(errors))
    order = np.argsort(errors, kind="stable")
    order = order[weights[order] > 0]
    if not order.size:
        return math.nan
    below, half = np.cumsum(weights[order]), float(weights.sum()) / 2
    first = int(np.searchsorted(below, half))
    second = first + 1 if below[first] == half and first + 1 < len(order) else first
    return float(errors[order[first]] + errors[order[second]]) / 2


def _r2(truth: AnyArray, said: AnyArray, weights: FloatArray | None) -> float:
    weights = np.ones(len(truth)) if weights is None else weights
    if not weights.sum() > 0:
        return math.nan
    spread = float(weights @ (truth - np.average(truth, weights=weights)) ** 2)
    return 1 - float(weights @ (truth - said) ** 2) / spread if spread > 0 else math.nan
