"""How many rows it would take to tell two methods apart."""

from __future__ import annotations

import math
from dataclasses import dataclass

from foldwise.blocks.numbers import number
from foldwise.shown import words_html
from foldwise.stats.comparison import Comparison

MOST_ROWS = 1e9
POWER = 0.8


@dataclass(frozen=True)
class RowsNeeded:
    """How many rows give an 80% chance to tell two methods apart; None where no number does, or none can be said.

    `low` and `high` belong to the largest and the smallest difference that the interval allows, `rows` to the one
    that was found.
    """

    low: int | None
    rows: int | None
    high: int | None
    words: str

    def __repr__(self) -> str:
        return self.words

    def _repr_html_(self) -> str:
        return words_html(self.words)


def rows_needed(found: Comparison, rows: int) -> RowsNeeded:
    """Rows at which a new interval of this difference excludes 0 with 80% probability, at the same level.

    The standard error falls with the square root of the rows. Repeats bring no rows.
    """
    one, other = found.names
    if found.low is None or found.high is None:
        words = f"{one} and {other}: there is no valid interval here to say how many rows it takes."
        return RowsNeeded(None, None, None, words)
    ends = sorted((abs(found.low), abs(found.high)))
    is_apart = found.low > 0 or found.high < 0
    most, least = ends[1], ends[0] if is_apart else 0.0
    low, middle, high = (_rows_for(size, found, rows) for size in (most, abs(found.value), least))
    if low is None:
        words = f"{one} and {other} cannot be told apart by any number of rows, if they differ by no more than here."
    elif is_apart:
        words = (
            f"{one} and {other} are told apart by these {rows} rows. A new study would need {_span(low, high)} rows "
            f"for {_chance(found)}, as they differ by {number(most, digits=3)} to {number(least, digits=3)}."
        )
    else:
        seen = "" if middle is None else f", about {middle} if by {number(abs(found.value), digits=3)} as found here"
        words = (
            f"For {_chance(found)} to tell {one} and {other} apart you would need about {low} rows if they differ by "
            f"{number(most, digits=3)}, the most that the interval allows{seen}; if they do not differ, no number "
            "is enough. More repeats would not do it."
        )
    return RowsNeeded(low, middle, high, words)


def _rows_for(size: float, found: Comparison, rows: int) -> int | None:
    """Rows for an 80% chance to see a difference of this size; None where that is no number worth naming."""
    assert found.low is not None
    assert found.high is not None
    reach = found.value - found.low if found.value > 0 else found.high - found.value  # towards 0
    wanted = rows * (reach * _stretch(found) / size) ** 2 if size > 0 else math.inf
    return None if wanted > MOST_ROWS or wanted == 0 else math.ceil(wanted)


def _stretch(found: Comparison) -> float:
    """Times the reach of its interval that a difference must have to be seen with 80% probability."""
    from scipy import stats

    law = stats.norm if found.df is None else stats.t(found.df)
    reach = float(law.ppf(0.5 + found.level / 2))
    return (reach + float(law.ppf(POWER))) / reach


def _chance(found: Comparison) -> str:
    return f"an {POWER:.0%} chance (at the {100 * found.level:.3g}% level)"


def _span(low: int, high: int | None) -> str:
    if high is None:
        return f"at least about {low}"
    return f"about {low}" if low == high else f"about {low} to {high}"
