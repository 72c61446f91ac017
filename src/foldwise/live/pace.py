"""The pace of a run as observed, and the time it may still take."""

from __future__ import annotations

from collections import deque

from foldwise.live.counts import Counts

WINDOW = 120.0  # seconds of history
LEAST = 3.0  # seconds of history before the time left is shown


class Pace:
    """Fits and seconds of work over the last minutes."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int, float]] = deque()

    def note(self, now: float, counts: Counts) -> None:
        work = sum(count.seconds for count in counts.methods)
        self._seen.append((now, counts.done, work))
        while len(self._seen) > 2 and now - self._seen[0][0] > WINDOW:
            self._seen.popleft()

    def clear(self) -> None:
        self._seen.clear()

    def left(self, counts: Counts) -> float | None:
        """Seconds until the known fits are done; None before any progress was observed."""
        if len(self._seen) < 2:
            return None
        (then, fits, work), (now, all_fits, all_work) = self._seen[0], self._seen[-1]
        if now - then < LEAST or all_fits <= fits:
            return None
        to_do = _work_left(counts)
        if to_do and all_work > work:
            return to_do * (now - then) / (all_work - work)
        return (counts.total - counts.done) * (now - then) / (all_fits - fits)


def _work_left(counts: Counts) -> float:
    """Fits to come times the mean seconds of a fit: of the same method, or of all methods where it has none."""
    done = sum(count.done for count in counts.methods)
    mean = sum(count.seconds for count in counts.methods) / done if done else 0.0
    costs = (
        ((count.total - count.done) * (count.seconds / count.done if count.done else mean)) for count in counts.methods
    )
    return sum(costs)
