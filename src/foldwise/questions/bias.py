"""What picking does to a score, and the score without it: over candidates, and over methods. No fit is made."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.estimates.estimate import plain_number
from foldwise.formulas.bias import Bbc, bbc_of_many, tibshirani
from foldwise.questions.method import MethodAnswer

REPEATS = 1000


@dataclass(frozen=True)
class Corrected:
    """A selection score without its bias: by BBC-CV with its interval, and by Tibshirani and Tibshirani."""

    bbc: float
    low: float
    high: float
    tibshirani: float | None

    def to_dict(self) -> dict[str, Any]:
        names = ("bbc", "low", "high", "tibshirani")
        return {name: plain_number(getattr(self, name)) for name in names}


def corrected_selection(methods: list[MethodAnswer]) -> dict[str, Corrected]:
    """What the smallest final-tuning score of each tuned method is without having been picked for being small."""
    able = {method.method.name: method for method in methods if _has_selection_table(method)}
    if not able:
        return {}
    outline = methods[0].outline
    tables = [selection_table(method) for method in able.values()]
    found = bbc_of_many(tables, repeats=REPEATS, seed=outline.seed, level=outline.level, groups=outline.groups)
    pairs = zip(able.items(), found, strict=True)
    return {name: Corrected(one.value, one.low, one.high, _tibshirani(method)) for (name, method), one in pairs}


def corrected_winner(methods: list[MethodAnswer]) -> Bbc | None:
    """The risk of picking the method with the smallest outer risk, bootstrapped over rows."""
    able = [method for method in methods if method.status == "ok" and method.evidence.row_losses is not None]
    outline = methods[0].outline
    if len(able) < 2 or outline.weights is not None or not _covers_all_rows(able[0]):
        return None
    table = np.stack([np.nanmean(method.evidence.by_row, axis=0) for method in able], axis=1)
    groups = outline.groups
    return bbc_of_many([table], repeats=REPEATS, seed=outline.seed, level=outline.level, groups=groups)[0]


def selection_table(method: MethodAnswer) -> FloatArray:
    """Out-of-fold losses[row, candidate] of the final tuning, averaged where a row was held out more than once."""
    outline, reading, own = method.outline, method.reading, method.method
    assert own.inner is not None
    judge = outline.losses[0]
    response = own.response_for(judge)
    table = np.zeros((outline.rows, len(own.candidates)))
    times = np.zeros(outline.rows)
    for split in own.inner.final or ():
        times[split.test] += 1
        for candidate in range(len(own.candidates)):
            record = reading.record(own, candidate, split)
            assert record is not None
            losses = judge.rows(outline.target[split.test], record.response(response, split.test))
            table[split.test, candidate] += losses
    return np.divide(table, times[:, None], out=np.full_like(table, np.nan), where=times[:, None] > 0)


def _has_selection_table(method: MethodAnswer) -> bool:
    """Per-row losses of every candidate on every row: folds or lines of all rows, none failed, no weights."""
    own, outline = method.method, method.outline
    if own.kind != "tuned" or own.inner is None or not own.inner.final or outline.weights is not None:
        return False
    held = np.unique(np.concatenate([split.test for split in own.inner.final]))
    is_scored = math.isfinite(method.selection_score) and len(held) == outline.rows
    choice = method.reading.final_choice(own)
    return is_scored and outline.losses[0].is_per_row and not choice.failed and len(own.candidates) > 1


def _tibshirani(method: MethodAnswer) -> float | None:
    scores = method.reading.final_choice(method.method).scores
    return None if scores.shape[1] < 2 else float(tibshirani(scores.T).value)


def _covers_all_rows(method: MethodAnswer) -> bool:
    evidence = method.evidence
    return evidence.scheme == "folds" and bool(np.isfinite(evidence.by_row).all())
