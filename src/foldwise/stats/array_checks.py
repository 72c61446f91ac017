"""What the formulas ask of their arrays, each refusal one sentence."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from foldwise.arrays import AnyArray, FloatArray, IntArray
from foldwise.errors import BadInterval

ROUNDING = 1e-12  # spread below this share of the numbers' size is what arithmetic leaves of none


def checked_level(level: Any) -> float:
    """The level, if it is one.

    >>> checked_level(0.95)
    0.95
    """
    try:
        number = float(level)
    except (TypeError, ValueError):
        number = math.nan
    if not 0 < number < 1:
        raise BadInterval(f"a level lies between 0 and 1, not at {level!r}", "0.95 is usual")
    return number


def checked_number(name: str, value: Any, *, above: float, below: float = math.inf, remedy: str = "") -> float:
    """A number strictly between two others.

    >>> checked_number("delta", 0.05, above=0, below=1)
    0.05
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not above < number < below:
        where = f"above {above:g}" if below == math.inf else f"between {above:g} and {below:g}"
        raise BadInterval(f"{name} must be a number {where}, not {value!r}", remedy)
    return number


def checked_count(name: str, value: Any, *, at_least: int = 1) -> int:
    """A whole number that is large enough; 5.0 is one, 5.5 is not."""
    try:
        count = value if isinstance(value, int) else int(value) if float(value).is_integer() else operator.index(value)
    except (TypeError, ValueError):
        raise BadInterval(f"{name} must be a whole number, not {value!r}") from None
    if count < at_least:
        raise BadInterval(f"{name} must be at least {at_least}, not {count}")
    return count


def checked_losses(losses: Any, *, method: str, at_least: int = 2) -> FloatArray:
    """Finite losses of rows, and enough of them."""
    numbers = as_numbers(losses, what="losses")
    if numbers.ndim != 1:
        raise BadInterval(f"{method} needs one loss per row, not an array of shape {numbers.shape}")
    if len(numbers) < at_least:
        raise BadInterval(f"{method} needs at least {at_least} rows, not {len(numbers)}")
    return checked_finite(numbers, unit="row")


def checked_table(table: Any, *, method: str, axes: tuple[str, str], at_least: tuple[int, int] = (2, 1)) -> FloatArray:
    """Finite numbers with two named axes, and enough along each."""
    numbers = as_numbers(table, what="numbers")
    if numbers.ndim != 2:
        raise BadInterval(f"{method} needs an array of {axes[0]} x {axes[1]}, not one of shape {numbers.shape}")
    for axis, size, least in zip(axes, numbers.shape, at_least, strict=True):
        if size < least:
            raise BadInterval(f"{method} needs at least {least} {axis}s, not {size}")
    is_bad = ~np.isfinite(numbers)
    if is_bad.any():
        first, second = (int(place[0]) for place in np.nonzero(is_bad))
        value = numbers[is_bad][0]
        raise BadInterval(f"{method} needs finite numbers, and {axes[0]} {first}, {axes[1]} {second} has {value}")
    return numbers


def checked_finite(numbers: FloatArray, *, unit: str) -> FloatArray:
    """The numbers, if all are finite; the first that is not is named by its place."""
    is_bad = ~np.isfinite(numbers)
    if is_bad.any():
        place = int(is_bad.argmax())
        raise BadInterval(
            f"an interval needs finite losses, and {unit} {place} has {numbers[place]}", "Repair it or leave it out"
        )
    return numbers


def checked_bounds(bounds: Any, *, method: str, instead: str = "use holdout_t") -> tuple[float, float]:
    """The two finite ends of a loss's range."""
    if bounds is None:
        raise BadInterval(
            f"{method} needs a loss with a stated range, and this one is unbounded",
            f"Give bounds=(low, high), or {instead}",
        )
    try:
        low, high = (float(bound) for bound in bounds)
    except (TypeError, ValueError):
        raise BadInterval(f"bounds must be two numbers (low, high), not {bounds!r}") from None
    if not 0 < high - low < math.inf:
        raise BadInterval(
            f"{method} needs bounds with a finite low below a finite high, not {bounds!r}",
            "For an unbounded loss use holdout_t",
        )
    return low, high


def checked_bounded(losses: Any, bounds: Any, *, method: str, at_least: int = 1) -> tuple[FloatArray, float, float]:
    """Losses inside their bounds; those that rounding put outside are moved back."""
    low, high = checked_bounds(bounds, method=method)
    losses = checked_losses(losses, method=method, at_least=at_least)
    slack = 1e-9 * (high - low)
    is_outside = (losses < low - slack) | (losses > high + slack)
    if is_outside.any():
        row = int(is_outside.argmax())
        raise BadInterval(
            f"row {row} has a loss of {losses[row]:g}, outside the bounds {low:g} to {high:g}",
            "Give the loss's true bounds, or use holdout_t for an unbounded loss",
        )
    return np.clip(losses, low, high), low, high


def fold_codes(folds: Any, *, rows: int) -> tuple[IntArray, int]:
    """Codes 0..K-1 of the rows' folds in sorted order of labels, and K."""
    labels: AnyArray = np.asarray(folds)
    if labels.ndim != 1 or labels.size != rows:
        raise BadInterval(f"folds must name one fold per row: there are {rows} rows and {labels.size} labels")
    names, codes = np.unique(labels, return_inverse=True)
    return codes.astype(np.int64), len(names)


def as_numbers(values: Any, *, what: str) -> FloatArray:
    """The values as float64."""
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise BadInterval(f"{what} must be numbers, not {type(values).__name__}") from None


def has_no_spread(numbers: FloatArray, *, size: float = 0.0) -> bool:
    """Whether numbers are equal but for rounding; `size` is that of what they are differences or means of.

    >>> has_no_spread(np.array([0.1, 0.2, 0.3]) - np.array([0.2, 0.3, 0.4]))
    True
    """
    return bool(np.ptp(numbers) <= ROUNDING * max(size, float(np.abs(numbers).max())))


def mean_within(numbers: FloatArray) -> float:
    """The mean, which rounding does not move past the numbers: that of equal ones is theirs."""
    return float(np.clip(numbers.mean(), numbers.min(), numbers.max()))


def normal_quantile(level: float) -> float:
    """The two-sided standard normal quantile: 1.96 for 0.95."""
    from scipy import special

    return float(special.ndtri(0.5 + level / 2))


def t_quantile(level: float, df: float) -> float:
    """The two-sided quantile of Student's t."""
    from scipy import special

    return float(special.stdtrit(df, 0.5 + level / 2))
