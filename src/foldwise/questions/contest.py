"""Who is compared with whom: the methods that were asked for and have a risk of their own.

The baseline is a row of every study, asked for or not. It is no rival: it costs the others no pairs, and whether it is
beaten is a question of its own. A method that failed is in no comparison and in no count.
"""

from __future__ import annotations

import math
from itertools import combinations

from foldwise.blocks.numbers import listed
from foldwise.questions.method import MethodAnswer
from foldwise.stats.multiple import holm, shared_level

BASELINE = "baseline"


def asked_for(methods: list[MethodAnswer]) -> list[MethodAnswer]:
    """All methods but the baseline, unless there is no other."""
    return [method for method in methods if method.method.name != BASELINE] or methods


def compared(methods: list[MethodAnswer]) -> list[MethodAnswer]:
    """The methods asked for that have a risk, at least one fold of it their own."""
    return [method for method in asked_for(methods) if method.status == "ok" and method.own_folds]


def all_failed(methods: list[MethodAnswer]) -> bool:
    """Has every method that was asked for ended without a risk?"""
    return all(method.status in ("failed", "undefined") for method in asked_for(methods))


def failure_words(methods: list[MethodAnswer]) -> str:
    """Which methods failed, how many of their fits, and the first error."""
    parts = [f"{method.method.name} ({_count_words(method)})" for method in methods]
    errors = [error for method in methods for error in method.failures[:1]]
    return listed(parts) + (f". The first error: {errors[0]}" if errors else "")


def _count_words(method: MethodAnswer) -> str:
    if method.status == "undefined":
        return "its loss is undefined on some split"
    return f"{len(method.failures)} of {method.planned} fits failed"


def pick(methods: list[MethodAnswer]) -> MethodAnswer | None:
    """The method with the smallest risk; on ties the baseline, else the first name.

    A blend ties with a member that it always chose; the member is then the simpler one. The baseline is not
    picked for want of others: None where no method that was asked for has a risk.
    """
    if not any(method.status == "ok" for method in asked_for(methods)):
        return None
    return min(_rows(methods), key=_place, default=None)


def _place(method: MethodAnswer) -> tuple[float, bool, bool, str]:
    return method.risk, method.method.name != BASELINE, bool(method.method.members), method.method.name


def picked_among(methods: list[MethodAnswer], best: MethodAnswer) -> list[MethodAnswer]:
    """The methods that the best was picked from; the baseline counts only where it is the best."""
    found = compared(methods)
    return found if best in found else [*found, best]


def not_told_apart(methods: list[MethodAnswer], best: MethodAnswer | None) -> list[str] | None:
    """The best method and all those whose simultaneous interval of the difference to it contains 0.

    The best is picked by the same losses, so the intervals hold for all pairs of the methods compared at once, and
    those with the baseline for all such pairs. None where no interval is valid.
    """
    if best is None:
        return None
    others = [method for method in _rows(methods) if method is not best]
    found = {other.method.name: other.difference(best, level=pair_level(methods, other, best)) for other in others}
    if found and all(difference.low is None for difference in found.values()):
        return None
    same = [name for name, difference in found.items() if difference.low is None or difference.low <= 0]
    return [best.method.name, *same]


def holm_values(methods: list[MethodAnswer], best: MethodAnswer | None) -> dict[str, float]:
    """p of each method's difference to the best, by Holm over all pairs: the best was picked by the same losses.

    Pairs with the baseline are corrected among themselves.
    """
    able = [method for method in _rows(methods) if not method.stand_ins]
    pairs = list(combinations(able, 2))
    with_baseline = [pair for pair in pairs if any(map(_is_baseline, pair))]
    families = [[pair for pair in pairs if pair not in with_baseline], with_baseline]
    return {} if best is None else {name: p for family in families for name, p in _adjusted(family, best).items()}


def _adjusted(pairs: list[tuple[MethodAnswer, MethodAnswer]], best: MethodAnswer) -> dict[str, float]:
    found = [one.difference(other).p for one, other in pairs]
    if not found or any(p is None for p in found):
        return {}
    return {
        (other if one is best else one).method.name: float(p)
        for (one, other), p in zip(pairs, holm(found).tolist(), strict=True)
        if best in (one, other)
    }


def _rows(methods: list[MethodAnswer]) -> list[MethodAnswer]:
    """The methods compared, and the baseline beside them, in the order of the answer."""
    rivals = compared(methods)
    return [method for method in methods if method in rivals or (_is_baseline(method) and method.status == "ok")]


def pair_level(methods: list[MethodAnswer], one: MethodAnswer, other: MethodAnswer) -> float:
    """The level of the interval of two methods that holds together with all others of its kind."""
    count = sum(not method.stand_ins for method in compared(methods))  # others have no interval
    pairs = count if _is_baseline(one) or _is_baseline(other) else math.comb(count, 2)
    return shared_level(one.study.level, max(1, pairs))


def _is_baseline(method: MethodAnswer) -> bool:
    return method.method.name == BASELINE
