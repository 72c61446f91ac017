"""Intervals drawn with characters, on one scale for all rows of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LEFT, LINE, RIGHT, VALUE, OTHER, BLOCK, FURTHER = "├", "─", "┤", "●", "○", "█", "→"
LABEL = 7  # characters for each number below a drawing
LEAST = 3  # characters of the drawn interval of the smallest risk
# For terminals without these characters.
PLAIN_LETTERS = str.maketrans("├─┤●○█→│", "|-|o.#>|")


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


@dataclass(frozen=True)
class Bars:
    """Risks with their intervals, each on one line of `width` characters, on the scale that holds them all.

    A method far beyond the others does not squeeze them: its line ends in an arrow.
    """

    start: float
    stop: float
    width: int

    def __call__(self, method: Mapping[str, Any]) -> str:
        risk, low, high = (method.get(key) for key in ("risk", "low", "high"))
        drawn = interval_bar(risk, low, high, start=self.start, stop=self.stop, width=self.width)
        return f"{drawn[:-1]}{FURTHER}" if (method.get("risk") or self.stop) > self.stop else drawn

    @property
    def scale(self) -> str:
        """Round numbers below the places where they lie.

        >>> Bars(0.0, 10.0, 21).scale
        '0         5        10'
        """
        from foldwise.show.charts.svg import tick_words, ticks

        for count in range(max(2, self.width // LABEL), 0, -1):
            places = ticks(self.start, self.stop, count)
            line = self._labels(list(zip(places, tick_words(places), strict=True)))
            if line is not None:
                return line
        return ""

    def _labels(self, ticks: list[tuple[float, str]]) -> str | None:
        """Labels below their places; None where two would meet."""
        line = ""
        for value, word in ticks:
            spot = _label(self._place(value), word, self.width)
            if (line and spot <= len(line)) or spot + len(word) > self.width:
                return None
            line = line.ljust(spot) + word
        return line

    def _place(self, value: float) -> int:
        return _place(value, self.start, self.stop, self.width)


def make_bars(methods: Sequence[Mapping[str, Any]], width: int) -> Bars:
    """Draws the risk of any of these methods; the smallest risk's interval has at least three characters."""
    known = [method.get(key) for method in methods for key in ("risk", "low", "high")]
    numbers = [value for value in known if value is not None]
    start, stop = (min(numbers), max(numbers)) if numbers else (0.0, 1.0)
    reach = [m["high"] - start for m in methods if m.get("high") is not None and m.get("risk") is not None]
    if reach and min(reach) > 0:
        stop = min(stop, start + min(reach) * width / LEAST)
    return Bars(start, stop, width)


def _label(place: int, words: str, width: int) -> int:
    """Where a label begins that stands in the middle below its place, within the line."""
    return max(0, min(place - len(words) // 2, width - len(words)))


def _place(value: float, start: float, stop: float, width: int) -> int:
    share = (value - start) / (stop - start) if stop > start else 0.5
    return round(min(max(share, 0.0), 1.0) * (width - 1))
