"""Columns that say nothing, or whose text is taken for categories."""

from __future__ import annotations

from collections.abc import Iterator

from foldwise.guards.checks.identifiers import WORDS, quoted, words_in
from foldwise.guards.codes.columns import ALL_MISSING, CONSTANT, FREE_TEXT
from foldwise.guards.subject import Subject
from foldwise.learners.preprocessing.column_facts import free_text as read_as_words
from foldwise.studies.finding import Finding

LEAST_DISTINCT = 0.5  # of the rows have another text


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
    """Sentences, each of which would be a category of its own; built-in learners read the words of most."""
    if subject.data.is_series:
        return
    learners = [one for learner in subject.learners for one in learner.members or (learner,)]
    read = read_as_words(subject.data) if all(one.is_builtin for one in learners) else ()
    names = [
        one.name
        for one in subject.columns
        if not one.is_number
        and one.name not in read
        and one.distinct >= LEAST_DISTINCT * subject.data.rows
        and words_in(one) > WORDS
    ]
    if names:
        yield FREE_TEXT.found(
            f"{names[0]!r} holds free text, of which every sentence is taken as a category",
            columns=names,
            advice="Leave it out, or turn it into numbers with a vectorizer in a pipeline",
        )
