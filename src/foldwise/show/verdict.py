"""The answer in a few plain sentences that never say more than the numbers do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from foldwise.blocks.numbers import (
    MOST_NAMES,
    decimals,
    less,
    listed,
    loss_words,
    measured,
    number,
    plain,
    rounded,
    span,
)
from foldwise.questions.failures import mixed_words
from foldwise.show.advice import MUCH_QUICKER, advice, advised

BASELINE = "baseline"
AUTO = "auto"
WORTH = 3.0  # percent of the test error that a doubling of rows must save to be called a help


def verdict(answer: Mapping[str, Any]) -> str:
    """Which method to use, how sure one can be, and what went wrong.

    >>> best = {"name": "ridge", "risk": 0.2, "low": None, "high": None}
    >>> print(verdict({"best": "ridge", "loss": "squared", "train_rows": 90, "methods": [best]}))
    ridge has the smallest estimated risk: 0.2 (squared loss, 90 training rows; no valid interval here).
    """
    return " ".join(verdict_parts(answer))


def verdict_parts(answer: Mapping[str, Any]) -> list[str]:
    """The sentences of the verdict one by one, what matters most first."""
    methods: list[Mapping[str, Any]] = list(answer.get("methods") or [])
    best = next((method for method in methods if method["name"] == answer.get("best")), None)
    if best is None or best.get("risk") is None:
        sentences = [_nothing_sentence(methods, answer)]
    else:
        others = [method for method in methods if method is not best and method.get("risk") is not None]
        rivals = [method for method in others if method["name"] != AUTO and method.get("own_folds") != 0]
        together = answer.get("not_told_apart")
        sentences = [_best_sentence(best, answer), *_difference_sentences(best, rivals, together, advised(answer))]
        sentences += advice(answer)
        sentences += _tuning_sentences(best)
        sentences += [_auto_sentence(method) for method in others if method["name"] == AUTO]
    return [*sentences, *_unfinished_sentences(answer), *_failure_sentences(methods)]


def _nothing_sentence(methods: list[Mapping[str, Any]], answer: Mapping[str, Any]) -> str:
    """That there is no method to recommend, as the baseline is none."""
    none = f"has a risk{_so_far(answer)}, so none can be recommended"
    baseline = next((method for method in methods if method["name"] == BASELINE), None)
    if baseline is None or baseline.get("risk") is None:
        return f"No method {none}."
    return f"No method but the baseline {none}; the baseline's estimated risk is {_risk(baseline)}."


def _so_far(answer: Mapping[str, Any]) -> str:
    return " so far" if answer.get("finished") is False else ""


def _unfinished_sentences(answer: Mapping[str, Any]) -> list[str]:
    """Which methods are still to come, where a study was stopped before its end."""
    if answer.get("finished") is not False:
        return []
    waiting = [plain(method["name"]) for method in answer.get("methods") or [] if method.get("status") == "unfinished"]
    without = f": {listed(waiting)} {'has' if len(waiting) == 1 else 'have'} no risk yet" if waiting else ""
    return [f"The study is not finished{without}."]


def _best_sentence(best: Mapping[str, Any], answer: Mapping[str, Any]) -> str:
    where, places = plain(loss_words(answer)), decimals(best.get("low"), best.get("high"))
    if answer.get("score"):
        where += f", so the {plain(answer['score'])} is {rounded(1 - best['risk'], places)}"
    if answer.get("train_rows") is not None:
        size = answer.get("trained_on") or f"{answer['train_rows']} training rows"
        where += f", {plain(size)}"
    interval = "no valid interval here"
    if best.get("low") is not None and best.get("high") is not None:
        level = f"{100 * (best.get('level') or answer.get('level') or 0.95):g}%"
        wide = best.get("low_simultaneous"), best.get("high_simultaneous")
        low, high = wide if None not in wide else (best["low"], best["high"])
        count = (answer.get("winner") or {}).get("among") or 1
        around = measured(None, low, high)[1]
        among = f", for the best of {count}" if None not in wide and count > 1 else ""
        interval = f"{level} {plain(best.get('interval') or 'interval')}{_whose(best)}{among}: {around}"
    mixed = f"; {words}" if (words := mixed_words(best)) else ""
    numbers = f"{rounded(best['risk'], places)} ({where}{mixed}; {interval})"
    if best["name"] == BASELINE and _is_alone(best, answer):
        return f"Every other method failed; the baseline's estimated risk is {numbers}."
    if best["name"] == BASELINE:
        return f"Nothing beats the baseline{_so_far(answer)}, whose estimated risk is {numbers}."
    return f"{plain(best['name'])} has the smallest estimated risk{_so_far(answer)}{_shared(best, answer)}: {numbers}."


def _shared(best: Mapping[str, Any], answer: Mapping[str, Any]) -> str:
    """Which other methods have exactly the same risk, but for rounding; auto is none of its own."""
    others = [one for one in answer["methods"] if one is not best and one["name"] != AUTO and one.get("own_folds") != 0]
    same = [one["name"] for one in others if one.get("risk") is not None and less(one["risk"], best["risk"]) == 0]
    return f", as {'has' if len(same) == 1 else 'have'} {listed(same)}" if same else ""


def _is_alone(baseline: Mapping[str, Any], answer: Mapping[str, Any]) -> bool:
    """Is the baseline all there is, as no other method has a fold of its own?"""
    others = [method for method in answer["methods"] if method is not baseline]
    return bool(others) and all(method.get("own_folds") == 0 for method in others)


def _whose(best: Mapping[str, Any]) -> str:
    """Whose risk the interval is about, where that is not the learner's at this training size."""
    target = str(best.get("target") or "")
    if target.startswith("this predictor"):
        return " of this predictor in this period" if " in this period" in target else " of this predictor"
    if target.startswith("these forecasts"):
        return " of these forecasts in this period"
    return " of these models alone" if target.startswith("the average of these") else ""


def _auto_sentence(auto: Mapping[str, Any]) -> str:
    names = f"one of {listed(auto['may_pick'])}" if auto.get("may_pick") else "the method"
    return f"Letting the inner splits pick {names} has an estimated risk of {_risk(auto)} (auto)."


def _risk(method: Mapping[str, Any]) -> str:
    """A risk with as many digits as its interval supports."""
    return measured(method["risk"], method.get("low"), method.get("high"))[0]


def _difference_sentences(
    best: Mapping[str, Any],
    others: list[Mapping[str, Any]],
    together: list[str] | None,
    taken: Mapping[str, Any] | None,
) -> list[str]:
    """How the other methods compare, except the baseline: told apart, not told apart, or unknown."""
    rivals: dict[str, list[str]] = {"same": [], "worse": [], "unknown": []}
    for method in others:
        if method["name"] != BASELINE:
            rivals[_standing(method, together)].append(plain(method["name"]))
    sentences, it, its = [], "it", "its difference"
    if rivals["same"]:
        sentences.append(f"It cannot be told apart from {listed(rivals['same'])}: the difference may be 0.")
        is_told = taken is not None and taken is not best  # by the advice, which takes the quicker one
        quicker = [] if is_told else _time_sentences(best, others, together)
        if quicker:  # "it" would be the quicker one from here on
            sentences += quicker
            it, its = plain(best["name"]), f"the difference of {plain(best['name'])}"
    if rivals["worse"]:
        sentences.append(f"The interval of {its} to {listed(rivals['worse'])} excludes 0.")
    if rivals["unknown"]:
        sentences.append(f"Whether {it} differs from {listed(rivals['unknown'])} beyond chance cannot be said here.")
    baseline = next((method for method in others if method["name"] == BASELINE), None)
    if baseline is not None:
        sentences.append(_baseline_sentence(baseline, together, "It" if it == "it" else it))
    return sentences


def _time_sentences(best: Mapping[str, Any], others: list[Mapping[str, Any]], together: list[str] | None) -> list[str]:
    """A method that cannot be told apart from the best but is far quicker to fit may be the wiser choice."""
    spent = best.get("seconds") or 0.0
    same = [method for method in others if method["name"] != BASELINE and _standing(method, together) == "same"]
    quick = min(same, key=lambda method: method.get("seconds") or 0.0, default=None)
    if quick is None or spent < 1 or (quick.get("seconds") or 0.0) * MUCH_QUICKER > spent:
        return []
    times = f"{number(quick.get('seconds') or 0.0, digits=2)} s against {number(spent, digits=2)} s"
    return [f"Of these, {plain(quick['name'])} is far quicker to fit ({times})."]


def _tuning_sentences(best: Mapping[str, Any]) -> list[str]:
    """Whether tuning helped, by the risk at the default parameters; nothing where the difference may be 0."""
    gain = best.get("tuning_gain") or {}
    low, high = gain.get("low"), gain.get("high")
    if low is None or high is None or low <= 0 <= high:
        return []
    name, risk = plain(best["name"]), number(gain["default_risk"])
    if low > 0:
        by = f"{number(gain['value'], digits=2)} ({span(low, high)})"
        return [f"Tuning helped: it lowered the risk of {name} by {by} from {risk} at its default parameters."]
    by = f"{number(-gain['value'], digits=2)} ({span(-high, -low)})"
    return [f"Tuning harmed: it raised the risk of {name} by {by} from {risk} at its default parameters."]


def rows_words(curve: Mapping[str, Any]) -> str:
    """What a learning curve says about more rows: how far the test error fell over its last doubling of rows.

    >>> points = [{"value": 50, "test": 0.4}, {"value": 100, "test": 0.3}, {"value": 200, "test": 0.27}]
    >>> rows_words({"parameter": "train_rows", "points": points})
    'From 100 to 200 training rows the test error fell by 10%: more rows would help.'
    """
    known = [point for point in curve["points"] if point["test"] is not None]
    if curve["parameter"] != "train_rows" or len(known) < 2:
        return ""
    last = known[-1]
    half = min(known[:-1], key=lambda point: abs(point["value"] - last["value"] / 2))
    if not half["test"] > 0:
        return ""
    fall = 100 * (1 - last["test"] / half["test"])
    what = f"fell by {fall:.0f}%" if round(fall) > 0 else "did not fall"
    helps = "more rows would help" if fall >= WORTH else "more rows would hardly help"
    return f"From {number(half['value'])} to {number(last['value'])} training rows the test error {what}: {helps}."


def _baseline_sentence(baseline: Mapping[str, Any], together: list[str] | None, it: str) -> str:
    risk = _risk(baseline)
    return {
        "same": f"{it} is not shown to beat the baseline ({risk}): that difference may be 0.",
        "worse": f"{it} beats the baseline ({risk}).",
        "unknown": f"The baseline's estimated risk is {risk}.",
    }[_standing(baseline, together)]


def _standing(method: Mapping[str, Any], together: list[str] | None) -> str:
    """Whether the method may be as good as the best, by the intervals that hold for all pairs at once."""
    has_interval = method.get("difference_low") is not None or method.get("difference") is None
    if together is not None and has_interval:
        return "same" if method["name"] in together else "worse"
    low, high = method.get("difference_low"), method.get("difference_high")
    if low is None or high is None:
        return "unknown"
    return "same" if low <= 0 <= high else "worse"


def _failure_sentences(methods: Iterable[Mapping[str, Any]]) -> list[str]:
    failed = [method for method in methods if method.get("failed")]
    if not failed:
        return []
    shown = failed if len(failed) <= MOST_NAMES else failed[: MOST_NAMES - 1]
    parts = [f"{_fits(method['failed'])} of {plain(method['name'])} failed{_consequence(method)}." for method in shown]
    rest = len(failed) - len(shown)
    return [*parts, f"Fits of {rest} other methods failed too."] if rest else parts


def _fits(count: int) -> str:
    return f"{count} fit{'s' if count != 1 else ''}"


def _consequence(method: Mapping[str, Any]) -> str:
    if method.get("risk") is None:
        return "" if method.get("status") == "unfinished" else ", so it has no risk"
    if not mixed_words(method):
        return ""
    folds = len(method["folds"])
    return f": in {folds - method['own_folds']} of {folds} folds the baseline takes its place"
