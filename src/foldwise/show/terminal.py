"""Blocks as the text of a terminal: nothing is broken, and what has no room is set differently, not cut."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from foldwise.blocks.block import Block, Chapter, Drawn, Facts, Finding, Panels, Sentence, Strip, Table
from foldwise.blocks.numbers import plain
from foldwise.show.scale import Scale, strip_scale, tick_words
from foldwise.shown import is_notebook

if TYPE_CHECKING:
    from rich.console import RenderableType

WIDE, IN_NOTEBOOK, MOST_PROSE = 110, 100, 100
LONGEST, SHORTEST = 40, 12  # letters of a strip
INDENT = "  "
# For terminals without these characters.
PLAIN_LETTERS = str.maketrans("├─┤●○█→│–²·×", "|-|o.#>|-2.x")
SEVERITIES = {"refuse": "Refused", "warn": "Warning", "note": "Note"}


def screen_width() -> int:
    """How many characters a line may have here."""
    return IN_NOTEBOOK if is_notebook() else shutil.get_terminal_size((WIDE, 24)).columns


def as_text(blocks: Iterable[Block], *, width: int | None = None, color: bool = False) -> str:
    """Blocks one below the other, with an empty line between them.

    >>> print(as_text([Sentence("Use ridge.", "verdict"), Finding("FW101", "warn", "Rows occur twice.")], width=80))
    Use ridge.
    <BLANKLINE>
    Warning FW101: Rows occur twice.
    """
    width = screen_width() if width is None else width
    return "\n\n".join(part for block in blocks for part in _block(block, width, color) if part)


def _block(block: Block, width: int, color: bool) -> Iterator[str]:
    if isinstance(block, Sentence):
        head = "Note: " if block.role == "note" else "Warning: " if block.role == "warning" else ""
        yield _wrapped(head + block.text, width)
    elif isinstance(block, Finding):
        yield _wrapped(f"{SEVERITIES[block.severity]} {block.code}: {block.text}", width)
    elif isinstance(block, Table):
        yield _table(block, width, color)
    elif isinstance(block, Facts):
        lines = [_wrapped(f"{name}: {plain(text)}", width, indent=INDENT) for name, text in block.items]
        yield "\n".join([*([f"{block.title}:"] if block.title else []), *lines])
    elif isinstance(block, Panels):
        lines = [_wrapped(f"{figure.title}: {figure.words}", width) for figure in block.figures if figure.words]
        yield "\n".join(lines)
    elif isinstance(block, Chapter):
        parts = [part for inner in block.blocks for part in _block(inner, width, color) if part]
        yield "\n\n".join([f"{block.title}\n{'─' * min(width, len(block.title))}", *parts]) if parts else ""


def _wrapped(text: str, width: int, *, indent: str = "") -> str:
    width = min(width, MOST_PROSE)  # longer lines are hard to read
    return textwrap.fill(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _table(table: Table, width: int, color: bool) -> str:
    table, drawn = _fitted(table, width)
    head, cells = _texts(table)
    text = _grid(table, head, cells, drawn, width, color)
    if _width(table) > width:
        text = "\n".join(_paragraphs(table, head, cells, width))
    return f"{table.title}\n{text}" if table.title and table.strip is None else text


def _fitted(table: Table, width: int) -> tuple[Table, int]:
    """The table without the spare columns that leave the drawing no room, and the room of the drawing."""
    room, fitted = width - _width(table) - 2, table
    while table.strip is not None and room < SHORTEST and any(column.is_spare for column in fitted.columns):
        last = max(number for number, column in enumerate(fitted.columns) if column.is_spare)
        fitted = _without(fitted, last)
        room = width - _width(fitted) - 2
    if table.strip is None or room < SHORTEST:
        return table, 0
    return fitted, min(LONGEST, room)


def _without(table: Table, number: int) -> Table:
    def rest(values: tuple[Any, ...]) -> tuple[Any, ...]:
        return values[:number] + values[number + 1 :]

    rows = tuple(replace(row, cells=rest(row.cells)) for row in table.rows)
    after = table.strip_after - (number < table.strip_after)
    return replace(table, columns=rest(table.columns), rows=rows, strip_after=after)


def _texts(table: Table) -> tuple[list[str], list[list[str]]]:
    return [plain(column.head) for column in table.columns], [
        [plain(cell.text) for cell in row.cells] for row in table.rows
    ]


def _width(table: Table) -> int:
    """The letters of a line of all columns."""
    head, cells = _texts(table)
    widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
    return sum(widths) + 2 * (len(widths) - 1)


def _grid(table: Table, head: list[str], cells: list[list[str]], drawn: int, width: int, color: bool) -> str:
    from io import StringIO

    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    place = table.strip_after if drawn else -1
    for number, (column, name) in enumerate(zip(table.columns, head, strict=True)):
        if number == place:
            grid.add_column("", no_wrap=True)
        grid.add_column(Text(name), justify="left" if column.is_text else "right", no_wrap=True)
    if place == len(head):
        grid.add_column("", no_wrap=True)
    strips, foot = strip_texts(table, drawn) if drawn else ([""] * len(cells), "")
    for row, texts, strip in zip(table.rows, cells, strips, strict=True):
        style = "bold green" if row.mark == "best" else "dim" if row.mark == "quiet" else ""
        if row.has_rule:
            columns = _columns(head, cells, drawn, place, strips)
            grid.add_row(*[Text("─" * max(map(len, column)), style="dim") for column in columns])
        values: list[RenderableType] = [Text(text, style=style) for text in texts]
        if drawn:
            values.insert(place, Text(strip, style=style))
        grid.add_row(*values)
    if drawn and foot:
        empty: list[RenderableType] = [Text("") for _ in head]
        empty.insert(place, Text(foot, style="dim"))
        grid.add_row(*empty)
    out = StringIO()
    Console(
        file=out,
        width=max(width, 1),
        force_terminal=color,
        force_jupyter=False,
        color_system="standard" if color else None,
    ).print(grid)
    return "\n".join(line.rstrip() for line in out.getvalue().rstrip("\n").split("\n"))


def _columns(head: list[str], cells: list[list[str]], drawn: int, place: int, strips: Sequence[str]) -> list[list[str]]:
    columns = [list(column) for column in zip(head, *cells, strict=True)]
    if drawn:
        columns.insert(place, list(strips))
    return columns


def _paragraphs(table: Table, head: list[str], cells: list[list[str]], width: int) -> Iterator[str]:
    """One paragraph for every row, where the columns have no room beside each other."""
    drawn = min(LONGEST, width - len(INDENT)) if table.strip is not None else 0
    strips, foot = strip_texts(table, drawn) if drawn >= SHORTEST else ([""] * len(cells), "")
    for row, texts, strip in zip(table.rows, cells, strips, strict=True):
        if row.has_rule:
            yield "─" * min(width, 20)
        yield textwrap.fill(texts[0], width, subsequent_indent=INDENT)
        if strip:
            yield INDENT + strip.rstrip()
        pairs = [f"{name} {text}".replace(" ", "\0") for name, text in zip(head[1:], texts[1:], strict=True) if text]
        if pairs:
            yield _wrapped(INDENT + ", ".join(pairs), width, indent=INDENT).replace("\0", " ")
    if foot:
        yield INDENT + foot.rstrip()


def strip_texts(table: Table, room: int) -> tuple[list[str], str]:
    """The drawn column in letters, `├──●──┤`, and the scale below it."""
    scale, strip = strip_scale(table), table.strip or Strip()
    places = scale.between(0, room - 1)
    return [_strip(row.drawn, places, room, strip) for row in table.rows], _foot(scale, places, room)


def _strip(drawn: Drawn | None, places: Scale, room: int, strip: Strip) -> str:
    letters = [" "] * room
    if drawn is None or drawn.value is None:
        return "".join(letters)
    if strip.most is not None and drawn.value > places.high:
        words = f"{drawn.value:,.4g} →"
        return words.rjust(room)
    if strip.line is not None:
        letters[round(places(strip.line))] = "│"
    start, stop = (drawn.low, drawn.high) if drawn.low is not None else (drawn.start, drawn.value)
    if start is not None and stop is not None:
        first, last = sorted((round(places(start)), round(places(stop))))
        letters[first : last + 1] = "─" * (last + 1 - first)
        if drawn.low is not None and last > first:
            letters[first], letters[last] = "├", "┤"
    for point, _ in drawn.points:
        letters[round(places(point))] = "·"
    if drawn.start is not None:
        letters[round(places(drawn.start))] = "○"
    letters[round(places(drawn.value))] = "●"
    return "".join(letters)


def _foot(scale: Scale, places: Scale, room: int) -> str:
    """As many ticks as have room."""
    for count in (6, 5, 4, 3, 2):
        values = scale.ticks(count)
        line, end, fits = [" "] * room, -2, True
        for value, words in zip(values, tick_words(values), strict=True):
            first = min(max(0, round(places(value)) - len(words) // 2), room - len(words))
            fits = fits and first > end + 1 and first >= 0
            if fits:
                line[first : first + len(words)] = words
                end = first + len(words)
        if fits:
            return "".join(line)
    return ""


def block_bar(value: float, most: float, width: int) -> str:
    """A bar as long as the value is large, of at least one character where it is more than 0.

    >>> block_bar(5, 10, 8), block_bar(0.1, 10, 8), block_bar(0, 10, 8)
    ('████', '█', '')
    """
    return "█" * max(round(width * value / most), 1) if value > 0 and most > 0 else ""
