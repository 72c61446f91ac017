"""Which method to take, in plain sentences: what taking it may cost, and which others would do as well."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foldwise.blocks.numbers import listed, number, plain

MUCH_QUICKER = 5  # times
LONG = 1.0  # seconds of fitting below which nobody minds
MOST_TIMES = 10.0  # of the smallest risk: a larger regret is not told as a percentage
# One test set does not speak of the learners on other training rows, nor a period of other times.
AMONG = {"predictors": "of these {} predictors", "forecasts": "of {} in this period"}

Method = Mapping[str, Any]


def advice(answer: Mapping[str, Any]) -> list[str]:
    """The method to take with its regret, and the methods within the margin; nothing where there is no choice.

    >>> figures = {"p_best": 0.8, "expected_regret": 0.01, "expected_regret_percent": 5.0, "regret_high": 0.04}
    >>> a = {"name": "a", "risk": 0.2, **figures, "within_margin": None}
    >>> b = {**a, "name": "b", "risk": 0.21, "p_best": 0.2, "expected_regret": 0.02, "expected_regret_percent": 10.0}
    >>> " ".join(advice({"best": "a", "methods": [a, b], "decision": {"margin": None, "level": 0.95}}))
    'Take a, the best of 2 with probability 0.8: its expected regret is 5%, with 95% probability at most 20%.'
    """
    rivals, best = contestants(answer), answer.get("best")
    if len(rivals) < 2 or best not in {method["name"] for method in rivals}:
        return []
    return [_take(answer, rivals), *_within(answer, rivals)]


def contestants(answer: Mapping[str, Any]) -> list[Method]:
    """The methods with decision figures, the smallest risk first."""
    found = [method for method in answer.get("methods") or [] if method.get("p_best") is not None]
    return sorted(found, key=lambda method: (method["risk"], method["name"] != answer.get("best"), method["name"]))


def advised(answer: Mapping[str, Any]) -> Method | None:
    """The method to take: the best, or one that is far quicker to fit and within the margin, where that was named.

    The default margin may be a multiple of the smallest risk: no reason to take another method unasked.
    """
    rivals = contestants(answer)
    best = next((method for method in rivals if method["name"] == answer.get("best")), None)
    if best is None or answer["decision"].get("margin_from") != "given":
        return best
    quick = min((one for one in rivals if one.get("within_margin")), key=_seconds, default=best)
    return quick if _seconds(best) >= LONG and _seconds(quick) * MUCH_QUICKER <= _seconds(best) else best


def among(answer: Mapping[str, Any], rivals: int) -> str:
    """Among whom, and where, a method may be the best.

    >>> among({"decision": {"about": "predictors"}}, 3), among({"decision": {"about": "learners"}}, 3)
    ('of these 3 predictors', 'of 3')
    """
    return AMONG.get(answer["decision"].get("about"), "of {}").format(rivals)


def regret_words(method: Method, key: str, smallest: float) -> str:
    """A regret in % of the smallest estimated risk, or in the unit of the loss where a percentage says nothing."""
    return in_percent(method[key], smallest) or number(method[key], digits=2)


def in_percent(value: float | None, smallest: float) -> str | None:
    """A regret in % of the smallest estimated risk; None where that is not above 0, or next to nothing beside it.

    >>> in_percent(0.02, 0.4), in_percent(60.0, 1e-7)
    ('5%', None)
    """
    if value is None or not smallest > 0 or value > MOST_TIMES * smallest:
        return None
    percent = 100 * value / smallest
    return "less than 0.1%" if percent < 0.05 else f"{number(percent, digits=2)}%"


def _take(answer: Mapping[str, Any], rivals: list[Method]) -> str:
    taken, smallest = advised(answer), rivals[0]["risk"]
    assert taken is not None
    if in_percent(max(taken["expected_regret"] or 0.0, taken["regret_high"]), smallest) is None:
        smallest = 0.0  # both in the unit of the loss
    level = f"{100 * float(answer['decision'].get('level') or 0.95):g}%"
    most = regret_words(taken, "regret_high", smallest)
    if not taken["regret_high"]:
        most = "none"
    elif not most.startswith("less"):
        most = f"at most {most}"
    sure = f"with {level} probability {most}"
    best = f"{among(answer, len(rivals))} with probability {_chance(taken['p_best'])}"
    words = f"Take {plain(taken['name'])}, the best {best}: "
    if taken["expected_regret"] is None:
        return f"{words}its regret is {sure}{_fast(answer, taken, rivals)}."
    regret = regret_words(taken, "expected_regret", smallest)
    return f"{words}its expected regret is {regret}, {sure}{_fast(answer, taken, rivals)}."


def _fast(answer: Mapping[str, Any], taken: Method, rivals: list[Method]) -> str:
    """That it is the fastest, where another takes so long that it matters."""
    slow = max(rivals, key=_seconds)
    others = [_seconds(one) for one in rivals if one is not taken]
    if _seconds(slow) < LONG or _seconds(taken) * MUCH_QUICKER > _seconds(slow) or _seconds(taken) > min(others):
        return ""
    times = (
        f"{number(_seconds(taken), digits=2)} s against {number(_seconds(slow), digits=2)} s of {plain(slow['name'])}"
    )
    return f", and it is the fastest to fit ({times})"


def _within(answer: Mapping[str, Any], rivals: list[Method]) -> list[str]:
    """Which methods may be taken for the best, by the margin that does not matter."""
    decision = answer["decision"]
    if decision.get("margin") is None:
        return []
    level = f"{100 * float(decision.get('level') or 0.95):g}%"
    margin = f"{number(decision['margin'], digits=3)} of the best"
    if decision.get("margin_from") == "baseline":
        margin += " (a tenth of the gap to the baseline)"
    names = [plain(method["name"]) for method in rivals if method.get("within_margin")]
    if not names:
        return [f"None is shown to be within {margin} with {level} probability."]
    if len(names) == 1:
        return [f"Only {names[0]} is within {margin} with {level} probability."]
    every = "Both" if len(names) == 2 else f"All {len(names)}"
    who, which = (every, "which") if len(names) == len(rivals) else (listed(names), "which of them")
    return [
        f"{who} are within {margin} with {level} probability each: by this margin it hardly matters {which} is taken."
    ]


def _chance(p: float) -> str:
    """
    >>> _chance(0.8312), _chance(0.9997)
    ('0.83', 'more than 0.99')
    """
    return "more than 0.99" if p > 0.99 else f"{p:.2g}"


def _seconds(method: Method) -> float:
    return float(method.get("seconds") or 0.0)
