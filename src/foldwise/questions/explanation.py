"""What each number of an answer means, which interval it has, and why that is valid here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foldwise.blocks.numbers import other_notes, task_words, training_rows_words
from foldwise.questions import winner
from foldwise.questions.auto import make_auto
from foldwise.questions.decision import MEASURED_DECISIONS
from foldwise.questions.failures import policy_words
from foldwise.questions.method import MethodAnswer
from foldwise.stats.chooser import INTERVALS
from foldwise.studies.study import Study


def explain(study: Study, answer: Mapping[str, Any], methods: list[MethodAnswer]) -> str:
    """The explanation as text, a sentence on each line."""
    lines = [
        f"The study: {study.rows} rows, {task_words(answer)}, outer splits: {study.outer.scheme}, "
        f"inner splits: {answer['inner'] or 'none'}, loss: {_loss_words(study)}.",
        "Risk: the mean over outer splits of the mean loss on their test rows, lower is better.",
        "Selection score: the smallest mean loss over the splits that tuned; it never ranks methods. It chose the "
        "candidate, so for its own training size it is too good on average; where that is smaller than the risk's, the "
        "score may also be the larger one.",
        *filter(None, [training_rows_words(answer)]),
        "Optimism: risk less the smallest selection score at the same training size.",
        "Gap: risk less the mean loss on the training rows.",
        f"Failed fits: {policy_words(answer)}.",
    ]
    if study.task != "regression":
        lines.append(
            "Brier, balanced error, AUC: further means over outer splits of the same fits. Brier needs probabilities, "
            "the AUC probabilities or a decision function; it is that within each split."
        )
    if not answer["finished"]:
        lines.append("The study is not finished: a method has a risk only when all its outer folds are done.")
    auto = make_auto(methods)
    every = [*methods, *([auto] if auto else [])]
    lines += [*map(_method_line, every), *_tuning_lines(methods), *_coverage_lines(study, every)]
    lines += [*_winner_lines(answer), *_decision_lines(answer)]
    lines.append("No number here is the risk of the delivered model, which is fitted on all rows.")
    return "\n".join([*lines, *(f"Note: {note['text']}." for note in other_notes(answer))])


def _loss_words(study: Study) -> str:
    loss = study.losses[0]
    return loss.name if loss.score is None else f"{loss.name} ({loss.label})"


def _method_line(method: MethodAnswer) -> str:
    estimate = method.estimate()
    why = estimate.notes[0][1]
    if method.status != "ok":
        return f"{method.method.name}: no risk ({method.status}): {why}."
    return f"{method.method.name}: {estimate}. {'Interval' if estimate.interval else 'No interval'}: {why}."


def _tuning_lines(methods: Sequence[MethodAnswer]) -> list[str]:
    """What tuning gained, of each method whose default parameters were judged too."""
    gains = [gain for method in methods if (gain := method.tuning_gain) is not None]
    if gains:
        return ["What tuning gained, by intervals that hold for all tuned methods at once:", *map(str, gains)]
    if any(method.method.inner is not None and not method.method.combines for method in methods):
        return ["Whether tuning helped is not said: defaults=True (--defaults) adds the fits that tell."]
    return []


def _winner_lines(answer: Mapping[str, Any]) -> list[str]:
    """What the interval of the best of several is, where it has a law of its own."""
    found = answer["winner"] or {}
    if found.get("level_shared") != "winner" or found["low_simultaneous"] is None:
        return []
    return [
        f"The interval for the best of {found['among']} is the {winner.NAME}: {winner.TARGET}; {winner.ASSUMES}.",
        f"Measured coverage of the {winner.NAME} at 95%: {winner.COVERAGE}.",
    ]


def _decision_lines(answer: Mapping[str, Any]) -> list[str]:
    """What the probability to be the best and the regret are, where the study has them."""
    rivals = [method for method in answer["methods"] if method["p_best"] is not None]
    if len(rivals) < 2:
        return []
    return [
        "Probability to be the best, expected regret (risk less that of the best method): from one law of all risks "
        "that agrees with the interval of every difference, under a flat prior. It is too sure of one method where "
        f"several are equally good. Measured: {MEASURED_DECISIONS[answer['decision']['about']]}."
    ]


def _coverage_lines(study: Study, methods: Sequence[MethodAnswer]) -> list[str]:
    """The measured coverage of every interval that is shown, once."""
    shown = {
        (name, method.evidence.scheme): None
        for method in methods
        if method.status == "ok" and (name := method.estimate().interval)
    }
    rows = INTERVALS if study.interval is None else {**INTERVALS, study.interval.name: study.interval}
    return [_coverage_line(name, scheme, rows[name].measured(scheme)) for name, scheme in shown]


def _coverage_line(name: str, scheme: str, measured: str) -> str:
    return f"Measured coverage of the {name} interval ({scheme}) at 95%: {measured}."
