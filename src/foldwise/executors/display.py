"""Where progress is shown: a line of a terminal that is written again and again, or a place in a notebook."""

from __future__ import annotations

import html
import sys
from importlib import import_module
from typing import Any, Protocol, TextIO


class Display(Protocol):
    """One line that changes, and lines above it that stay."""

    def show(self, text: str) -> None:
        """Replace the line that changes."""

    def keep(self, text: str) -> None:
        """A line that stays."""

    def close(self, text: str) -> None:
        """The end; `text` may take the place of the line that changes where that is no waste of room."""


class TerminalLine:
    """Lines on a stream, the last of which is written over."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._width = 0

    def show(self, text: str) -> None:
        self._write("\r" + text.ljust(self._width))
        self._width = max(self._width, len(text))

    def keep(self, text: str) -> None:
        self._write(("\r" if self._width else "") + text.ljust(self._width) + "\n")
        self._width = 0

    def close(self, text: str) -> None:
        if self._width:
            self._write("\r" + " " * self._width + "\r")

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


class NotebookLines:
    """One output of a cell, updated in place; nothing is shown before there is something to say."""

    def __init__(self) -> None:
        self._kept: list[str] = []
        self._handle: Any = None

    def show(self, text: str) -> None:
        display = import_module("IPython.display").display
        lines = [*self._kept, text] if text else self._kept
        page = "<br>".join(map(html.escape, lines))
        content = {"text/plain": "\n".join(lines), "text/html": f'<div style="font-family:monospace">{page}</div>'}
        if self._handle is None:
            self._handle = display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)

    def keep(self, text: str) -> None:
        self._kept.append(text)
        self.show("")

    def close(self, text: str) -> None:
        if self._handle is not None:
            self.show(text)


def in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"
