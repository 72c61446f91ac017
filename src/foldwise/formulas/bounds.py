"""The dev-set guarantee for losses in a known range, and its two inverses.

With probability 1 - delta over the dev rows, the candidate that is best on them is at most `excess_bound` worse than
the best candidate (Hoeffding's inequality and a union over the candidates). It holds for models that did not see the
dev rows, and for candidates that were fixed before the dev rows were looked at.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from foldwise.errors import BadInterval

MOST_CANDIDATES = 10**300


def excess_bound(
    dev_rows: int, candidates: int, delta: float = 0.05, *, bounds: tuple[float, float] | None = (0.0, 1.0)
) -> float:
    """How much worse than the best candidate the chosen one can be: (high - low) sqrt(2 / n ln(2 |T| / delta)).

    >>> round(excess_bound(1000, 50, 0.05), 4)
    0.1233
    """
    rows, tried = _count("dev_rows", dev_rows), _count("candidates", candidates)
    return _bound(rows, tried, _share(delta), _width(bounds))


def dev_rows_needed(
    excess: float, candidates: int, delta: float = 0.05, *, bounds: tuple[float, float] | None = (0.0, 1.0)
) -> int:
    """The smallest number of dev rows whose bound is at most `excess`.

    >>> n = dev_rows_needed(0.1, 50)
    >>> excess_bound(n, 50) <= 0.1 < excess_bound(n - 1, 50)
    True
    """
    tried, wanted, delta, width = _count("candidates", candidates), _excess(excess), _share(delta), _width(bounds)
    return _smallest(lambda rows: _bound(rows, tried, delta, width) <= wanted)


def candidates_allowed(
    dev_rows: int, excess: float, delta: float = 0.05, *, bounds: tuple[float, float] | None = (0.0, 1.0)
) -> int:
    """The largest number of candidates whose bound is at most `excess`: 0 if not even one, at most 10**300.

    >>> candidates_allowed(1000, 0.1233)
    50
    """
    rows, wanted, delta, width = _count("dev_rows", dev_rows), _excess(excess), _share(delta), _width(bounds)
    first_too_many = _smallest(lambda n: n > MOST_CANDIDATES or _bound(rows, n, delta, width) > wanted)
    return first_too_many - 1


def _bound(rows: int, candidates: int, delta: float, width: float) -> float:
    # numbers beyond a float's range are sums of logarithms
    is_huge = candidates > 2**53
    log = math.log(2 * candidates) - math.log(delta) if is_huge else math.log(2 * candidates / delta)
    return width * math.sqrt(2 / rows * log)


def _smallest(is_enough: Callable[[int], bool]) -> int:
    """The smallest n >= 1 that is enough, by doubling and halving: exact where a closed form may be one off."""
    high = 1
    while not is_enough(high):
        high *= 2
    low = high // 2  # not enough, or 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _count(name: str, value: Any) -> int:
    try:
        count = operator.index(value)
    except TypeError:
        raise BadInterval(f"{name} must be a whole number, not {value!r}") from None
    if isinstance(value, bool) or count < 1:
        raise BadInterval(f"{name} must be a whole number of at least 1, not {value!r}")
    return count


def _share(delta: Any) -> float:
    if not 0 < _number("delta", delta) < 1:
        raise BadInterval(f"delta must lie between 0 and 1, not at {delta!r}", "0.05 is usual")
    return float(delta)


def _excess(excess: Any) -> float:
    if not 0 < _number("excess", excess) < math.inf:
        raise BadInterval(f"excess must be a number above 0, not {excess!r}")
    return float(excess)


def _width(bounds: Any) -> float:
    if bounds is None:
        raise BadInterval(
            "the dev-set guarantee needs a loss with a stated range",
            "Give bounds=(low, high), or use a bounded loss such as zero_one",
        )
    try:
        low, high = (_number("bounds", bound) for bound in bounds)
    except (TypeError, ValueError) as error:
        raise BadInterval(f"bounds must be two numbers (low, high), not {bounds!r}") from error
    if not 0 < high - low < math.inf:
        raise BadInterval(f"bounds must have a finite low below a finite high, not {bounds!r}")
    return high - low


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise BadInterval(f"{name} must be a number, not {value!r}") from None
