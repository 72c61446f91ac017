"""Columns that say nothing, or whose text is taken for categories."""

from __future__ import annotations

from collections.abc import Iterator

from foldwise.data.task import MOST_WORDS, is_written_number
from foldwise.guards.checks.identifiers import WORDS, quoted, words_in
from foldwise.guards.codes.columns import ALL_MISSING, CONSTANT, FREE_TEXT, NUMBERS_AS_TEXT
from foldwise.guards.subject import Subject
from foldwise.studies.finding import Finding

LEAST_DISTINCT = 0.5  # of the rows have another text
LEAST_NUMBERS = 10  # distinct ones; fewer may be codes


def constant_columns(subject: Subject) -> Iterator[Finding]:
    """Columns with one value in every row."""
    names = [one.name for one in subject.columns if one.distinct == 1 and not one.missing.any()]
    if names:
        yield CONSTANT.found(
            f"{quoted(names)} {'have' if len(names) > 1 else 'has'} one value in every row",
            columns=names,
            advice="Leave such columns out",
        )


def empty_columns(subject: Subject) -> Iterator[Finding]:
    """Columns without any value."""
    names = [one.name for one in subject.columns if one.missing.all()]
    if names:
        yield ALL_MISSING.found(
            f"{quoted(names)} {'have' if len(names) > 1 else 'has'} no value in any row",
            columns=names,
            advice="Leave such columns out, or look how they were read",
        )


def free_text(subject: Subject) -> Iterator[Finding]:
    """Sentences, each of which would be a category of its own."""
    if subject.data.is_series:
        return
    names = [
        one.name
        for one in subject.columns
        if not one.is_number and one.distinct >= LEAST_DISTINCT * subject.data.rows and words_in(one) > WORDS
    ]
    if names:
        yield FREE_TEXT.found(
            f"{names[0]!r} holds free text, of which every sentence is taken as a category",
            columns=names,
            advice="Leave it out, or turn it into numbers with a vectorizer in a pipeline",
        )


def numbers_as_text(subject: Subject) -> Iterator[Finding]:
    """Numbers with a word like "n/a" among them, or with decimal commas: each would be a category of its own."""
    for one in subject.columns:
        if one.is_number or not all(isinstance(label, str) for label in one.labels):
            continue
        words = [label for label in one.labels if not is_written_number(label)]
        has_commas = not words and any("," in label for label in one.labels)
        if len(one.labels) - len(words) < LEAST_NUMBERS or not (has_commas or words):
            continue
        if len(words) <= MOST_WORDS * len(one.labels):
            cause = f"but for {quoted(words)}" if words else "with a comma before the decimals"
            yield NUMBERS_AS_TEXT.found(
                f"{one.name!r} holds numbers {cause}, and is taken as text, each number as a category",
                columns=[one.name],
                advice="Make them numbers, and leave cells empty that have none",
            )
