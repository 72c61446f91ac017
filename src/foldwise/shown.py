"""Values at the end of a notebook's cell: their words as HTML, escaped, in the colours of any theme, with no script."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

CODE = "white-space: pre-wrap; background: transparent; color: inherit"
TABLE = "border-collapse: collapse; font-variant-numeric: tabular-nums"
CELL = "padding: .2em .7em; text-align: {}"


def is_notebook() -> bool:
    """Is this the process of a notebook? Then the width of a terminal, if it was started in one, says nothing."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


class Shown:
    """A value whose one line of text is what a notebook shows too.

    >>> class Point(Shown):
    ...     def __repr__(self) -> str:
    ...         return "Point(<1>)"
    >>> Point()._repr_html_()
    '<code style="white-space: pre-wrap; background: transparent; color: inherit">Point(&lt;1&gt;)</code>'
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        return code_html(repr(self))


class Prose(str):
    """Sentences that show as they are printed, not as Python would quote them.

    >>> Prose("One line.\\nAnd another.")
    One line.
    And another.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return words_html(*self.splitlines())


class Page(str):
    """A whole page as text; where it is not printed, it says its size and not its contents.

    >>> Page("<html></html>"), Page("<html></html>", "runs/wine.html")
    (a page of 1 kB, to be printed or written to a file, runs/wine.html: a page of 1 kB)
    """

    path: Path | None

    def __new__(cls, text: str, path: str | Path | None = None) -> Page:
        page = super().__new__(cls, text)
        page.path = None if path is None else Path(path)
        return page

    def __repr__(self) -> str:
        size = f"a page of {-(-len(self.encode()) // 1000)} kB"
        return f"{size}, to be printed or written to a file" if self.path is None else f"{self.path}: {size}"

    def _repr_html_(self) -> str:
        return words_html(repr(self))


def code_html(text: str) -> str:
    """Text as Python writes it."""
    return f'<code style="{CODE}">{escape(text)}</code>'


def words_html(*sentences: str) -> str:
    """Each sentence as a paragraph."""
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences if sentence)


def table_html(columns: Mapping[str, Sequence[Any]]) -> str:
    """A plain table: the first column to the left, the others to the right.

    >>> table_html({"part": ["train"], "rows": [6]}).count("<td")
    1
    """
    head = "".join(_cell("th", name, at, "col") for at, name in enumerate(columns))
    rows = [
        "".join(_cell("td" if at else "th", text, at, None if at else "row") for at, text in enumerate(row))
        for row in zip(*columns.values(), strict=True)
    ]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'<table style="{TABLE}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _cell(name: str, text: Any, at: int, scope: str | None) -> str:
    of = f' scope="{scope}"' if scope else ""
    return f'<{name}{of} style="{CELL.format("right" if at else "left")}">{escape(str(text))}</{name}>'
