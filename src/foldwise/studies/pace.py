"""The pace of a run as observed, and the time it may still take: the same for the progress line and the live page."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

WINDOW = 120.0  # seconds of history
LEAST = 3.0  # seconds of history before its pace is trusted
STEP = 0.1  # seconds between two notes


@dataclass(eq=False)
class Part:
    """The part of one method in a run."""

    name: str
    expected: int = 0  # fits of this run, from what is known before it starts
    handed: int = 0  # fits that were asked for
    done: int = 0
    seconds: float = 0.0
    is_over: bool = False

    @property
    def total(self) -> int:
        return max(self.done, self.handed, 0 if self.is_over else self.expected)


class Pace:
    """Fits and seconds of work over the last minutes.

    `workers`: how many are expected to work at a time, for the time before a pace was observed.
    """

    def __init__(self, *, workers: int | None = None) -> None:
        self.workers = workers
        self._seen: deque[tuple[float, int, float]] = deque()
        self._moved = self._now = 0.0

    def note(self, now: float, methods: Sequence[Part]) -> None:
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

    def left(self, methods: Sequence[Part]) -> float | None:
        """Seconds until the known fits are done; None before any progress was observed.

        Never less than what has passed since the last fit ended: who has waited for a minute, waits for more than none.
        """
        rate = self._rate(methods)
        return None if rate is None else max(rate, self._now - self._moved)

    def _rate(self, methods: Sequence[Part]) -> float | None:
        if not self._seen:
            return None
        (then, fits, work), (now, all_fits, all_work) = self._seen[0], self._seen[-1]
        to_do = sum(work_left(methods))
        if now - then < LEAST or all_fits <= fits:
            return to_do / self.workers if self.workers and all_fits else None
        if to_do and all_work > work:
            return to_do * (now - then) / (all_work - work)
        return sum(method.total - method.done for method in methods) * (now - then) / (all_fits - fits)


def work_left(methods: Sequence[Part]) -> list[float]:
    """Seconds of work to come in each method: its fits to come, each as long as those that it has done.

    A method that has done none is taken to be like all others together.
    """
    done = sum(method.done for method in methods)
    mean = sum(method.seconds for method in methods) / done if done else 0.0
    each = (method.seconds / method.done if method.done else mean for method in methods)
    return [(method.total - method.done) * seconds for method, seconds in zip(methods, each, strict=True)]


def duration(seconds: float) -> str:
    """A length of time in words.

    >>> duration(0.03), duration(4.2), duration(250), duration(8000), duration(300_000)
    ('0.03 s', '4 s', '4 min', '2.2 h', '3.5 days')
    """
    if seconds < 90:
        return f"{seconds:.0f} s" if seconds >= 0.95 or not seconds else f"{max(seconds, 0.001):.1g} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.1f} days"
