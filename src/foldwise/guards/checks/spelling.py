"""Values that are written in a way that changes what they mean: numbers as text, one word spelt in two ways."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from foldwise.data.features import Feature
from foldwise.data.task import MOST_WORDS, is_written_number
from foldwise.guards.codes.columns import NUMBERS_AS_TEXT, TWO_SPELLINGS
from foldwise.guards.subject import Subject
from foldwise.studies.finding import Finding

LEAST_NUMBERS = 10  # distinct ones; fewer may be codes
MOST_CATEGORIES = 50  # beyond, it is text that people typed


def numbers_as_text(subject: Subject) -> Iterator[Finding]:
    """Numbers with a word like "n/a" among them, or with commas: each would be a category of its own."""
    for one in subject.columns:
        if (words := words_among_numbers(one)) is not None:
            cause = f"but for {', '.join(map(repr, words[:3]))}" if words else "written with commas"
            yield NUMBERS_AS_TEXT.found(
                f"{one.name!r} holds numbers {cause}, and is taken as text, each number as a category",
                columns=[one.name],
                advice="Make them numbers, and leave cells empty that have none",
            )


def words_among_numbers(feature: Feature) -> list[str] | None:
    """The labels of a column of written numbers that are none; None where it is no such column."""
    if feature.is_number or not all(isinstance(label, str) for label in feature.labels):
        return None
    words = [label for label in feature.labels if not is_written_number(label)]
    if len(feature.labels) - len(words) < LEAST_NUMBERS or len(words) > MOST_WORDS * len(feature.labels):
        return None
    return words if words or any("," in label for label in feature.labels) else None


def two_spellings(subject: Subject) -> Iterator[Finding]:
    """Classes or categories that differ by spaces or by upper and lower case alone."""
    named = [("the target", subject.data.classes)]
    named += [(repr(one.name), one.labels) for one in subject.columns if len(one.labels) <= MOST_CATEGORIES]
    for where, labels in named:
        if pair := _alike(labels):
            yield TWO_SPELLINGS.found(
                f"{where} has {pair[0]!r} and {pair[1]!r}, which differ by spaces or case alone and count as two",
                columns=[] if where == "the target" else [where[1:-1]],
                advice="Write them alike if they are one",
            )


def _alike(labels: Sequence[Any]) -> tuple[str, str] | None:
    known: dict[str, str] = {}
    for label in labels:
        if isinstance(label, str):
            other = known.setdefault(" ".join(label.casefold().split()), label)
            if other != label:
                return other, label
    return None
