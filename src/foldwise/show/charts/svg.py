"""The alphabet of the charts: escaped tags, scales and ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from foldwise.blocks.numbers import number

MOST_DIGITS = 8  # of a tick, beyond which the shorter form with an exponent is written


def tag(name: str, *children: Any, **attributes: Any) -> Markup:
    """One element; text and attributes are escaped, None leaves an attribute out.

    >>> tag("text", "a < b", class_="tick", text_anchor="end", x=1 / 3)
    Markup('<text class="tick" text-anchor="end" x="0.33">a &lt; b</text>')
    """
    parts = (f' {_name(key)}="{escape(_value(value))}"' for key, value in attributes.items() if value is not None)
    return Markup(f"<{name}{''.join(parts)}>{''.join(escape(child) for child in children)}</{name}>")


def join(parts: Iterable[Any]) -> Markup:
    """Elements one after another."""
    return Markup("").join(parts)


def _name(key: str) -> str:
    if key == "view_box":
        return "viewBox"
    return key.rstrip("_").replace("_", "-")


def _value(value: Any) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Scale:
    """Numbers to places between `start` and `stop` (percent of a width, or points), linear or by logarithm."""

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

    def within(self, start: float, stop: float) -> Scale:
        return Scale(self.low, self.high, start, stop, self.is_log)


def make_scale(values: Iterable[float | None], *, zero: bool = False, pad: float = 0.04, **places: Any) -> Scale:
    """A scale that holds all these numbers with a little room at both ends."""
    known = [value for value in values if value is not None and math.isfinite(value)] + ([0.0] if zero else [])
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    room = pad * (high - low) or pad * abs(high) or 0.5
    return Scale(low - room, high + room, **places)


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
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(at * step, 12 - math.floor(math.log10(step))) for at in range(first, last + 1)]


def _log_ticks(low: float, high: float, count: int) -> list[float]:
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    every = max(1, math.ceil((last - first + 1) / count))
    return [10.0**power for power in range(first, last + 1, every)]


def tick_words(values: list[float]) -> list[str]:
    """Ticks as people write them.

    >>> tick_words([0.0001, 1, 2500, 1e6]), tick_words([1e-9])
    (['0.0001', '1', '2500', '1000000'], ['1e-09'])
    >>> tick_words([-2e9, 0, 2e9]), tick_words([1e9 + 1, 1e9 + 2])
    (['-2e+09', '0', '2e+09'], ['1000000001', '1000000002'])
    """
    # ticks are exact, so that large ones keep every digit where they would be the same without
    words = [
        f"{value:.0f}" if 1e4 <= abs(value) < 1e12 else number(value, digits=5) if value else "0" for value in values
    ]
    short = [f"{value:.4g}" for value in values]
    is_long = any(len(word) > MOST_DIGITS for word in words) and len(set(short)) == len(short)
    return short if is_long else words
