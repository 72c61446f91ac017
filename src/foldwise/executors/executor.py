"""Where fits run: the protocol every executor meets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from foldwise.plans.fit import Fit
from foldwise.plans.runnable import RunnableStudy
from foldwise.records.record import Record


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
