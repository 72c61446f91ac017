"""What prediction intervals and sets promise, in words and numbers: what is proved, and what simulations found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foldwise.blocks.numbers import plain
from foldwise.stats.conformal import check_level, proved_coverage

# The smallest and largest coverage of the two learners simulated in docs/prediction-intervals.md, by task and level.
SIMULATED: Mapping[str, Mapping[float, tuple[float, float]]] = {
    "numbers": {0.8: (0.792, 0.838), 0.9: (0.893, 0.926), 0.95: (0.944, 0.973)},
    "classes": {0.8: (0.799, 0.91), 0.9: (0.897, 0.97), 0.95: (0.951, 0.991)},
}


def card_of_intervals(model: Any, *, choice: str, among: int) -> dict[str, Any]:
    """What a model's card says of its intervals or sets; `choice`: how its method was chosen, `among` how many."""
    kinds = {True: "cross-conformal sets", False: "CV+ intervals"}
    counts = [int(count) for count in model.unit_counts]
    is_sets = hasattr(model, "response")
    kind = kinds[is_sets]
    if len(counts) == 1:
        kind = "split conformal " + kind.split()[-1]
    elif sum(counts) == len(counts) and not is_sets:
        kind = "jackknife+ intervals"
    return {
        "kind": kind,
        "models": len(counts),
        "unit": model.unit,
        "unit_counts": counts,
        "choice": "named" if among < 2 else choice,
        "among": among,
        "proved": {f"{level:g}": round(proved_coverage(level, counts), 4) for level in (0.8, 0.9, 0.95)},
    }


def promise_words(card: Any, level: float = 0.9) -> str:
    """What is promised at a level, in a sentence; of the card of a stranger nothing is taken for granted."""
    counts = card.get("unit_counts") if isinstance(card, Mapping) else None
    if not isinstance(counts, list) or not counts or not all(type(count) is int and count > 0 for count in counts):
        return "not known"
    unit = "group" if card.get("unit") == "group" else "row"
    level = check_level(level, sum(counts), unit)
    is_picked = card.get("choice") == "outer" and isinstance(card.get("among"), int)
    named = " of a method named beforehand" if is_picked else ""
    proved = f"at least {_percent(proved_coverage(level, counts))} is proved{named}{_why(level, counts)}"
    kind = plain(card.get("kind") or "intervals")
    whose = "of a new group" if unit == "group" else "of new rows"
    task = "classes" if kind.endswith("sets") else "numbers"
    seen = SIMULATED[task].get(round(level, 6)) if unit == "row" and len(counts) > 1 else None
    found = f", simulated {_percent(seen[0])} to {_percent(seen[1])}" if seen else ""
    return f"{kind} at {_percent(level)} {whose}: {proved}{found}{_choice_words(card) if is_picked else ''}"


def _why(level: float, counts: list[int]) -> str:
    if len(counts) == 1:
        return ""
    lost = 1 - 2 * (1 - level) - proved_coverage(level, counts)
    less = f", less {100 * lost:.1f} points for {len(counts)} folds" if lost > 0.0005 else ""
    return f" (1 - 2 alpha{less})"


def _choice_words(card: Mapping[str, Any]) -> str:
    return f"; this one was chosen among {card['among']} on the same rows, which costs a little coverage"


def _percent(share: float) -> str:
    """
    >>> _percent(0.9), _percent(0.7473)
    ('90%', '74.7%')
    """
    return f"{100 * share:.1f}".removesuffix(".0") + "%"
