"""The units in which people think of an error: RMSE, an error rate in percent, a score; and ratios of two errors."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from foldwise.blocks.numbers import MISSING
from foldwise.losses.loss import Loss
from foldwise.questions.method import MethodAnswer
from foldwise.questions.value import Value
from foldwise.stats.differences import difference

Scale = Literal["same", "root", "percent", "score"]
NAMES = {
    "squared": "RMSE",
    "absolute": "MAE",
    "zero_one": "error rate",
    "balanced_zero_one": "balanced error rate",
    "log": "log loss",
    "brier": "Brier score",
    "mape": "MAPE",
    "poisson": "Poisson deviance",
    "gamma": "gamma deviance",
    "squared_log": "RMSLE",
}
SCALES: dict[str, Scale] = {
    "squared": "root",
    "squared_log": "root",
    "zero_one": "percent",
    "balanced_zero_one": "percent",
    "mape": "percent",
}


@dataclass(frozen=True)
class Unit:
    """How the numbers of a loss are shown: under which name, and on which scale.

    >>> rmse = Unit("RMSE", "root")
    >>> rmse.shown(9.0), Unit("AUC", "score").ends(0.1, 0.3), Unit("error rate", "percent").text(0.0312, 1)
    (3.0, (0.7, 0.9), '3.1%')
    """

    name: str
    scale: Scale = "same"

    @property
    def is_better_high(self) -> bool:
        return self.scale == "score"

    def shown(self, risk: float | None) -> float | None:
        """A risk in this unit; an interval stays valid, since all of these are monotone."""
        if risk is None or not math.isfinite(risk):
            return None
        if self.scale == "root":
            return math.sqrt(max(risk, 0.0))
        return 1 - risk if self.scale == "score" else 100 * risk if self.scale == "percent" else risk

    def ends(self, low: float | None, high: float | None) -> tuple[float, float] | None:
        """An interval in this unit, the smaller number first."""
        first, second = self.shown(low), self.shown(high)
        return None if first is None or second is None else (min(first, second), max(first, second))

    def text(self, risk: float | None, places: int | None) -> str:
        """A risk in this unit with so many decimals."""
        return self.number(self.shown(risk), places)

    def number(self, shown: float | None, places: int | None) -> str:
        """A number that is in this unit already."""
        return MISSING if shown is None else fixed(shown, places) + ("%" if self.scale == "percent" else "")

    def span(self, ends: tuple[float, float] | None, places: int | None) -> str:
        """An interval that is in this unit already, in words."""
        return MISSING if ends is None else " to ".join(self.number(end, places) for end in ends)

    def dash(self, ends: tuple[float, float] | None, places: int | None) -> str:
        """The same for the cell of a table."""
        return dashed(self.span(ends, places))


def unit_of(loss: Loss) -> Unit:
    """The unit that a loss is shown in.

    >>> unit_of(Loss("squared", min, spec="squared"))
    Unit(name='RMSE', scale='root')
    """
    spec = loss.spec if isinstance(loss.spec, str) else ""
    if loss.score is not None:
        return Unit(loss.score, "score")
    if spec in NAMES:
        return Unit(NAMES[spec], SCALES.get(spec, "same"))
    return Unit("cost" if isinstance(loss.spec, list) else loss.name.removeprefix("neg_").replace("_", " "))


def fixed(value: float, places: int | None) -> str:
    """A number with so many decimals and commas between thousands; negative places round before the point.

    >>> fixed(15634.2, -2), fixed(0.02468, 3), fixed(1233392577.0, -7), fixed(45.81, None), fixed(0.0312, None)
    ('15,600', '0.025', '1,230,000,000', '45.8', '0.0312')
    """
    if places is None:
        places = 2 - math.floor(math.log10(abs(value))) if value else 0
    return f"{round(value, places) + 0.0:,.{max(0, min(places, 9))}f}"


def dashed(span: str) -> str:
    """An interval as a cell of a table has room for it.

    >>> dashed("48.3 to 60.8"), dashed("-1.5 to 0.3")
    ('48.3\N{EN DASH}60.8', '-1.5 to 0.3')
    """
    return span if "-" in span else span.replace(" to ", "\N{EN DASH}")


def places_for(ends: Iterable[tuple[float, float] | None], *, digits: int = 2) -> int | None:
    """The decimals that a column of intervals supports: so many digits of half the length of the middle one.

    >>> places_for([(13000.0, 17900.0), (12900.0, 18000.0), None]), places_for([None])
    (-2, None)
    """
    known = [decimals_of_half((high - low) / 2, digits) for low, high in filter(None, ends) if high > low]
    return int(np.median(known)) if known else None


def decimals_of_half(half: float, digits: int = 2) -> int:
    """Decimals that leave so many digits of half an interval."""
    return digits - 1 - math.floor(math.log10(half))


@dataclass(frozen=True)
class Ratio(Value):
    """How many times as large one error is as another, with its interval, in the unit that is shown."""

    value: float
    low: float | None
    high: float | None
    level: float

    def __str__(self) -> str:
        """
        >>> str(Ratio(1.183, 1.05, 1.33, 0.95)), str(Ratio(1.183, None, None, 0.95))
        ('1.18 (1.05 to 1.33)', '1.18')
        """
        around = "" if self.low is None or self.high is None else f" ({self.low:.2f} to {self.high:.2f})"
        return f"{self.value:.2f}{around}"


def ratio_of(method: MethodAnswer, other: MethodAnswer, *, level: float | None = None) -> Ratio | None:
    """The ratio of two risks on the same rows, in the unit that is shown; None where only their difference is told.

    The interval is that of log(R_a / R_b): both losses are divided by their own risk, so that the interval of the
    difference of these is one of the relative difference (the delta method), and its ends are put back by exp.
    """
    loss, unit = method.study.losses[0], unit_of(method.study.losses[0])
    level = method.study.level if level is None else level
    is_mean = loss.is_per_row and loss.is_nonnegative
    if not is_mean or not (method.risk > 0 and other.risk > 0):
        return None
    power = 0.5 if unit.scale == "root" else 1.0
    value = (method.risk / other.risk) ** power
    relative = [
        replace(
            one.evidence,
            fold_losses=one.evidence.fold_losses / one.risk,
            row_losses=one.evidence.row_losses and tuple(rows / one.risk for rows in one.evidence.row_losses),
            loss=replace(loss, name="relative", spec=None, bounds=None),
        )
        for one in (method, other)
    ]
    names = (method.method.name, other.method.name)
    found = difference(relative[0], relative[1], names=names, level=level)
    if found.low is None or found.high is None:
        return Ratio(value, None, None, level)
    return Ratio(value, value * math.exp(power * found.low), value * math.exp(power * found.high), level)
