"""Batches that died on a cluster, and who is to blame: the cluster, or the fit.

A node that is lost says nothing about the fits it had. So after every death the cluster is
checked, by a task that does nothing, before anything else is sent; while the check fails too,
the cluster is to blame and no fit is. A batch that dies again and again is split, and what is
left of it is tried alone: nothing else runs, and it goes where the check has just succeeded. A
fit that takes its process along then, each time, is to blame, and no other.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from foldwise.plans.fit import Batch, Fit

TRIES = 3  # of a batch among others
TRIES_ALONE = 3


@dataclass
class Attempt:
    """A batch to be sent or in flight, and how often what carried it died."""

    batch: Batch
    deaths: int = 0
    deaths_alone: int = 0
    is_suspect: bool = False


class Attempts:
    """What must be sent again: among others, or alone."""

    def __init__(self) -> None:
        self.among_others: deque[Attempt] = deque()
        self.suspects: deque[Attempt] = deque()
        self.is_in_doubt = False  # has something died since the cluster was last checked?

    def __bool__(self) -> bool:
        return bool(self.among_others or self.suspects)

    def clear(self) -> None:
        self.among_others.clear()
        self.suspects.clear()
        self.is_in_doubt = False

    def again(self, attempt: Attempt) -> None:
        """It was not done, and nothing died."""
        (self.suspects if attempt.is_suspect else self.among_others).append(attempt)

    def died(self, attempt: Attempt) -> None:
        self.is_in_doubt = True
        attempt.deaths += 1
        if attempt.is_suspect:
            attempt.deaths_alone += 1
            self.suspects.appendleft(attempt)
        elif attempt.deaths < TRIES:
            self.among_others.append(attempt)
        elif len(attempt.batch) > 1:
            self.among_others.extend(Attempt((fit,), TRIES) for fit in attempt.batch)
        else:
            attempt.is_suspect = True
            self.suspects.append(attempt)

    def survived(self, attempt: Attempt) -> None:
        """A suspect that is innocent: so may be the others that died with it, and they need not wait in line."""
        if attempt.is_suspect:
            self.among_others.extend(Attempt(other.batch) for other in self.suspects if not other.deaths_alone)
            self.suspects = deque(other for other in self.suspects if other.deaths_alone)

    def next_alone(self) -> Attempt | Fit:
        """What to try alone, now that the cluster was found well; or the fit that it proves to be to blame."""
        attempt = self.suspects.popleft()
        return attempt.batch[0] if attempt.deaths_alone >= TRIES_ALONE else attempt
