"""The guarantee of a development set, for a terminal: a sentence, and what more rows would give."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from foldwise.blocks.numbers import number
from foldwise.show.terminal import block_bar
from foldwise.stats.bounds import dev_rows_needed, excess_bound

DRAWN = 40  # characters of the longest bar
TIMES = (1, 4, 16)  # as many rows: each step halves the bound


def bound_text(answer: Mapping[str, Any], *, width: int = 80) -> str:
    """The answer of `foldwise bound` as a sentence, with the bound at 4 and 16 times the rows.

    >>> asked = {"rows": 100, "candidates": 30, "excess": 0.3766, "delta": 0.05, "bounds": [0.0, 1.0]}
    >>> print(bound_text(asked).partition(chr(10) * 2)[2])
    development rows   at most
                 100    0.3766   ████████████████████████████████████████
                 400    0.1883   ████████████████████
               1,600   0.09414   ██████████
    """
    rows, candidates, delta = answer["rows"], answer["candidates"], answer["delta"]
    if candidates == 0:
        none = f"With {rows:,} development rows not even one candidate has the bound {answer['excess']:g}"
        least = dev_rows_needed(answer["excess"], 1, delta, bounds=answer["bounds"])
        return textwrap.fill(f"{none} with probability {1 - delta:g} or more: it takes {least:,} rows.", width)
    words = (
        f"With {rows:,} development rows and {candidates:,} candidates, the chosen model (fitted on the training rows "
        f"alone) has at most {answer['excess']:.4g} more risk than the best of them, with probability {1 - delta:g} or "
        "more."
    )
    bounds = [(rows * times, excess_bound(rows * times, candidates, delta, bounds=answer["bounds"])) for times in TIMES]
    most = bounds[0][1]
    lines = [f"{count:>16,}   {number(value):>7}   {block_bar(value, most, DRAWN)}" for count, value in bounds]
    return "\n".join([textwrap.fill(words, width), "", "development rows   at most", *lines])
