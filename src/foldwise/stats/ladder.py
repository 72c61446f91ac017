"""A test set that is scored again and again, answered so that it wears out slowly (Blum and Hardt, 2015)."""

from __future__ import annotations

import math
from typing import Any

from foldwise.errors import BadInterval
from foldwise.stats.array_checks import as_numbers, checked_count, checked_finite, checked_level


def ladder(losses: Any, *, step: float) -> list[float]:
    """The losses to release: a new one only when it beats the last released by more than `step`, rounded to it.

    Small gains, which may be the test set's own noise, are not confirmed.

    >>> ladder([0.30, 0.29, 0.25], step=0.02)
    [0.3, 0.3, 0.24]
    """
    released: list[float] = []
    best = math.inf
    for loss in checked_finite(as_numbers(losses, what="losses").ravel(), unit="submission").tolist():
        best = release(loss, best, step=step)
        released.append(best)
    return released


def release(loss: float, best: float, *, step: float) -> float:
    """The smallest released loss after one more submission, which counts if it is better by more than a step.

    >>> release(0.25, 0.3, step=0.02), release(0.29, 0.3, step=0.02)
    (0.24, 0.3)
    """
    if not 0 < step < math.inf:
        raise BadInterval(f"the step of a ladder must be above 0, not {step!r}")
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
