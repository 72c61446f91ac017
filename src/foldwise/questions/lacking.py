"""What a store lacks to answer a study under a loss that it was not run with."""

from __future__ import annotations

import math

from foldwise.losses.loss import Loss
from foldwise.questions.contest import asked_for
from foldwise.questions.method import MethodAnswer
from foldwise.records.record import Record

_WORDS = {"predict_proba": "probabilities", "decision_function": "decision values", "predict": "predictions"}


def lacking_words(methods: list[MethodAnswer], at: int = 0) -> str:
    """Which methods cannot be judged by one of the losses, and how many fits each of them lacks; empty if all can."""
    judge, found = methods[0].study.losses[at], []
    for method in asked_for(methods):
        if method.status == "failed" or _has_risk(method, at):
            continue
        if not _may_answer(method, judge):
            found.append(f"{method.method.name} (gives no {_WORDS[judge.needs[0]]}, so no fit can help)")
        elif count := _lacks(method, judge, at):
            found.append(f"{method.method.name} ({count} of {method.planned} fits)")
    return f"the loss {judge.name!r} needs fits that the store lacks: {', '.join(found)}" if found else ""


def _has_risk(method: MethodAnswer, at: int) -> bool:
    if at == 0:
        return method.status == "ok" and method.is_judged
    return math.isfinite(method.estimate(at).value)


def _may_answer(method: MethodAnswer, judge: Loss) -> bool:
    """Does some candidate give a response that the loss can judge?"""
    return any(need in offered for offered in method.method.responses for need in judge.needs)


def _lacks(method: MethodAnswer, judge: Loss, at: int) -> int:
    """Fits that were not made, or did not keep the response that the loss needs; of a further loss those judged."""
    one = method.method
    wanted = {one.response_for(judge, candidate) for candidate in range(len(one.candidates))}
    if at == 0:
        return method.planned - sum(_answers(method.reading.store.get(key), wanted) for key in method.keys)
    chosen = [(method.reading.outer_candidate(one, fold), split) for fold, split in enumerate(method.study.outer)]
    made = [method.reading.record(one, candidate, split) for candidate, split in chosen if candidate is not None]
    return len(chosen) - sum(_answers(record, wanted) for record in made)


def _answers(record: Record | None, wanted: set[str]) -> bool:
    return record is not None and (not record.is_ok or bool(wanted & set(record.responses)))
