"""Permutation importance as text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from foldwise.blocks.numbers import MISSING, measured, number, plain

Found = Mapping[str, Any]
MOST_LISTED = 10  # columns; the record has all
SHORTEST_NAME, LONGEST_NAME = 8, 30


def measured_methods(methods: Iterable[Found]) -> Iterator[tuple[str, Found]]:
    """Those methods whose importance was measured on every outer split, in the same order."""
    for method in methods:
        found = method.get("importance")
        if found and found["columns"]:
            yield method["name"], found


def importance_text(name: str, found: Found, *, width: int = 100) -> str:
    """The columns that matter most, one a line, the smallest and the largest outer split in brackets.

    >>> column = {"name": "age", "increase": 12.4, "low": 8.0, "high": 20.0}
    >>> print(importance_text("ridge", {"loss": "squared", "shuffles": 5, "of": 7, "columns": [column]}, width=60))
    Permutation importance: the squared loss of ridge with a
    column shuffled, less that without (mean of 7 outer splits,
    the smallest and the largest in brackets):
      age  12.4  (8.0 to 20.0)
    """
    splits = (
        "one outer split"
        if found["of"] == 1
        else f"mean of {found['of']} outer splits, the smallest and the largest in brackets"
    )
    head = f"Permutation importance: the {found['loss']} loss of {name} with a column shuffled, less that without "
    shown, rest = found["columns"][:MOST_LISTED], found["columns"][MOST_LISTED:]
    numbers = [column_numbers(column) for column in shown]
    room = width - 2 - max(len(value) + len(around) + 6 for value, around in numbers)
    names = [_short(plain(column["name"]), max(room, SHORTEST_NAME)) for column in shown]
    cells = [(name, *both) for name, both in zip(names, numbers, strict=True)]
    wide = [max(len(cell[at]) for cell in cells) for at in range(2)]
    lines = [
        f"  {label:<{wide[0]}}  {value:>{wide[1]}}" + ("" if around == MISSING else f"  ({around})")
        for label, value, around in cells
    ]
    lines += [f"  {len(rest)} others: {number(rest[0]['increase'], digits=2)} or less"] if rest else []
    words = textwrap.fill(f"{head}({splits}):", min(width, 110), break_long_words=False, break_on_hyphens=False)
    return "\n".join([words, *lines])


def column_numbers(column: Found) -> tuple[str, str]:
    """The mean and the ends of the outer splits, with the digits that their spread supports."""
    low, high = column["low"], column["high"]
    return measured(column["increase"], low, high) if low < high else (number(column["increase"], digits=3), MISSING)


def _short(name: str, most: int) -> str:
    most = min(most, LONGEST_NAME)
    return name if len(name) <= most else name[: most - 1] + "…"
