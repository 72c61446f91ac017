"""A test set that is scored again and again, answered so that it wears out slowly."""

from __future__ import annotations

import math
from typing import Any

from foldwise.errors import BadInterval
from foldwise.formulas.checks import as_numbers, checked_finite


def ladder(losses: Any, *, step: float) -> list[float]:
    """The losses to release: a new one only when it beats the last released by more than `step`, rounded to it.

    Small gains, which may be the test set's own noise, are not confirmed (Blum and Hardt, 2015).

    >>> ladder([0.30, 0.29, 0.25], step=0.02)
    [0.3, 0.3, 0.24]
    """
    if not 0 < step < math.inf:
        raise BadInterval(f"the step of a ladder must be above 0, not {step!r}")
    released: list[float] = []
    best = math.inf
    for loss in checked_finite(as_numbers(losses, what="losses").ravel(), unit="submission").tolist():
        if loss < best - step:
            best = round(step * round(loss / step), 12)
        released.append(best)
    return released
