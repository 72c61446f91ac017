"""Columns that name rows, say nothing, or were read wrongly."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from foldwise.checks.check import Trap, check
from foldwise.checks.subject import Subject, quoted
from foldwise.data.features import Feature
from foldwise.data.task import MOST_WORDS, is_written_number
from foldwise.learners.preprocessing.column_facts import free_text as read_as_words

LEAST_ROWS = 20
MOSTLY = 0.9  # of the rows have another value, in a column that is called an id: some tables hold rows twice
NAMES = re.compile(r"(^|[_\W])(id|uuid|guid|index|serial|ssn|mrn|rownames|unnamed: 0)$|[a-z](ID|Id)$", re.I)
DENSE = 3  # whole numbers within so many times the number of rows are names rather than amounts
DATED = 10  # different dates in eight digits
LONGEST_NAME = 3  # words; a longer text is text, not a name
LEAST_DISTINCT = 0.5  # of the rows have another text
LEAST_NUMBERS = 10  # distinct ones; fewer may be codes
MOST_CATEGORIES = 50  # beyond, it is text that people typed
MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
DATES = re.compile(
    r"^\s*(\w{3,9},?\s+)?(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T]\d.*)?|(19|20)\d\d[-/.]\d{1,2}|(19|20)\d\d[- ]?Q[1-4]"
    rf"|\d{{1,2}}[-. ]\s?{MONTH}[- ,]+\d{{2,4}}.*|{MONTH}\s+\d{{1,2}},?\s+\d{{4}}.*|{MONTH}[- ]\d{{2,4}})\s*$",
    re.I,
)


@check("FW103", "An identifier among the features", severity="warn")
def named_rows(subject: Subject) -> Iterator[Trap]:
    """Another value in every row: short text, whole numbers without gaps or with a name such as `id`. In a column of
    such a name, another value in 90 % of the rows is enough, since many tables hold some rows twice. Trees find the
    order of the file in it, and new rows have new values. Leave it out.
    """
    columns = [column for column in _row_names(subject) if not is_row_number(column)]
    if columns:
        distinct = min(column.distinct for column in columns)
        is_every = distinct == subject.data.rows
        where = "every row" if is_every else "nearly every row"
        have = f"has another value in {where} and names" if len(columns) == 1 else "have other values and name"
        again = "; where one comes twice, look whether the rows are copies, or belong together (groups=)"
        yield Trap(
            f"{quoted(column.name for column in columns)} {have} rows: nothing is learnt from that for new rows",
            columns=[column.name for column in columns],
            figures={"distinct": distinct},
            advice="Leave such columns out" + ("" if is_every else again),
        )


@check("FW206", "A row number among the features", severity="warn")
def row_numbers(subject: Subject) -> Iterator[Trap]:
    """It counts the rows in their order, by any step. If they are sorted in any way, a tree reads the target from it.
    Leave it out, or give it as time.
    """
    counters = [column for column in _row_names(subject) if is_row_number(column)]
    names = [column.name for column in counters if column.is_whole or len(subject.columns) > 1]
    if names:
        yield Trap(
            f"{quoted(names)} count{'s' * (len(names) == 1)} the rows in their order",
            columns=names,
            advice="Leave it out; if rows follow one another in time, give it as time instead",
        )


@check("FW204", "Constant column", severity="note")
def constant_columns(subject: Subject) -> Iterator[Trap]:
    """One value in every row cannot help to predict. Often a filter was applied before, or a column was read wrongly.
    Leave it out.
    """
    names = [column.name for column in subject.columns if column.distinct == 1 and not column.missing.any()]
    if names:
        yield Trap(
            f"{quoted(names)} {'have' if len(names) > 1 else 'has'} one value in every row",
            columns=names,
            advice="Leave such columns out",
        )


@check("FW205", "A column without values", severity="note")
def empty_columns(subject: Subject) -> Iterator[Trap]:
    """Every value is missing."""
    names = [column.name for column in subject.columns if column.missing.all()]
    if names:
        yield Trap(
            f"{quoted(names)} {'have' if len(names) > 1 else 'has'} no value in any row",
            columns=names,
            advice="Leave such columns out, or look how they were read",
        )


@check("FW207", "Free text taken as a category", severity="note")
def free_text(subject: Subject) -> Iterator[Trap]:
    """Most rows have a sentence of their own, and each is taken as a category. Not reported if all learners are
    built-in ones that [read its words](tables.md).
    """
    if subject.data.is_series:
        return
    learners = [member for learner in subject.learners for member in learner.members or (learner,)]
    read = read_as_words(subject.data) if all(learner.is_builtin for learner in learners) else ()
    names = [
        column.name
        for column in subject.columns
        if not column.is_number
        and column.name not in read
        and column.distinct >= LEAST_DISTINCT * subject.data.rows
        and _words_in(column) > LONGEST_NAME
    ]
    if names:
        yield Trap(
            f"{names[0]!r} holds free text, of which every sentence is taken as a category",
            columns=names,
            advice="Leave it out, or turn it into numbers with a vectorizer in a pipeline",
        )


@check("FW210", "Numbers taken as text", severity="warn")
def numbers_as_text(subject: Subject) -> Iterator[Trap]:
    """A column has ten different numbers or more, and a word like "n/a" among them, or commas in them (`1,234.50`,
    `2,5`). It was read as text, so that each number is a category. Codes that are numbers alone are not reported.
    """
    for column in subject.columns:
        if (words := _words_among_numbers(column)) is not None:
            cause = f"but for {', '.join(map(repr, words[:3]))}" if words else "written with commas"
            yield Trap(
                f"{column.name!r} holds numbers {cause}, and is taken as text, each number as a category",
                columns=[column.name],
                advice="Make them numbers, and leave cells empty that have none",
            )


@check("FW211", "One word in two spellings", severity="warn")
def two_spellings(subject: Subject) -> Iterator[Trap]:
    """Two classes of the target, or two categories of a column, differ by spaces or by upper and lower case alone, as
    "yes" and "Yes ": they count as two.
    """
    features = [column for column in subject.columns if len(column.labels) <= MOST_CATEGORIES]
    for name, labels in [(None, subject.data.classes), *((column.name, column.labels) for column in features)]:
        if pair := _spelt_alike(labels):
            yield Trap(
                f"{'the target' if name is None else repr(name)} has {pair[0]!r} and {pair[1]!r}, "
                "which differ by spaces or case alone and count as two",
                columns=[] if name is None else [name],
                advice="Write them alike if they are one",
            )


def identifiers(subject: Subject) -> list[Feature]:
    """Columns that name rows."""
    return [column for column in subject.columns if _is_identifier(column)]


def is_row_number(column: Feature) -> bool:
    """Does it go up or down by the same step from row to row?"""
    if not column.is_number or column.kind == "date" or len(column.values) < LEAST_ROWS:
        return False
    if not np.isfinite(column.values).all():
        return False
    steps = np.diff(column.values)
    usual = column.values[-1] / (len(steps) or 1) - column.values[0] / (len(steps) or 1)
    return bool(usual != 0 and np.abs(steps - usual).max() <= 1e-9 * max(abs(usual), np.abs(column.values).max()))


def holds_dates(column: Feature) -> bool:
    """Is it of dates, or of text or whole numbers (20240131) that look like them?"""
    if not column.is_number:
        return all(DATES.match(str(label)) for label in column.labels[:50])
    if column.kind == "date":
        return True
    known = column.values[~column.missing]
    if not len(known) or not column.is_whole or known.min() < 1900_01_01 or known.max() > 2099_12_31:
        return False
    months, days = known // 100 % 100, known % 100
    return bool(((months >= 1) & (months <= 12) & (days >= 1) & (days <= 31)).all() and column.distinct >= DATED)


def _row_names(subject: Subject) -> list[Feature]:
    if subject.data.is_series:  # documents are not names
        return []
    return [column for column in subject.fact(identifiers) if not holds_dates(column)]


def _is_identifier(column: Feature) -> bool:
    """Does it name rows: another value in each, and whole numbers without gaps, text that is short, or such a name?"""
    rows = len(column.values)
    least = rows * (MOSTLY if NAMES.search(column.name) else 1)
    if rows < LEAST_ROWS or column.distinct < least or column.missing.any() or column.kind == "date":
        return False
    if not column.is_number:
        return _words_in(column) <= LONGEST_NAME and _words_among_numbers(column) is None
    if not column.is_whole:
        return is_row_number(column)
    is_dense = np.ptp(column.values) < DENSE * rows
    return bool(is_dense or is_row_number(column) or NAMES.search(column.name))


def _words_in(column: Feature) -> float:
    """Words per label, of the first thousand labels."""
    labels = column.labels[:1000]
    return float(np.mean([len(str(label).split()) for label in labels])) if labels else 0.0


def _words_among_numbers(column: Feature) -> list[str] | None:
    """The labels of a column of written numbers that are none; None where it is no such column."""
    if column.is_number or not all(isinstance(label, str) for label in column.labels):
        return None
    words = [label for label in column.labels if not is_written_number(label)]
    if len(column.labels) - len(words) < LEAST_NUMBERS or len(words) > MOST_WORDS * len(column.labels):
        return None
    return words if words or any("," in label for label in column.labels) else None


def _spelt_alike(labels: Sequence[Any]) -> tuple[str, str] | None:
    first: dict[str, str] = {}
    for label in labels:
        if isinstance(label, str):
            other = first.setdefault(" ".join(label.casefold().split()), label)
            if other != label:
                return other, label
    return None
