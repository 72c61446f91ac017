"""What each number of an answer means, which interval it has, and why that is valid here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foldwise.answers.auto import make_auto
from foldwise.answers.failures import policy_words
from foldwise.answers.method import MethodAnswer
from foldwise.estimates.intervals import row_named
from foldwise.studies.study import Study


def explain(study: Study, answer: Mapping[str, Any], methods: list[MethodAnswer]) -> str:
    """The explanation as text, a sentence on each line."""
    lines = [
        f"The study: {study.rows} rows, {study.task}, outer splits: {study.outer.scheme}, "
        f"inner splits: {answer['inner'] or 'none'}, loss: {study.losses[0].name}.",
        "Risk: the mean over outer splits of the mean loss on their test rows, lower is better.",
        "Selection score: the smallest mean loss over the splits that tuned; it is optimistic, and it never "
        "ranks methods.",
        "Optimism: risk less the smallest selection score at the same training size.",
        "Gap: risk less the mean loss on the training rows.",
        f"Failed fits: {policy_words(answer)}.",
    ]
    if not answer["finished"]:
        lines.append("The study is not finished: a method has a risk only when all its outer folds are done.")
    auto = make_auto(methods)
    every = [*methods, *([auto] if auto else [])]
    lines += [*map(_method_line, every), *_coverage_lines(study, every)]
    lines.append("No number here is the risk of the delivered model, which is fitted on all rows.")
    return "\n".join([*lines, *(f"Note: {note['text']}." for note in answer["notes"])])


def _method_line(method: MethodAnswer) -> str:
    estimate = method.estimate()
    why = estimate.notes[0][1]
    if method.status != "ok":
        return f"{method.method.name}: no risk ({method.status}): {why}."
    return f"{method.method.name}: {estimate}. {'Interval' if estimate.interval else 'No interval'}: {why}."


def _coverage_lines(study: Study, methods: Sequence[MethodAnswer]) -> list[str]:
    """The measured coverage of every interval that is shown, once."""
    shown = {
        (name, method.evidence.scheme): None
        for method in methods
        if method.status == "ok" and (name := method.estimate().interval)
    }
    return [
        f"Measured coverage of the {name} interval ({scheme}) at 95%: "
        f"{row_named(name, study.interval).measured(scheme)}."
        for name, scheme in shown
    ]
