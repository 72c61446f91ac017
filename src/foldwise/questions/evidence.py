"""Evidence for intervals, gathered from the records of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray
from foldwise.data.dataset import Dataset
from foldwise.errors import BadInterval
from foldwise.losses.loss import Loss
from foldwise.questions.out_of_fold import FoldAnswers
from foldwise.splits.split import Splits
from foldwise.splits.temporal import steps_ahead
from foldwise.stats.chooser import find, refusal
from foldwise.stats.evidence import Evidence
from foldwise.stats.interval_method import IntervalMethod
from foldwise.studies.reading import Reading
from foldwise.studies.study import Method, Study


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
    """The study with another interval, or a user's own one again."""
    notes = tuple(note for note in study.notes if note[0] != "interval")  # that the user's own was not kept
    study = replace(study, interval=find(asked), notes=notes)
    check_interval(study)
    return study


def check_interval(study: Study) -> None:
    """Refuse an interval that can never be valid for this study, before any fit."""
    row = study.interval
    if row is None:
        return
    judge, splits = study.losses[0], len(study.outer)
    pretend = Evidence(
        fold_losses=np.arange(splits, dtype=float),
        row_losses=tuple(_spread(judge, len(split.test)) for split in study.outer) if judge.is_per_row else None,
        scores=tuple(np.zeros(0) for _ in range(splits)) if _is_auc(study, judge) else None,
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
