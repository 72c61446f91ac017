"""How numbers, candidates and the task are written, the same in text and on the page."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

MISSING = "-"
ROUNDING = 1e-12  # relative: numbers this close are the same
MOST_PLACES = 7  # decimals; beyond, a number is written with its exponent
WARNED = re.compile(r"(\d+) fits warned: (.*)")
LARGE = 1e6  # from here on a measured number is written with its exponent: its last digits say nothing
SHARE = re.compile(r"\b(\d+)%")
MOST_NAMES = 6  # in one sentence; the table has them all


def number(value: float | None, *, digits: int = 4) -> str:
    """A number with a few significant digits and no exponent where none is needed.

    >>> number(3012.345), number(0.23456), number(1e-7), number(None), number(123456.7), number(1233392577.3)
    ('3012', '0.2346', '1e-07', '-', '123457', '1.233e+09')
    >>> number(1_500_000)  # a count
    '1500000'
    """
    if value is None:
        return MISSING
    if abs(value) >= 10 ** (digits - 1):
        is_count = isinstance(value, int) and abs(value) < 1e12
        return f"{value:.0f}" if is_count or abs(value) < LARGE else f"{value:.{digits}g}"
    return f"{value:.{digits}g}"


def less(one: float, other: float) -> float:
    """The first number less the second; 0 where they differ by rounding alone.

    >>> less(0.1 + 0.2, 0.3), less(0.5, 0.25)
    (0.0, 0.25)
    """
    rest = one - other
    return 0.0 if abs(rest) <= ROUNDING * max(abs(one), abs(other)) else rest


def span(low: float | None, high: float | None) -> str:
    """An interval in words.

    >>> span(0.2, 0.35), span(None, None)
    ('0.2 to 0.35', '-')
    """
    return MISSING if low is None or high is None else f"{number(low)} to {number(high)}"


def decimals(low: float | None, high: float | None) -> int | None:
    """How many decimals an interval supports: two digits of half its length, no more; None without an interval.

    Below 0 are digits before the point that say nothing, which are left out of large numbers alone.

    >>> decimals(0.007332, 0.04203), decimals(2338, 3662), decimals(613232903, 1853552251), decimals(None, None)
    (3, 0, -7, None)
    """
    half = 0.0 if low is None or high is None else (high - low) / 2
    if low is None or high is None or not 0 < half < math.inf:
        return None
    places = 1 - math.floor(math.log10(half))
    return places if max(abs(low), abs(high)) >= LARGE else max(0, places)


def rounded(value: float | None, places: int | None) -> str:
    """A number with so many decimals, or with four digits where its interval says nothing.

    >>> rounded(0.02468, 3), rounded(-2.5e-6, 3), rounded(45.8, None), rounded(None, 2), rounded(1233392577, -7)
    ('0.025', '0.000', '45.8', '-', '1.23e+09')
    """
    if value is None or places is None or places > MOST_PLACES:
        return number(value)
    if places < 0 or abs(value) >= LARGE:
        value = round(float(value), places)
        return f"{value:.{max(1, math.floor(math.log10(abs(value))) + 1 + places)}g}" if value else "0"
    return f"{value:.{places}f}" if round(value, places) else f"{0:.{places}f}"


def measured(value: float | None, low: float | None, high: float | None) -> tuple[str, str]:
    """A number and its interval, both with as many digits as the interval supports.

    >>> measured(0.02468, 0.007332, 0.04203), measured(3000.4, 2338.2, 3662.4), measured(0.2, None, None)
    (('0.025', '0.007 to 0.042'), ('3000', '2338 to 3662'), ('0.2', '-'))
    """
    places = decimals(low, high)
    around = MISSING if low is None or high is None else f"{rounded(low, places)} to {rounded(high, places)}"
    return rounded(value, places), around


def candidate_words(candidate: Mapping[str, Any] | None) -> str:
    """A candidate on one line.

    >>> candidate_words({"alpha": 0.1, "max_depth": None}), candidate_words(None)
    ('alpha=0.1, max_depth=none', '-')
    """
    if not candidate:
        return MISSING
    return ", ".join(f"{name}={_value(value)}" for name, value in candidate.items())


def loss_words(found: Mapping[str, Any]) -> str:
    """What the numbers of an answer or a curve are called.

    >>> loss_words({"loss": "squared"}), loss_words({"loss": "roc_auc", "loss_label": "1 - AUC"})
    ('squared loss', '1 - AUC')
    """
    return str(found.get("loss_label") or f"{found.get('loss')} loss")


def listed(names: Sequence[str]) -> str:
    """Names in a sentence; of many the first ones and how many others.

    >>> listed(["ridge"]), listed(["ridge", "k-nn", "forest"])
    ('ridge', 'ridge, k-nn and forest')
    >>> listed(list("abcdefgh"))
    'a, b, c, d, e and 3 others'
    """
    shown = [plain(name) for name in names]
    if len(shown) > MOST_NAMES:
        shown = [*shown[: MOST_NAMES - 1], f"{len(shown) - MOST_NAMES + 1} others"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def plain(text: object) -> str:
    """Text without control characters, so that a name cannot move the cursor or colour a terminal."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in str(text))


def _value(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if value == 1.0 and isinstance(value, float):  # a share: max_features=1 would be one column
        return "1.0"
    return number(value) if isinstance(value, float) else plain(value)


def with_reason(text: str, code: str, notes: Iterable[tuple[str, str]]) -> str:
    """A fact with the note that says why it is so, in brackets.

    >>> with_reason("binary", "task", [("task", "the target is text: binary")])
    'binary (the target is text)'
    """
    reasons = [reason for kind, reason in notes if kind == code]
    return f"{text} ({reasons[0].removesuffix(f': {text}')})" if reasons else text
