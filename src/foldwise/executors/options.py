"""How a study is run: where, on how many workers, within which limits."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from foldwise.errors import BadStudy
from foldwise.executors.limits import Limits
from foldwise.splits.part import whole_number

if TYPE_CHECKING:
    from foldwise.executors.executor import Executor


@dataclass(frozen=True)
class RunOptions:
    """The options of `compare` that say how fits are run. No number depends on them.

    >>> RunOptions(jobs=4, fit_timeout=60).limits
    Limits(seconds=60, gigabytes=None)
    >>> RunOptions(jobs=0)
    Traceback (most recent call last):
    foldwise.errors.BadStudy: jobs must be a whole number of at least 1, not 0.
    """

    jobs: int | None = None  # None: as many as there are cores
    engine: str | Executor = "local"
    address: str | None = None  # of a cluster that is running already
    isolate: bool | None = None  # None: in processes of their own where that pays or a limit needs it
    fit_timeout: float | None = None  # seconds
    fit_memory: float | None = None  # gigabytes
    time_limit: float | None = None  # seconds, for the whole run

    def __post_init__(self) -> None:
        if self.jobs is not None:
            object.__setattr__(self, "jobs", whole_number(self.jobs, "jobs", least=1, error=BadStudy))
        if self.address is not None and not isinstance(self.address, str):
            raise BadStudy(f"the address of a cluster must be a text, not {self.address!r}")
        if self.isolate not in (None, True, False):
            raise BadStudy(f"isolate must be True, False or None, not {self.isolate!r}")
        if self.time_limit is not None and not _is_positive(self.time_limit):
            raise BadStudy(f"the time limit must be a positive number of seconds, not {self.time_limit!r}")
        _ = self.limits  # which checks the other two

    @property
    def limits(self) -> Limits:
        """What one fit may take."""
        return Limits(self.fit_timeout, self.fit_memory)


OPTION_NAMES = tuple(field.name for field in fields(RunOptions))


def _is_positive(value: object) -> bool:
    return isinstance(value, int | float) and 0 < value < float("inf")
