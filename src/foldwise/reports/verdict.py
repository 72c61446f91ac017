"""The answer in a few plain sentences that never say more than the numbers do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from foldwise.answers.failures import mixed_words
from foldwise.answers.numbers import number, plain, span

BASELINE = "baseline"
AUTO = "auto"
MUCH_QUICKER = 5  # times
MOST_NAMES = 6  # in one sentence; the table has them all
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
        sentences = [f"No method has a risk{_so_far(answer)}, so none can be recommended."]
    else:
        others = [method for method in methods if method is not best and method.get("risk") is not None]
        rivals = [method for method in others if method["name"] != AUTO]
        together = answer.get("not_told_apart")
        sentences = [_best_sentence(best, answer), *_difference_sentences(best, rivals, together)]
        sentences += [*_time_sentences(best, rivals, together), *_tuning_sentences(best)]
        sentences += [_auto_sentence(method) for method in others if method["name"] == AUTO]
    return [*sentences, *_unfinished_sentences(answer), *_failure_sentences(methods)]


def _so_far(answer: Mapping[str, Any]) -> str:
    return " so far" if answer.get("finished") is False else ""


def _unfinished_sentences(answer: Mapping[str, Any]) -> list[str]:
    """Which methods are still to come, where a study was stopped before its end."""
    if answer.get("finished") is not False:
        return []
    waiting = [plain(method["name"]) for method in answer.get("methods") or [] if method.get("status") == "unfinished"]
    without = f": {_listed(waiting)} {'has' if len(waiting) == 1 else 'have'} no risk yet" if waiting else ""
    return [f"The study is not finished{without}."]


def _best_sentence(best: Mapping[str, Any], answer: Mapping[str, Any]) -> str:
    where = f"{plain(answer.get('loss'))} loss"
    if answer.get("train_rows") is not None:
        where += f", {number(answer['train_rows'])} training rows"
    interval = "no valid interval here"
    if best.get("low") is not None and best.get("high") is not None:
        level = f"{100 * (best.get('level') or answer.get('level') or 0.95):g}%"
        wide = best.get("low_simultaneous"), best.get("high_simultaneous")
        low, high = wide if None not in wide else (best["low"], best["high"])
        among = f", for the best of {winner['among']}" if None not in wide and (winner := answer.get("winner")) else ""
        interval = f"{level} {plain(best.get('interval') or 'interval')}{_whose(best)}{among}: {span(low, high)}"
    mixed = f"; {words}" if (words := mixed_words(best)) else ""
    numbers = f"{number(best['risk'])} ({where}{mixed}; {interval})"
    if best["name"] == BASELINE:
        return f"Nothing beats the baseline{_so_far(answer)}, whose estimated risk is {numbers}."
    return f"{plain(best['name'])} has the smallest estimated risk{_so_far(answer)}: {numbers}."


def _whose(best: Mapping[str, Any]) -> str:
    """Whose risk the interval is about, where that is not the learner's at this training size."""
    target = str(best.get("target") or "")
    if target.startswith("this predictor"):
        return " of this predictor"
    return " of these models alone" if target.startswith("the average of these") else ""


def _auto_sentence(auto: Mapping[str, Any]) -> str:
    return f"Letting the inner splits pick the method has an estimated risk of {number(auto['risk'])} (auto)."


def _difference_sentences(
    best: Mapping[str, Any], others: list[Mapping[str, Any]], together: list[str] | None
) -> list[str]:
    """How the other methods compare, except the baseline: told apart, not told apart, or unknown."""
    rivals: dict[str, list[str]] = {"same": [], "worse": [], "unknown": []}
    for method in others:
        if method["name"] != BASELINE:
            rivals[_standing(method, together)].append(plain(method["name"]))
    sentences = []
    if rivals["same"]:
        sentences.append(f"It cannot be told apart from {_listed(rivals['same'])}: the difference may be 0.")
    if rivals["worse"]:
        sentences.append(f"The interval of its difference to {_listed(rivals['worse'])} excludes 0.")
    if rivals["unknown"]:
        sentences.append(f"Whether it differs from {_listed(rivals['unknown'])} beyond chance cannot be said here.")
    baseline = next((method for method in others if method["name"] == BASELINE), None)
    return sentences if baseline is None else [*sentences, _baseline_sentence(baseline, together)]


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
    """What tuning gained in its own scores: the chosen candidate against the median one."""
    score, middle = best.get("selection_score"), best.get("selection_middle")
    if score is None or middle is None or not middle > score or (best.get("candidates") or 0) < 3:
        return []
    gain = f"{number(middle - score, digits=2)}: the median of its {best.get('candidates')} candidates"
    return [f"Tuning gained {gain} scores {number(middle)}, the chosen one {number(score)}."]


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


def _baseline_sentence(baseline: Mapping[str, Any], together: list[str] | None) -> str:
    risk = number(baseline["risk"])
    return {
        "same": f"It is not shown to beat the baseline ({risk}): that difference may be 0 too.",
        "worse": f"It beats the baseline ({risk}).",
        "unknown": f"The baseline's estimated risk is {risk}.",
    }[_standing(baseline, together)]


def _standing(method: Mapping[str, Any], together: list[str] | None) -> str:
    """Whether the method may be as good as the best, by the intervals that hold for all pairs at once."""
    if together is not None:
        return "same" if method["name"] in together else "worse"
    low, high = method.get("difference_low"), method.get("difference_high")
    if low is None or high is None:
        return "unknown"
    return "same" if low <= 0 <= high else "worse"


def _failure_sentences(methods: Iterable[Mapping[str, Any]]) -> list[str]:
    failed = [method for method in methods if method.get("failed")]
    if not failed:
        return []
    parts = [f"{plain(method['name'])} ({method['failed']}{_consequence(method)})" for method in failed]
    return [f"Fits failed for {_listed(parts)}."]


def _consequence(method: Mapping[str, Any]) -> str:
    if method.get("risk") is None:
        return "" if method.get("status") == "unfinished" else ", so it has no risk"
    return f", so {words}" if (words := mixed_words(method)) else ""


def _listed(names: list[str]) -> str:
    if len(names) > MOST_NAMES:
        names = [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
