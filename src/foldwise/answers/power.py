"""How many more rows it would take to tell two methods apart."""

from __future__ import annotations

import math
from dataclasses import dataclass

from foldwise.comparisons.comparison import Comparison

MOST_ROWS = 1e9


@dataclass(frozen=True)
class RowsNeeded:
    """About how many rows would tell two methods apart, or None where no number would."""

    rows: int | None
    words: str

    def __repr__(self) -> str:
        return self.words


def rows_needed(found: Comparison, rows: int) -> RowsNeeded:
    """Rows at which the interval of this difference would no longer contain 0, if the difference stays what it is.

    The distance to the end nearest 0 falls with the square root of the rows. Repeats bring no rows: they do not narrow
    the interval.
    """
    one, other = found.names
    if found.low is None or found.high is None:
        return RowsNeeded(None, f"{one} and {other}: there is no valid interval here to say how many rows it takes.")
    gap = abs(found.value)
    reach = found.value - found.low if found.value > 0 else found.high - found.value
    if found.low > 0 or found.high < 0:
        return RowsNeeded(rows, f"{one} and {other}, looked at alone, are told apart by these {rows} rows.")
    wanted = rows * (reach / gap) ** 2 if gap > 0 else math.inf
    if wanted > MOST_ROWS:
        return RowsNeeded(
            None, f"{one} and {other} cannot be told apart by any number of rows, if they differ by no more than here."
        )
    number = math.ceil(wanted)
    words = f"To tell {one} and {other} apart you would need about {number} rows; more repeats would not do it."
    return RowsNeeded(number, words)
