"""An executor: where fits are done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from foldwise.executors.options import RunOptions
from foldwise.executors.worker import Worker
from foldwise.executors.workload import workload_of


class Serial:
    """One batch after another, in this process, the last first."""

    def __init__(self, options: RunOptions | None = None) -> None:
        self.waiting: list[Any] = []

    def run(self, runnable: Any, fits: Sequence[Any]) -> Iterator[list[Any]]:
        self.worker = Worker(workload_of(runnable))
        self.add(fits)
        while self.waiting:
            yield self.worker.do(self.waiting.pop())

    def add(self, fits: Sequence[Any]) -> None:
        self.waiting += self.worker.solvers.batches(fits)

    def ask_to_stop(self) -> None:
        self.waiting.clear()

    def close(self) -> None:
        self.waiting.clear()
