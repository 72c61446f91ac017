"""How a study is run: where, on how many workers, within which limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from foldwise.errors import BadStudy
from foldwise.splits.part import whole_number
from foldwise.tuners.budget import read_seconds

if TYPE_CHECKING:
    from foldwise.executors.executor import Executor


@dataclass(frozen=True)
class Limits:
    """Wall time and memory of one fit; None: as much as it wants."""

    seconds: float | None = None
    gigabytes: float | None = None

    def __post_init__(self) -> None:
        _check_positive("time limit of a fit", self.seconds, "seconds")
        _check_positive("memory limit of a fit", self.gigabytes, "gigabytes")

    @property
    def bytes(self) -> float | None:
        return None if self.gigabytes is None else self.gigabytes * 1e9

    def __bool__(self) -> bool:
        return self.seconds is not None or self.gigabytes is not None


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
    time_limit: float | None = None  # seconds, for the whole run; a text such as "2 min" is read

    def __post_init__(self) -> None:
        if self.jobs is not None:
            object.__setattr__(self, "jobs", whole_number(self.jobs, "jobs", least=1, error=BadStudy))
        if self.address is not None and not isinstance(self.address, str):
            raise BadStudy(f"the address of a cluster must be a text, not {self.address!r}")
        if self.isolate not in (None, True, False):
            raise BadStudy(f"isolate must be True, False or None, not {self.isolate!r}")
        if self.time_limit is not None:
            object.__setattr__(self, "time_limit", read_seconds(self.time_limit, "time limit"))
        _ = self.limits  # which checks the other two

    @property
    def limits(self) -> Limits:
        """What one fit may take."""
        return Limits(self.fit_timeout, self.fit_memory)


def _check_positive(what: str, value: object, unit: str) -> None:
    if value is not None and not (isinstance(value, int | float) and 0 < value < float("inf")):
        raise BadStudy(f"the {what} must be a positive number of {unit}, not {value!r}")
