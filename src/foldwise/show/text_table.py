"""A table for a terminal: words and numbers stay whole, and a narrow screen breaks a line between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

GAP = "   "
BOLD, END = "\x1b[1;32m", "\x1b[0m"
# Where a long name may be broken: after a space or a sign between its parts, never inside a word.
PARTS = re.compile(r"[^\s:/_+.,|-]*[\s:/_+.,|-]?")


@dataclass(frozen=True)
class Column:
    """A column: its head, its cells, and whether they stand on the left."""

    head: str
    cells: Sequence[str]
    is_left: bool = False
    is_drawn: bool = False  # a drawing, which is never broken
    foot: str = ""

    @property
    def widest(self) -> int:
        """Characters of its longest cell."""
        return max(map(cell_len, [*self.cells, self.foot]), default=0)

    def width(self, *, is_tight: bool = False) -> int:
        """Characters it takes; where room is scarce, its head is broken between words."""
        heads = self.head.split() if is_tight else [self.head]
        return max([self.widest, *map(cell_len, heads)])

    @property
    def least(self) -> int:
        """Characters it needs if every line is broken wherever it may be."""
        if self.is_drawn:
            return self.widest
        return max(cell_len(part.strip()) for text in [*self.head.split(), *self.cells, ""] for part in _parts(text))


def draw_table(columns: Sequence[Column], *, width: int, color: bool = False, best: int | None = None) -> str:
    """The columns side by side below their heads; the row `best` is coloured where colours are wanted."""
    is_tight = total([column.width() for column in columns]) > width
    widths = _fitted(columns, width, is_tight=is_tight)
    heads = [broken(c.head, c.width() if not is_tight else wide) for c, wide in zip(columns, widths, strict=True)]
    deepest = max(map(len, heads))
    lines = _lines(columns, [[""] * (deepest - len(head)) + head for head in heads], widths)
    lines.append("─" * total(widths))
    for at in range(len(columns[0].cells)):
        cells = [
            [c.cells[at]] if c.is_drawn else broken(c.cells[at], wide) for c, wide in zip(columns, widths, strict=True)
        ]
        row = _lines(columns, cells, widths)
        lines += [f"{BOLD}{line}{END}" for line in row] if color and at == best else row
    if any(column.foot for column in columns):
        lines += _lines(columns, [[column.foot] for column in columns], widths)
    return "\n".join(lines)


def total(widths: Sequence[int]) -> int:
    """Characters of a line with columns this wide."""
    return sum(widths) + len(GAP) * (len(widths) - 1)


def broken(text: str, room: int) -> list[str]:
    """Lines of at most so many characters, broken between words or parts of a name.

    >>> broken("forest:small with_many_parts", 12)
    ['forest:small', 'with_many_', 'parts']
    """
    lines: list[str] = []
    line, room = "", max(1, room)
    for part in _parts(text):
        while cell_len(part.rstrip()) > room:  # longer than any line: there is no better place
            lines, line = [*lines, *([line.rstrip()] if line else []), part[:room]], ""
            part = part[room:]
        if cell_len((line + part).rstrip()) > room:
            lines, line = [*lines, line.rstrip()], part
        else:
            line += part
    return [*lines, line.rstrip()] if line or not lines else lines


def _parts(text: str) -> list[str]:
    return [part for part in PARTS.findall(text) if part] or [""]


def _fitted(columns: Sequence[Column], width: int, *, is_tight: bool) -> list[int]:
    """Widths that fit the screen: the widest columns give way first, none below its longest word while others can."""
    widths = [column.width(is_tight=is_tight) for column in columns]
    for limits in ([column.least for column in columns], [1 for _ in columns]):
        while total(widths) > width:
            able = [at for at, wide in enumerate(widths) if wide > limits[at] and not columns[at].is_drawn]
            if not able:
                break
            widths[max(able, key=lambda at: widths[at])] -= 1
    return widths


def _lines(columns: Sequence[Column], cells: Sequence[Sequence[str]], widths: Sequence[int]) -> list[str]:
    deep = max(map(len, cells))
    return [
        GAP.join(
            _padded(cell[at] if at < len(cell) else "", wide, is_left=column.is_left)
            for column, cell, wide in zip(columns, cells, widths, strict=True)
        ).rstrip()
        for at in range(deep)
    ]


def _padded(text: str, wide: int, *, is_left: bool) -> str:
    space = " " * max(0, wide - cell_len(text))
    return text + space if is_left else space + text
