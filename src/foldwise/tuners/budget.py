"""How much a search may cost: so many candidates, or so much time."""

from __future__ import annotations

import re
from numbers import Integral
from typing import Any, NamedTuple

from foldwise.errors import BadSpace, BadStudy

SECONDS = {"s": 1.0, "sec": 1.0, "second": 1.0, "min": 60.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0}
_REMEDY = "Give a whole number of candidates, at least 1, or a time such as '10 min'"


class Budget(NamedTuple):
    """Candidates of each tuning, or seconds of all fits; neither where nothing was said."""

    candidates: int | None = None
    seconds: float | None = None


def read_budget(budget: Any) -> Budget:
    """A budget as the user writes it.

    >>> read_budget(60), read_budget("10 min")
    (Budget(candidates=60, seconds=None), Budget(candidates=None, seconds=600.0))
    """
    if budget is None or isinstance(budget, Budget):
        return budget or Budget()
    if isinstance(budget, str):
        return _read_words(budget)
    if isinstance(budget, bool) or not isinstance(budget, Integral) or budget < 1:
        raise BadSpace(f"the budget is {budget!r}", _REMEDY)
    return Budget(int(budget))


def read_seconds(value: Any, what: str) -> float:
    """A time as the user writes it: seconds, or a text with a unit.

    >>> read_seconds(30, "time limit"), read_seconds("2 min", "time limit"), read_seconds("1.5", "time limit")
    (30, 120.0, 1.5)
    """
    if isinstance(value, str) and (found := _number_and_unit(value)) and (not found[1] or found[1] in SECONDS):
        value = float(found[0]) * SECONDS[found[1] or "s"]
    if isinstance(value, bool) or not (isinstance(value, int | float) and 0 < value < float("inf")):
        remedy = "Write a time as '2 min'" if isinstance(value, str) else ""
        raise BadStudy(f"the {what} must be a positive number of seconds, not {value!r}", remedy)
    return value


def _number_and_unit(text: str) -> tuple[str, str] | None:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", text.strip().lower())
    return (found[1], found[2].removesuffix("s") or found[2]) if found else None


def _read_words(text: str) -> Budget:
    found = _number_and_unit(text)
    if not found:
        raise BadSpace(f"the budget is {text!r}", _REMEDY)
    number, unit = found
    if not unit and number.isdigit():
        return read_budget(int(number))
    if unit not in SECONDS or not float(number) > 0:
        raise BadSpace(f"the budget is {text!r}", _REMEDY)
    return Budget(None, float(number) * SECONDS[unit])
