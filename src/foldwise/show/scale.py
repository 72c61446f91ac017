"""Scales and ticks: where numbers stand in a picture, and what is written beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from foldwise.blocks.block import Strip, Table
from foldwise.blocks.numbers import number

MOST_DIGITS = 8  # of a tick, beyond which the shorter form with an exponent is written


@dataclass(frozen=True)
class Scale:
    """Numbers to places between `start` and `stop`, linear or by logarithm."""

    low: float
    high: float
    start: float = 0.0
    stop: float = 100.0
    is_log: bool = False

    def __call__(self, value: float) -> float:
        low, high, value = (math.log10(v) if self.is_log else v for v in (self.low, self.high, value))
        share = (value - low) / (high - low) if high > low else 0.5
        return self.start + min(max(share, 0.0), 1.0) * (self.stop - self.start)

    def ticks(self, count: int = 5) -> list[float]:
        return _log_ticks(self.low, self.high, count) if self.is_log else ticks(self.low, self.high, count)

    def between(self, start: float, stop: float) -> Scale:
        """The same numbers at other places."""
        return Scale(self.low, self.high, start, stop, self.is_log)


def make_scale(values: Iterable[float | None], *, zero: bool = False, pad: float = 0.04, is_log: bool = False) -> Scale:
    """A scale that holds all these numbers with a little room at both ends."""
    known = [value for value in values if value is not None and math.isfinite(value)] + ([0.0] if zero else [])
    if is_log and (positive := [value for value in known if value > 0]):
        return Scale(min(positive) / 1.15, max(positive) * 1.15, is_log=True)
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    room = pad * (high - low) or pad * abs(high) or 0.5
    return Scale(low - room, high + room)


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round numbers within a range, about so many.

    >>> ticks(0, 1), ticks(2338, 4120, 4)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [2500.0, 3000.0, 3500.0, 4000.0])
    """
    if not high > low:
        return [low]
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * 0.99)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(at * step, 12 - math.floor(math.log10(step))) for at in range(first, last + 1)]


def _log_ticks(low: float, high: float, count: int) -> list[float]:
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    every = max(1, math.ceil((last - first + 1) / count))
    return [10.0**power for power in range(first, last + 1, every)] or [low]


def tick_words(values: Sequence[float]) -> list[str]:
    """Ticks as people write them.

    >>> tick_words([0.0001, 1, 2500, 1e6]), tick_words([1e-9])
    (['0.0001', '1', '2,500', '1,000,000'], ['1e-09'])
    >>> tick_words([-2e9, 0, 2e9]), tick_words([1e9 + 1, 1e9 + 2])
    (['-2e+09', '0', '2e+09'], ['1,000,000,001', '1,000,000,002'])
    """
    # ticks are exact, so that large ones keep every digit where they would be the same without
    words = [
        f"{value:,.0f}" if 1e3 <= abs(value) < 1e12 else number(value, digits=5) if value else "0" for value in values
    ]
    short = [f"{value:.4g}" for value in values]
    is_long = any(len(word.replace(",", "")) > MOST_DIGITS for word in words) and len(set(short)) == len(short)
    return short if is_long else words


def strip_scale(table: Table) -> Scale:
    """The scale that all rows of a table share."""
    strip = table.strip or Strip()
    values: list[float | None] = [strip.line]
    for row in table.rows:
        if row.drawn is not None:
            drawn = row.drawn
            values += [drawn.value, drawn.low, drawn.high, drawn.start, *(drawn.wide or ())]
            values += [point for point, _ in drawn.points]
    if strip.most is not None:
        values = [value for value in values if value is not None and value <= strip.most]
    return make_scale(values, zero=strip.has_zero, is_log=strip.is_log)
