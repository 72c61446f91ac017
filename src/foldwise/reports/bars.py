"""Intervals drawn with characters, on one scale for all rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

LEFT, LINE, RIGHT, VALUE, OTHER, BLOCK = "├", "─", "┤", "●", "○", "█"
# For terminals without these characters.
PLAIN_LETTERS = str.maketrans({LEFT: "|", LINE: "-", RIGHT: "|", VALUE: "o", OTHER: ".", BLOCK: "#", "│": "|"})


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


def gap_bar(train: float | None, test: float | None, *, start: float, stop: float, width: int) -> str:
    """Training error and test error on the scale from `start` to `stop`, and the gap between them as a line.

    >>> gap_bar(2, 6, start=0, stop=10, width=11)
    '  ○───●    '
    """
    letters = [" "] * width
    places = [None if value is None else _place(value, start, stop, width) for value in (train, test)]
    known = [place for place in places if place is not None]
    if known:
        letters[min(known) : max(known) + 1] = LINE * (max(known) + 1 - min(known))
    for place, mark in zip(places, (OTHER, VALUE), strict=True):
        if place is not None:
            letters[place] = mark
    return "".join(letters)


def block_bar(value: float, most: float, width: int) -> str:
    """A bar as long as the value is large, of at least one character where it is more than 0.

    >>> block_bar(5, 10, 8), block_bar(0.1, 10, 8), block_bar(0, 10, 8)
    ('████', '█', '')
    """
    return BLOCK * max(round(width * value / most), 1) if value > 0 and most > 0 else ""


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
