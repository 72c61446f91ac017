"""An estimate: a number, its interval or none, and what it estimates."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from foldwise.arrays import FloatArray
from foldwise.shown import words_html


@dataclass(frozen=True, repr=False)
class Estimate:
    """A risk with its interval, a text that says which risk it is, and the losses it was computed from.

    `details` holds further results of the method: standard error, degrees of freedom, inflation and so on.

    `value`: the risk.
    `low`, `high`: the ends of its interval, or None where none is valid.
    `level`: the coverage that the interval is made for.
    `interval`: the name of the interval.
    `target`: which risk it is, in words.
    `train_rows`: how many rows the models were trained on.
    `losses`: those that it was computed from.
    `fits`: how many fits it rests on.
    `notes`: pairs of a code and a sentence.
    `details`: further results of the method.

    >>> Estimate(0.234, 0.201, 0.267, 0.95, "corrected t", "the tuned learner", 408)
    0.234 (0.201 to 0.267, 95% corrected t): the tuned learner at 408 training rows
    >>> Estimate(0.234, 0.201, 0.267, 0.95, "corrected t", "the tuned learner", 408).to_dict()["high"]
    0.267
    """

    value: float
    low: float | None = None
    high: float | None = None
    level: float = 0.95
    interval: str | None = None
    target: str = ""
    train_rows: float | None = None
    losses: FloatArray | None = field(default=None, compare=False)
    fits: int = 0
    notes: tuple[tuple[str, str], ...] = ()
    details: dict[str, Any] = field(default_factory=dict, compare=False)

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        target = self._target_words()
        return f"{self._numbers()}: {target}" if target else self._numbers()

    def _repr_html_(self) -> str:
        return words_html(repr(self))

    def to_dict(self) -> dict[str, Any]:
        """The estimate in plain values for JSON; what cannot be given is None."""
        return {
            "value": plain_number(self.value),
            "low": plain_number(self.low),
            "high": plain_number(self.high),
            "level": self.level,
            "interval": self.interval,
            "target": self.target,
            "train_rows": self.train_rows,
            "losses": None if self.losses is None else [plain_number(loss) for loss in self.losses.tolist()],
            "fits": self.fits,
            "notes": [{"code": code, "text": text} for code, text in self.notes],
            "findings": self.details.get("findings", []),
            "details": {name: _plain(value) for name, value in self.details.items()},
        }

    def _numbers(self) -> str:
        if self.low is None or self.high is None:
            return f"{same_digits(self.value)[0]} (no interval)"
        value, low, high = same_digits(self.value, self.low, self.high)
        return f"{value} ({low} to {high}, {percent(self.level)} {self.interval})"

    def _target_words(self) -> str:
        if self.train_rows is None or "training rows" in self.target:
            return self.target
        return f"{self.target} at {self.train_rows:g} training rows".strip()


def same_digits(*values: float) -> tuple[str, ...]:
    """Numbers written with the same number of decimals, three significant digits for the largest.

    >>> same_digits(0.23412, 0.2014, 0.26689)
    ('0.234', '0.201', '0.267')
    >>> same_digits(2934.3, 88.25)
    ('2934', '88')
    """
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    if largest == 0:
        return tuple(f"{value:.3g}" for value in values)
    decimals = 2 - math.floor(math.log10(largest))
    if not -7 < decimals < 8:
        return tuple(f"{value:.3g}" for value in values)
    return tuple(f"{value:.{max(decimals, 0)}f}" for value in values)


def percent(level: float) -> str:
    """A level as people say it.

    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * level:.4g}%"


def _plain(value: Any) -> Any:
    """A detail for JSON: numbers that are not finite become None, arrays and tuples lists."""
    if isinstance(value, float):
        return plain_number(value)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if hasattr(value, "to_dict"):
        return value.to_dict()
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def plain_number(value: float | None) -> float | None:
    """The number, or None where JSON has no such number."""
    return float(value) if value is not None and math.isfinite(value) else None
