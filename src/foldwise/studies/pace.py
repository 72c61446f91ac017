"""The pace of a run as observed, and the time it may still take: the same for the progress line and the live page."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Protocol

WINDOW = 120.0  # seconds of history
LEAST = 3.0  # seconds of history before its pace is trusted
STEP = 0.1  # seconds between two notes


class Share(Protocol):
    """The part that one method has in a run."""

    @property
    def done(self) -> int:
        """Fits that are done."""

    @property
    def total(self) -> int:
        """Fits that are done or to come, as far as they are known."""

    @property
    def seconds(self) -> float:
        """Seconds of the fits that are done."""


class Pace:
    """Fits and seconds of work over the last minutes.

    `workers`: how many are expected to work at a time, for the time before a pace was observed.
    """

    def __init__(self, *, workers: int | None = None) -> None:
        self.workers = workers
        self._seen: deque[tuple[float, int, float]] = deque()
        self._moved = self._now = 0.0

    def note(self, now: float, methods: Sequence[Share]) -> None:
        """Look at the run; `methods` are its parts as they are now."""
        fits, work = sum(method.done for method in methods), sum(method.seconds for method in methods)
        if not self._seen or fits > self._seen[-1][1]:
            self._moved = now
        self._now = now
        if len(self._seen) > 1 and now - self._seen[-2][0] < STEP:
            self._seen.pop()
        self._seen.append((now, fits, work))
        while len(self._seen) > 2 and now - self._seen[0][0] > WINDOW:
            self._seen.popleft()

    def clear(self) -> None:
        self._seen.clear()

    def left(self, methods: Sequence[Share]) -> float | None:
        """Seconds until the known fits are done; None before any progress was observed.

        Never less than what has passed since the last fit ended: who has waited for a minute, waits for more than none.
        """
        rate = self._rate(methods)
        return None if rate is None else max(rate, self._now - self._moved)

    def _rate(self, methods: Sequence[Share]) -> float | None:
        if not self._seen:
            return None
        (then, fits, work), (now, all_fits, all_work) = self._seen[0], self._seen[-1]
        to_do = sum(work_left(methods))
        if now - then < LEAST or all_fits <= fits:
            return to_do / self.workers if self.workers and all_fits else None
        if to_do and all_work > work:
            return to_do * (now - then) / (all_work - work)
        return sum(method.total - method.done for method in methods) * (now - then) / (all_fits - fits)


def work_left(methods: Sequence[Share]) -> list[float]:
    """Seconds of work to come in each method: its fits to come, each as long as those that it has done.

    A method that has done none is taken to be like all others together.
    """
    done = sum(method.done for method in methods)
    mean = sum(method.seconds for method in methods) / done if done else 0.0
    each = (method.seconds / method.done if method.done else mean for method in methods)
    return [(method.total - method.done) * seconds for method, seconds in zip(methods, each, strict=True)]
