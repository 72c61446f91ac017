"""The dev-set guarantee for losses in a known range, and its two inverses.

With probability 1 - delta over the dev rows, the candidate that is best on them is at most `excess_bound` worse than
the best candidate (Hoeffding's inequality and a union over the candidates). It holds for models that did not see the
dev rows, and for candidates that were fixed before the dev rows were looked at.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from foldwise.errors import BadInterval
from foldwise.stats.array_checks import checked_bounds, checked_count, checked_level, checked_number, checked_table

MOST_CANDIDATES = 10**300


def excess_bound(
    dev_rows: int, candidates: int, delta: float = 0.05, *, bounds: tuple[float, float] | None = (0.0, 1.0)
) -> float:
    """How much worse than the best candidate the chosen one can be: (high - low) sqrt(2 / n ln(2 |T| / delta)).

    `dev_rows`: rows it was chosen on. `candidates`: how many were tried, fixed beforehand. `delta`: the chance that
    the bound fails. `bounds`: the smallest and the largest loss.

    >>> round(excess_bound(1000, 50, 0.05), 4)
    0.1233
    """
    rows, tried = checked_count("dev_rows", dev_rows), checked_count("candidates", candidates)
    return _bound(rows, tried, _checked_delta(delta), _width(bounds))


def uniform_bound(
    dev_rows: int, candidates: int, delta: float = 0.05, *, bounds: tuple[float, float] | None = (0.0, 1.0)
) -> float:
    """How far any candidate's dev loss can be from its risk, the chosen one's included: half of `excess_bound`.

    >>> round(uniform_bound(1000, 50, 0.05), 4)
    0.0616
    """
    return excess_bound(dev_rows, candidates, delta, bounds=bounds) / 2


def paired_excess_bound(
    dev_rows: int, candidates: int, delta: float = 0.05, *, bounds: tuple[float, float] | None = (0.0, 1.0)
) -> float:
    """`excess_bound` by differences to each rival, and sharper: (high - low) sqrt(2 / n ln((|T| - 1) / delta)).

    >>> round(paired_excess_bound(1000, 50, 0.05), 4)
    0.1174
    """
    rows, rivals = checked_count("dev_rows", dev_rows), checked_count("candidates", candidates) - 1
    delta, width = _checked_delta(delta), _width(bounds)
    if rivals == 0:
        return 0.0
    return width * math.sqrt(2 / rows * (math.log(rivals) - math.log(delta)))


def observed_excess_bound(
    losses: Any, delta: float = 0.05, *, bounds: tuple[float, float] | None = (0.0, 1.0), chosen: int | None = None
) -> float:
    """The excess of the chosen candidate from the dev losses[row, candidate], sharp where rivals err on the same rows.

    On the chosen candidate's difference to each rival, one of which is the best candidate, at delta / (candidates - 1)
    each: the smaller of the empirical Bernstein (Maurer and Pontil, 2009) and Hoeffding bounds, half of it for each.

    >>> same = np.tile([[0.0], [1.0]], (500, 3))
    >>> observed_excess_bound(same) < paired_excess_bound(1000, 3)
    True
    """
    table = checked_table(losses, method="the observed excess bound", axes=("row", "candidate"))
    width, delta = _width(bounds), _checked_delta(delta)
    assert bounds is not None  # _width refused that
    rows, candidates = table.shape
    if table.min() < bounds[0] or table.max() > bounds[1]:
        raise BadInterval(f"dev losses from {table.min():g} to {table.max():g} are outside the bounds {bounds!r}")
    if candidates == 1:
        return 0.0
    means = table.mean(axis=0)
    at = int(means.argmin()) if chosen is None else chosen
    gaps = np.delete(table[:, [at]] - table, at, axis=1)
    log = math.log(2 * 2 * (candidates - 1) / delta)
    # differences have twice the range of the losses
    bernstein = np.sqrt(2 * gaps.var(axis=0, ddof=1) * log / rows) + 2 * width * 7 * log / (3 * (rows - 1))
    hoeffding = width * math.sqrt(2 / rows * math.log(2 * (candidates - 1) / delta))
    return max(0.0, float((gaps.mean(axis=0) + np.minimum(bernstein, hoeffding)).max()))


def dev_rows_needed(
    excess: float, candidates: int, delta: float = 0.05, *, bounds: tuple[float, float] | None = (0.0, 1.0)
) -> int:
    """The smallest number of dev rows whose bound is at most `excess`.

    `candidates`, `delta`, `bounds`: as in `excess_bound`.

    `excess`: over the best candidate, in the unit of the loss.

    >>> n = dev_rows_needed(0.1, 50)
    >>> excess_bound(n, 50) <= 0.1 < excess_bound(n - 1, 50)
    True
    """
    tried, wanted = checked_count("candidates", candidates), checked_number("excess", excess, above=0)
    delta, width = _checked_delta(delta), _width(bounds)
    return _smallest(lambda rows: _bound(rows, tried, delta, width) <= wanted)


def candidates_allowed(
    dev_rows: int, excess: float, delta: float = 0.05, *, bounds: tuple[float, float] | None = (0.0, 1.0)
) -> int:
    """The largest number of candidates whose bound is at most `excess`: 0 if not even one, at most 10**300.

    `dev_rows`, `delta`, `bounds`: as in `excess_bound`.

    `excess`: over the best candidate, in the unit of the loss.

    >>> candidates_allowed(1000, 0.1233)
    50
    """
    rows, wanted = checked_count("dev_rows", dev_rows), checked_number("excess", excess, above=0)
    delta, width = _checked_delta(delta), _width(bounds)
    first_too_many = _smallest(lambda n: n > MOST_CANDIDATES or _bound(rows, n, delta, width) > wanted)
    return first_too_many - 1


def release(loss: float, best: float, *, step: float) -> float:
    """The smallest released loss after one more submission, which counts if it is better by more than a step.

    >>> release(0.25, 0.3, step=0.02), release(0.29, 0.3, step=0.02)
    (0.24, 0.3)
    """
    step = checked_number("the step of a ladder", step, above=0)
    return round(step * round(loss / step), 12) if loss < best - step else best


def ladder_reach(
    submitted: int, rows: int, *, step: float, width: float = 1.0, level: float = 0.95
) -> tuple[float, float]:
    """How far the smallest true risk may lie below and above the smallest released loss, however models were made.

    A model can depend on the test set only through what was released: numbers in steps, which never rise. So the
    models that could have come as number t are at most as many as such lists of t - 1 numbers, and Hoeffding's bound
    holds for all of them at once; t spends 6 / (pi t)^2 of the error, so that no end of submissions need be known.
    `width` is the range of the loss.

    >>> [round(reach, 3) for reach in ladder_reach(100, 10_000, step=0.01)]
    [0.096, 0.091]
    """
    t, n, level = checked_count("submitted", submitted), checked_count("rows", rows), checked_level(level)
    values = math.floor(width / step + 1.5)  # multiples of the step that a loss can be rounded to
    lists = math.lgamma(t + values) - math.lgamma(values + 1) - math.lgamma(t)
    spent = math.log((1 - level) * 6 / (math.pi * t) ** 2)
    noise = width * math.sqrt((math.log(2) + lists - spent) / (2 * n))
    return noise + step, noise + step / 2


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


def _checked_delta(delta: Any) -> float:
    return checked_number("delta", delta, above=0, below=1, remedy="0.05 is usual")


def _width(bounds: Any) -> float:
    low, high = checked_bounds(bounds, method="the dev-set guarantee", instead="use a bounded loss such as zero_one")
    return high - low
