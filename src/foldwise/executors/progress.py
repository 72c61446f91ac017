"""A line on stderr while fits are done: learner, fits done of all, time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import TextIO

from foldwise.plans.fit import Fit
from foldwise.plans.runnable import RunnableStudy
from foldwise.records.record import Record


class Progress:
    """Rewrites one line a few times a second; silent when `shown` is False or stderr is no terminal."""

    def __init__(self, shown: bool | None = None, *, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        is_terminal = self.stream is not None and self.stream.isatty()  # services may have no stderr at all
        self.shown = is_terminal or _in_notebook() if shown is None else shown
        self._done = self._all = 0
        self._started = self._last = time.monotonic()
        self._width = 0
        self._is_open = False

    def expect(self, runnable: RunnableStudy, fits: Sequence[Fit], *, is_open: bool = False) -> None:
        """These fits are about to be done; `is_open`: nobody knows how many will follow."""
        self._all += len(fits)
        self._is_open = is_open
        if self.shown and not self._done:
            self._write(f"{len(fits)} fits to do in the first round, {runnable.study.outer.scheme}")

    def advance(self, records: Sequence[Record]) -> None:
        self._done += len(records)
        now = time.monotonic()
        if self.shown and records and now - self._last > 0.2:
            self._last = now
            left = (now - self._started) / self._done * (self._all - self._done)
            least = "at least " if self._is_open else ""
            done = f"{records[-1].learner}: {self._done} of {least}{self._all} fits"
            self._write(f"{done}, {least}{duration(left)} left")

    def __enter__(self) -> Progress:
        self._started = time.monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._width:
            self._write("")
            self.stream.write("\r")
            self.stream.flush()

    def _write(self, text: str) -> None:
        self.stream.write("\r" + text.ljust(self._width))
        self.stream.flush()
        self._width = max(self._width, len(text))


def duration(seconds: float) -> str:
    """A length of time in words.

    >>> duration(4.2), duration(250), duration(8000)
    ('4 s', '4 min', '2.2 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"
