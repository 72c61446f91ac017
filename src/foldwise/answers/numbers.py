"""How numbers and candidates are written, the same in text and on the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MISSING = "-"


def number(value: float | None, *, digits: int = 4) -> str:
    """A number with a few significant digits and no exponent where none is needed.

    >>> number(3012.345), number(0.23456), number(1e-7), number(None), number(123456.7)
    ('3012', '0.2346', '1e-07', '-', '123457')
    """
    if value is None:
        return MISSING
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:.0f}" if abs(value) < 1e12 else f"{value:.{digits}g}"
    return f"{value:.{digits}g}"


def span(low: float | None, high: float | None) -> str:
    """An interval in words.

    >>> span(0.2, 0.35), span(None, None)
    ('0.2 to 0.35', '-')
    """
    return MISSING if low is None or high is None else f"{number(low)} to {number(high)}"


def candidate_words(candidate: Mapping[str, Any] | None) -> str:
    """A candidate on one line.

    >>> candidate_words({"alpha": 0.1, "max_depth": None}), candidate_words(None)
    ('alpha=0.1, max_depth=none', '-')
    """
    if not candidate:
        return MISSING
    return ", ".join(f"{name}={_value(value)}" for name, value in candidate.items())


def plain(text: object) -> str:
    """Text without control characters, so that a name cannot move the cursor or colour a terminal."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in str(text))


def _value(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if value == 1.0 and isinstance(value, float):  # a share: max_features=1 would be one column
        return "1.0"
    return number(value) if isinstance(value, float) else plain(value)
