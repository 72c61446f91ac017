"""Intervals drawn with characters, on one scale for all rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

LEFT, LINE, RIGHT, VALUE = "├", "─", "┤", "●"
# For terminals without these characters.
PLAIN_LETTERS = str.maketrans({LEFT: "|", LINE: "-", RIGHT: "|", VALUE: "o", "│": "|"})


def interval_bar(
    value: float | None, low: float | None, high: float | None, *, start: float, stop: float, width: int
) -> str:
    """One interval on the scale from `start` to `stop`, in so many characters.

    >>> interval_bar(3, 2, 5, start=0, stop=10, width=11)
    '  ├●─┤     '
    >>> interval_bar(3, None, None, start=0, stop=10, width=11)
    '   ●       '
    """
    if value is None:
        return " " * width
    letters = [" "] * width
    at = _place(value, start, stop, width)
    if low is not None and high is not None:
        first, last = _place(low, start, stop, width), _place(high, start, stop, width)
        letters[first : last + 1] = LINE * (last + 1 - first)
        letters[first], letters[last] = LEFT, RIGHT
    letters[at] = VALUE
    return "".join(letters)


def make_bars(methods: Sequence[Mapping[str, Any]], width: int) -> Callable[[Mapping[str, Any]], str]:
    """Draws the risk of any of these methods with its interval, all on the scale that holds them all."""
    known = [method.get(key) for method in methods for key in ("risk", "low", "high")]
    numbers = [value for value in known if value is not None]
    start, stop = (min(numbers), max(numbers)) if numbers else (0.0, 1.0)
    return lambda method: interval_bar(
        method.get("risk"), method.get("low"), method.get("high"), start=start, stop=stop, width=width
    )


def _place(value: float, start: float, stop: float, width: int) -> int:
    share = (value - start) / (stop - start) if stop > start else 0.5
    return round(min(max(share, 0.0), 1.0) * (width - 1))
