"""What one fit may take."""

from __future__ import annotations

from dataclasses import dataclass

from foldwise.errors import BadStudy


@dataclass(frozen=True)
class Limits:
    """Wall time and memory of one fit; None: as much as it wants."""

    seconds: float | None = None
    gigabytes: float | None = None

    def __post_init__(self) -> None:
        for name, value, unit in (("time", self.seconds, "seconds"), ("memory", self.gigabytes, "gigabytes")):
            if value is not None and not (isinstance(value, int | float) and 0 < value < float("inf")):
                raise BadStudy(f"the {name} limit of a fit must be a positive number of {unit}, not {value!r}")

    @property
    def bytes(self) -> float | None:
        return None if self.gigabytes is None else self.gigabytes * 1e9

    def __bool__(self) -> bool:
        return self.seconds is not None or self.gigabytes is not None
