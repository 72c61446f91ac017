"""What each number of an answer means, which interval it has, and why that is valid here."""

from __future__ import annotations

from collections.abc import Iterator

from foldwise.blocks.block import Block, Chapter, Facts, Sentence
from foldwise.blocks.numbers import plain
from foldwise.questions import winner
from foldwise.questions.answer import Answer
from foldwise.questions.decision import MEASURED_DECISIONS
from foldwise.questions.fine_print import MEANINGS, study_facts
from foldwise.questions.method import MethodAnswer
from foldwise.stats.chooser import INTERVALS


def explanation(answer: Answer) -> tuple[Block, ...]:
    """The explanation of an answer, in chapters."""
    numbers: list[Block] = [Facts(MEANINGS), *map(Sentence, _tuning_gains(answer))]
    chapters = (
        Chapter("The study", (study_facts(answer),)),
        Chapter("The numbers", tuple(numbers)),
        Chapter("The intervals", tuple(map(Sentence, (*_intervals(answer), *_coverage(answer), *_winner(answer))))),
        Chapter("Which one to take", tuple(map(Sentence, _decision(answer)))),
        Chapter("Notes", tuple(Sentence(f"{plain(text)}.", "note") for _, text in answer.notes)),
    )
    return tuple(chapter for chapter in chapters if chapter.blocks)


def _intervals(answer: Answer) -> Iterator[str]:
    for method in answer.every:
        yield _interval(method)
    yield "No number here is the error of the delivered model, which is fitted on all rows."


def _interval(method: MethodAnswer) -> str:
    estimate, name = method.estimate(), plain(method.method.name)
    why = plain(estimate.notes[0][1])
    if method.status != "ok":
        return f"{name}: no risk ({method.status}): {why}."
    return f"{name}: {estimate}. {'Interval' if estimate.interval else 'No interval'}: {why}."


def _tuning_gains(answer: Answer) -> list[str]:
    """What tuning gained, of each method whose default parameters were judged too."""
    gains = [gain for method in answer.methods if (gain := method.tuning_gain) is not None]
    if gains:
        return ["What tuning gained, by intervals that hold for all tuned methods at once:", *map(str, gains)]
    if any(method.method.inner is not None for method in answer.methods):
        return ["Whether tuning helped is not said: defaults=True (--defaults) adds the fits that tell."]
    return []


def _coverage(answer: Answer) -> Iterator[str]:
    """The measured coverage of every interval that is shown, once."""
    shown = {
        (name, method.evidence.scheme): None
        for method in answer.every
        if method.status == "ok" and (name := method.estimate().interval)
    }
    own = answer.study.interval
    rows = INTERVALS if own is None else {**INTERVALS, own.name: own}
    for name, scheme in shown:
        yield f"Measured coverage of the {name} interval ({scheme}) at 95%: {rows[name].measured(scheme)}."


def _winner(answer: Answer) -> Iterator[str]:
    """What the interval of the best of several is, where it has a law of its own."""
    value = answer.winner
    if value is not None and value.level_shared == "winner" and value.low_simultaneous is not None:
        yield f"The interval for the best of {value.among} is the {winner.NAME}: {winner.TARGET}; {winner.ASSUMES}."
        yield f"Measured coverage of the {winner.NAME} at 95%: {winner.COVERAGE}."


def _decision(answer: Answer) -> Iterator[str]:
    """What the probability to be the best and the regret are, where the study has them."""
    if len(answer.decided.stakes) > 1:
        measured = MEASURED_DECISIONS[answer.decided.decision.about]
        yield (
            "The probability to be the best and the expected regret come from one law of all risks that agrees with "
            "the interval of every difference, under a flat prior. It is too sure of one method where several are "
            f"equally good. Measured: {measured}."
        )
