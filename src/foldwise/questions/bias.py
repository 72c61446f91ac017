"""Scores corrected for selection bias, over candidates and over methods; no fit is made."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.questions.method import MethodAnswer
from foldwise.questions.value import Value
from foldwise.stats.bbc import Bbc, UnitLosses, bbc_of_units, tibshirani, units_of

REPEATS = 1000
CORRECTIONS = ("bbc", "low", "high", "tibshirani")


@dataclass(frozen=True)
class Corrected(Value):
    """A selection score without its bias: by BBC-CV with its interval, and by Tibshirani and Tibshirani."""

    bbc: float
    low: float
    high: float
    tibshirani: float | None


def corrections(methods: list[MethodAnswer], among: list[MethodAnswer]) -> tuple[dict[str, Corrected], Bbc | None]:
    """Each tuned method's smallest final-tuning score, and the smallest outer risk of some, without selection bias.

    All of them are bootstrapped over the same draws of rows, or of whole groups.
    """
    study = methods[0].study
    able = {method.method.name: method for method in methods if no_correction(method) is None}
    winner = _winner_table(among)
    if not able and winner is None:
        return {}, None
    units = units_of(study.rows, seed=study.seed, groups=study.groups)
    losses = [units.losses(_columns(method), len(method.method.candidates)) for method in able.values()]
    losses += [] if winner is None else [UnitLosses(units.table(winner), winner.mean(axis=0))]
    found = bbc_of_units(losses, units, repeats=REPEATS, seed=study.seed, level=study.level)
    pairs = zip(able.items(), found[: len(able)], strict=True)
    selection = {name: Corrected(one.value, one.low, one.high, _tibshirani(method)) for (name, method), one in pairs}
    return selection, None if winner is None else found[-1]


def _winner_table(methods: list[MethodAnswer]) -> FloatArray | None:
    """Outer losses[row, method], averaged over repeats; None where not every row has one of every method."""
    able = [method for method in methods if method.evidence.row_losses is not None]
    if len(able) < 2 or methods[0].study.weights is not None or not _covers_all_rows(able[0]):
        return None
    if any(method.stand_ins for method in able):  # a bootstrap of rows does not show how often fits fail
        return None
    able.sort(key=lambda method: method.method.name)  # ties in a draw go to the first, which the user's order is not
    return np.stack([method.evidence.by_row.mean(axis=0) for method in able], axis=1)


def selection_table(method: MethodAnswer) -> FloatArray:
    """Out-of-fold losses[row, candidate] of the final tuning, averaged where a row was held out more than once."""
    columns = _columns(method)
    table = np.empty((len(method.method.candidates), method.study.rows))  # one table, also of many rows
    for into, losses in zip(table, columns, strict=True):
        into[:] = losses
    return table.T


def _columns(method: MethodAnswer) -> Iterator[FloatArray]:
    """The same, one candidate after the other: of very many rows the table would be many times the data."""
    study, own = method.study, method.method
    assert own.inner is not None
    judge, splits = study.losses[0], own.inner.final or ()
    targets, times = [study.target[split.test] for split in splits], np.zeros(study.rows)
    for split in splits:
        times[split.test] += 1
    is_once = (times == 1).all()
    for candidate in range(len(own.candidates)):
        losses = np.zeros(study.rows)
        for split, target in zip(splits, targets, strict=True):
            record = method.reading.record(own, candidate, split)
            assert record is not None
            response = own.response_for(judge, candidate)
            losses[split.test] += judge.rows(target, record.response(response, split.test))
        yield losses if is_once else losses / np.where(times > 0, times, np.nan)


def no_correction(method: MethodAnswer) -> str | None:
    """Why the selection score is not corrected: that needs losses of every candidate on every row, without weights."""
    own, study = method.method, method.study
    if own.inner is None or not own.inner.final:
        return "there is no final tuning"
    if study.weights is not None:
        return "no correction allows for weights of rows"
    if not own.tuner.is_listed or not own.tuner.is_exhaustive:
        return "its candidates were found or dropped by looking at these very rows"
    if len(own.candidates) < 2:
        return "there is one candidate, so nothing was chosen"
    if not study.losses[0].is_per_row:
        return f"{study.losses[0].name} has no loss per row"
    if len(own.inner.final.rows) < study.rows:
        return "the final tuning does not hold out every row"
    choice = method.reading.final_choice(own)
    if choice.failed or not math.isfinite(method.selection_score) or not np.isfinite(choice.scores).all():
        return "some candidate has no score"
    return None


def _tibshirani(method: MethodAnswer) -> float | None:
    scores = method.reading.final_choice(method.method).scores
    return None if scores.shape[1] < 2 else float(tibshirani(scores.T).value)


def _covers_all_rows(method: MethodAnswer) -> bool:
    evidence = method.evidence
    return evidence.scheme == "folds" and bool(np.isfinite(evidence.by_row).all())
