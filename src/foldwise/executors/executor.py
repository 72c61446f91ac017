"""Where fits run: the protocol every executor meets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from foldwise.plans.fit import Fit
from foldwise.plans.runnable import RunnableStudy
from foldwise.records.record import Record


class MeanSeconds(dict[int, float]):
    """Mean seconds of one fit, by method, of the fits that were noted.

    >>> seconds = MeanSeconds()
    >>> seconds.note(0, 1.0)
    >>> seconds.note(0, 4.0, fits=2)
    >>> seconds
    {0: 3.0}
    """

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}

    def note(self, method: int, seconds: float, *, fits: int = 1) -> None:
        """So many fits of a method took so many seconds each."""
        count, mean = self._counts.get(method, 0) + fits, self.get(method, 0.0)
        self._counts[method] = count
        self[method] = mean + (seconds - mean) * fits / count


class Executor(Protocol):
    """Does fits in any order, anywhere, and hands over their records as they come."""

    def run(self, runnable: RunnableStudy, fits: Sequence[Fit]) -> Iterator[Sequence[Record]]:
        """Records of all these fits, a few at a time; empty lists now and then, so that the caller can look up."""

    def add(self, fits: Sequence[Fit]) -> None:
        """More fits for `run`, between two of its lists: what a method needs next depends on what came."""

    def ask_to_stop(self) -> None:
        """End `run` soon: hand over what is finished, and begin nothing new."""

    def close(self) -> None:
        """Let go of every process and file."""
