"""Blocks: the sentences, tables, figures and findings that an answer is told in.

A question says what it has to say as blocks; the renderers in `show` turn them into a terminal's
text, a page, a notebook's cell or Matplotlib figures. A block knows no medium: no HTML, no width,
no colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from foldwise.blocks.figure import Figure

Role: TypeAlias = Literal["verdict", "warning", "say", "next", "note"]
Mark: TypeAlias = Literal["", "best", "quiet"]


@dataclass(frozen=True)
class Sentence:
    """One or more sentences of prose; the role decides where and how prominently they stand."""

    text: str
    role: Role = "say"


@dataclass(frozen=True)
class Finding:
    """What a check found: its code, how serious it is, what is the matter and what to do."""

    code: str
    severity: str
    text: str


@dataclass(frozen=True)
class Cell:
    """The text of a cell, the number it sorts by, and a second, smaller text such as its interval."""

    text: str
    sort: float | None = None
    beside: str = ""
    is_strong: bool = False


@dataclass(frozen=True)
class Column:
    """The head of a column; numbers stand on the right, words on the left; a spare one gives way to the drawing."""

    head: str
    is_text: bool = False
    is_spare: bool = False
    help: str = ""


@dataclass(frozen=True)
class Drawn:
    """What is drawn in one row of a strip, on the scale that all rows of the table share."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    wide: tuple[float, float] | None = None  # a second, longer interval, drawn thin
    start: float | None = None  # where a dumbbell begins; it ends at `value`
    points: tuple[tuple[float, str], ...] = ()  # single dots, each with its words
    words: str = ""  # what is seen, for those who do not see it


@dataclass(frozen=True)
class Strip:
    """The drawn column of a table: a common scale, its name, and a number marked in all rows."""

    head: str = ""
    line: float | None = None
    has_zero: bool = False
    most: float | None = None  # the scale ends here; what lies beyond is told as an arrow with its number
    is_log: bool = False


@dataclass(frozen=True)
class Row:
    """One row: a cell for every column, what its strip draws, and whether a rule stands above it."""

    cells: tuple[Cell, ...]
    drawn: Drawn | None = None
    mark: Mark = ""
    has_rule: bool = False
    method: str | None = None  # the method it is about, so that a page can show and hide methods


@dataclass(frozen=True)
class Table:
    """Rows and columns; a strip, if there is one, is drawn after the first `strip_after` columns."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    strip: Strip | None = None
    strip_after: int = 1
    title: str = ""
    caption: str = ""


@dataclass(frozen=True)
class Facts:
    """Names and what they are, such as the protocol of a study."""

    items: tuple[tuple[str, str], ...]
    title: str = ""


@dataclass(frozen=True)
class Panels:
    """Figures side by side, under one title; of a method, where they are about one."""

    figures: tuple[Figure, ...]
    title: str = ""
    method: str | None = None
    is_folded: bool = False


@dataclass(frozen=True)
class Chapter:
    """Blocks under a heading; what only a thorough reader wants is folded."""

    title: str
    blocks: tuple[Block, ...]
    key: str = ""
    is_folded: bool = False


Block: TypeAlias = Sentence | Finding | Table | Facts | Panels | Chapter


@dataclass(frozen=True)
class Document:
    """All that is said of a study, a curve or a benchmark: a title, what leads, and the chapters.

    `lead` is read in ten seconds, `table` in a minute; `details` is what `result.details()` adds.
    """

    title: str
    about: str
    lead: tuple[Block, ...]
    table: tuple[Block, ...] = ()
    chapters: tuple[Chapter, ...] = ()
    details: tuple[Block, ...] = field(default=())


def texts(values: Sequence[str | Cell]) -> tuple[Cell, ...]:
    """Cells of plain texts.

    >>> texts(["ridge", Cell("12", sort=12.0)])[0]
    Cell(text='ridge', sort=None, beside='', is_strong=False)
    """
    return tuple(value if isinstance(value, Cell) else Cell(value) for value in values)
