"""Evidence for intervals, gathered from the records of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.data.dataset import Dataset
from foldwise.errors import BadInterval
from foldwise.estimates.chooser import refusal
from foldwise.estimates.evidence import Evidence
from foldwise.estimates.intervals import IntervalMethod, request_interval, requested
from foldwise.losses.loss import Loss
from foldwise.questions.out_of_fold import FoldAnswers
from foldwise.splits.split import Splits
from foldwise.splits.temporal import steps_ahead
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method, Stage, Study

Judged = tuple[Method, Stage]


def gather(reading: Reading, method: Method, loss: int = 0) -> Evidence:
    """All that an interval of this method's risk may rest on."""
    study, judge = reading.study, reading.study.losses[loss]
    fold_losses = reading.outer_losses(method, loss=loss)
    is_complete = bool(np.isfinite(fold_losses).all())
    rows = scores = None
    if is_complete:
        rows = tuple(_row_losses(reading, method, judge)) if judge.is_per_row else None
        scores = tuple(_scores(reading, method, judge)) if _is_auc(study, judge) else None
    return Evidence(
        fold_losses=fold_losses,
        row_losses=rows,
        scores=scores,
        stand_ins=reading.stand_ins(method),
        **(extra_losses(reading, extra_stages(reading, method)) if loss == 0 and not method.defaults_of else {}),
        **_facts(study, judge),
    )


def evidence_of(
    study: Study, judge: Loss, folds: Sequence[FoldAnswers], stand_ins: int, known: FloatArray | None = None
) -> Evidence | None:
    """The same for any loss, from the out-of-fold answers themselves; None where one that it needs is lacking.

    `known`: the losses of the folds, where they have been worked out already.
    """
    found = [(fold, answer) for fold in folds if (answer := fold.first(judge.needs)) is not None]
    if len(found) < len(folds):
        return None
    fold_losses = known
    if fold_losses is None:
        fold_losses = np.array([judge.fold(fold.target, answer, fold.weights) for fold, answer in found])
    rows = scores = None
    if np.isfinite(fold_losses).all():
        rows = tuple(judge.rows(fold.target, answer) for fold, answer in found) if judge.is_per_row else None
        scores = tuple(_positive(answer) for _, answer in found) if _is_auc(study, judge) else None
    return Evidence(
        fold_losses=fold_losses, row_losses=rows, scores=scores, stand_ins=stand_ins, **_facts(study, judge)
    )


def with_interval(study: Study, asked: str | IntervalMethod) -> Study:
    """The study with another interval, or a user's own one again; refused where it needs fits that were not made."""
    request = request_interval(asked)
    assert request is not None
    if request.extra_splits is not None and request.extra_splits != _extra_splits(study):
        raise BadInterval(
            f"the {request.name} interval needs fits on {request.extra_splits} splits, which this study did not make",
            "Run it again with this interval: the other fits are kept",
        )
    notes = tuple(note for note in study.notes if note[0] != "interval")  # that the user's own was not kept
    study = replace(study, interval=request, notes=notes)
    check_interval(study)
    return study


def _extra_splits(study: Study) -> str | None:
    """The name of a study's extra splits, which may have been requested by a user's own interval."""
    if study.extra is None:
        return None
    return "leave-two-out" if study.outer.is_partition else "halves"


def check_interval(study: Study) -> None:
    """Refuse an interval that can never be valid for this study, before any fit."""
    row = requested(study.interval)
    if row is None:
        return
    judge, splits = study.losses[0], len(study.outer)
    pretend = Evidence(
        fold_losses=np.arange(splits, dtype=float),
        row_losses=tuple(_spread(judge, len(split.test)) for split in study.outer) if judge.is_per_row else None,
        scores=tuple(np.zeros(0) for _ in range(splits)) if _is_auc(study, judge) else None,
        pair_losses=np.zeros(0) if row.extra_splits == "leave-two-out" else None,
        half_scores=np.zeros(0) if row.extra_splits == "halves" else None,
        **_facts(study, judge),
    )
    if reason := refusal(row, pretend):
        raise BadInterval(f"the {row.name} interval is not valid here: {reason}", "Leave interval out for the default")


def _spread(judge: Loss, rows: int) -> FloatArray:
    """Losses that differ, lie in the range of the loss, if it has one, and have no order in time."""
    return np.random.default_rng(0).permutation(np.linspace(*(judge.bounds or (0.0, 1.0)), rows))


def _facts(study: Study, judge: Loss) -> dict[str, Any]:
    outer: Splits = study.outer
    return {
        "test_rows": tuple(split.test for split in outer),
        "train_counts": tuple(split.train_rows for split in outer),
        "kind": outer.kind,
        "is_partition": outer.is_partition,
        "is_stratified": "stratified" in outer.scheme,
        "repeats": outer.repeats,
        "folds": outer.folds,
        "loss": judge,
        "rows": study.rows,
        "weights": study.weights,
        "groups": study.groups,
        "truth": study.target if study.task == "binary" else None,
        "seed": study.seed,
        **({"time": study.time, "steps": steps_ahead(outer, study.time, study.rows)} if outer.is_ordered else {}),
    }


def _is_auc(study: Study, judge: Loss) -> bool:
    return judge.name == "roc_auc" and study.task == "binary"


def _row_losses(reading: Reading, method: Method, judge: Loss) -> list[FloatArray]:
    found = []
    for at, split in enumerate(reading.study.outer):
        answer = reading.outer_response(method, at, judge)
        assert answer is not None
        found.append(judge.rows(reading.study.target[split.test], answer))
    return found


def _scores(reading: Reading, method: Method, judge: Loss) -> list[FloatArray]:
    answers = [reading.outer_response(method, at, judge) for at in range(len(reading.study.outer))]
    return [_positive(answer) for answer in answers if answer is not None]


def _positive(answer: AnyArray) -> FloatArray:
    """The scores of the second of two classes."""
    return np.asarray(answer if np.ndim(answer) == 1 else answer[:, 1])


def extra_stages(reading: Reading, method: Method) -> list[Judged]:
    """The extra splits, each with the method that is judged on it."""
    return [(method, stage) for stage in reading.study.stages(method) if stage.level == "beside"]


def extra_losses(reading: Reading, judged: list[Judged]) -> dict[str, Any]:
    """The losses on extra splits that the requested interval needs."""
    row = requested(reading.study.interval)
    needed = None if row is None else row.extra_splits
    return {
        "pair_losses": _pair_losses(reading, judged) if needed == "leave-two-out" else None,
        "half_scores": _half_scores(reading, judged) if needed == "halves" else None,
    }


def _pair_losses(reading: Reading, judged: list[Judged]) -> FloatArray | None:
    """Loss of each row under the model trained without its fold and another: [repeat, row, other fold]."""
    study = reading.study
    table = np.full((study.outer.repeats, study.rows, study.outer.folds), np.nan)
    fold = np.full((study.outer.repeats, study.rows), -1)
    for split in study.outer:
        fold[split.repeat, split.test] = split.fold
    for method, stage in judged:
        losses = _stage_losses(reading, method, stage)
        if losses is None:
            return None
        own = fold[stage.split.repeat, stage.split.test]
        first, second = np.unique(own)
        table[stage.split.repeat, stage.split.test, np.where(own == first, second, first)] = losses
    return table


def _half_scores(reading: Reading, judged: list[Judged]) -> FloatArray | None:
    """Mean loss inside each half of each cut: [cut, half]."""
    means = np.full((max(stage.split.repeat for _, stage in judged) + 1, len(reading.study.outer)), np.nan)
    for method, stage in judged:
        candidate = reading.stage_candidate(method, stage)
        if candidate is None or not _is_own(reading, method, candidate, stage):
            return None
        means[stage.split.repeat, stage.split.fold] = reading.fold_loss(method, candidate, stage.split)
    return means.mean(axis=1).reshape(-1, 2) if np.isfinite(means).all() else None


def _stage_losses(reading: Reading, method: Method, stage: Stage) -> FloatArray | None:
    judge, candidate = reading.study.losses[0], reading.stage_candidate(method, stage)
    if candidate is None or not judge.is_per_row or not _is_own(reading, method, candidate, stage):
        return None
    rows = stage.split.test
    answer = reading.answer(method, candidate, stage.split, method.response_for(judge, candidate), rows)
    return None if answer is None else reading.row_losses(judge, answer, rows)


def _is_own(reading: Reading, method: Method, candidate: int, stage: Stage) -> bool:
    """Is there a model that did not fail? An interval never uses the baseline as its stand-in."""
    record = reading.record(method, candidate, stage.split)
    return record is not None and record.is_ok


def evidence_of_model(judge: Loss, data: Dataset, answer: Any, groups: Any, seed: int) -> Evidence:
    """What the responses of one fitted model on these rows say of it."""
    codes = data.groups if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    return Evidence(
        fold_losses=np.array([judge.fold(data.target, answer, data.weights)]),
        row_losses=(judge.rows(data.target, answer),) if judge.is_per_row else None,
        test_rows=(np.arange(data.rows),),
        train_counts=(1,),
        kind="holdout",
        is_partition=False,
        repeats=1,
        folds=1,
        loss=judge,
        rows=data.rows,
        weights=data.weights,
        groups=codes,
        truth=data.target if data.task == "binary" else None,
        scores=_positive_scores(judge, data, answer),
        seed=seed,
    )


def _positive_scores(judge: Loss, data: Dataset, answer: Any) -> tuple[Any, ...] | None:
    if judge.name != "roc_auc" or data.task != "binary":
        return None
    return (answer if answer.ndim == 1 else answer[:, 1],)
