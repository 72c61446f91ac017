"""A benchmark for a terminal: mean ranks, the risks by data set, the verdict, the notes."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from foldwise.blocks.numbers import MISSING, number, plain
from foldwise.show.text import screen_width, table_text

Answer = Mapping[str, Any]
Pair = Mapping[str, Any]
LONGEST = 110  # characters of a line that is still easy to read


def benchmark_text(answer: Answer, *, width: int | None = None) -> str:
    """The whole benchmark as text."""
    width = width or screen_width()
    parts = [table_text(rank_columns(answer), width=width), table_text(risk_columns(answer), width=width)]
    parts += [_wrapped(" ".join(benchmark_verdict(answer)), width)]
    parts += ["\n".join(_wrapped(f"note: {plain(note['text'])}", width) for note in answer["notes"])]
    return "\n\n".join(part for part in parts if part)


def rank_columns(answer: Answer) -> dict[str, list[str]]:
    """One row per method that is compared."""
    methods = [method for method in answer["methods"] if method["compared"]]
    counted = sum(data["counted"] for data in answer["datasets"])
    return {
        "method": [plain(method["name"]) for method in methods],
        "mean rank": [number(method["mean_rank"], digits=3) for method in methods],
        "relative risk": [number(method["relative_risk"], digits=3) for method in methods],
        "best on": [f"{method['best_on']} of {counted}" for method in methods],
        "below the baseline on": [f"{method['beats_baseline']} of {method['data_sets']}" for method in methods],
    }


def risk_columns(answer: Answer) -> dict[str, list[str]]:
    """One row per data set, one column per method; a star marks the smallest risk of those compared."""
    columns = {"data set": [plain(data["data"]) for data in answer["datasets"]]}
    columns["loss"] = [plain(data["loss"] or data["status"]) for data in answer["datasets"]]
    for method in answer["methods"]:
        name = plain(method["name"])
        while name in columns:  # a method may have the name of a column, and two names may print alike
            name += " "
        columns[name] = [risk_cell(answer, method, data["data"]) for data in answer["datasets"]]
    return columns


def risk_cell(answer: Answer, method: Mapping[str, Any], data: str) -> str:
    """A risk as it is written in the table."""
    risk = method["risks"].get(data)
    known = [own for other in answer["methods"] if other["compared"] and (own := other["risks"].get(data)) is not None]
    return number(risk) + ("*" if method["compared"] and risk is not None and risk == min(known) else "")


def benchmark_verdict(answer: Answer) -> list[str]:
    """The comparison over data sets in a few plain sentences, which never say more than the numbers do."""
    counted = [data for data in answer["datasets"] if data["counted"]]
    if not counted:
        return ["No data set has an answer that could be compared.", *_left_sentences(answer)]
    if answer["best"] is None:
        return ["No learner has a risk on every data set, so none is ranked.", *_left_sentences(answer)]
    return [
        *_best_sentences(answer, len(counted)),
        *_friedman_sentences(answer),
        *_pair_sentences(answer),
        *_left_sentences(answer),
    ]


def _best_sentences(answer: Answer, sets: int) -> Iterator[str]:
    ranked = [method for method in answer["methods"] if method["mean_rank"] is not None]
    best = next(method for method in ranked if method["name"] == answer["best"])
    name, over = plain(best["name"]), f"{sets} data set{'s' if sets != 1 else ''}"
    if len(ranked) == 1:
        yield f"{name} is the only learner with a risk on all of {over}, so there is nothing to rank."
    else:
        rank = number(best["mean_rank"], digits=3)
        equals = [plain(one["name"]) for one in ranked if one is not best and one["mean_rank"] == best["mean_rank"]]
        shared = f" (as {_listed(equals)})" if equals else ""
        smallest = f"it has the smallest risk on {best['best_on']} of them"
        if sets == 1:
            yield f"{name} has the smallest risk of {len(ranked)} methods{shared} on the only data set."
        else:
            yield f"{name} has the best mean rank of {len(ranked)} methods: {rank}{shared} over {over}; {smallest}."
    if best["relative_risk"] is not None:
        mean = " on average" if sets > 1 else ""
        yield f"Its risk is {100 * best['relative_risk']:.3g}% of the baseline's{mean}."
    if lost := best["data_sets"] - best["beats_baseline"]:
        where = f" on {lost} of {over}" if sets > 1 else ""
        yield f"It is not below the baseline{where}."


def _friedman_sentences(answer: Answer) -> Iterator[str]:
    """Do three methods or more differ at all? Two are a pair, and what pairs show is not taken back here."""
    test = answer["friedman"]
    if test is None or test["methods"] < 3:
        return
    p = f"p = {number(test['exact_p'], digits=2)}"
    is_pair_apart = any(_is_apart(pair, answer) for pair in answer["pairs"])
    if test["exact_p"] <= 1 - answer["level"]:
        rest = "" if is_pair_apart else ", but the pairs do not show which"
        yield f"The methods differ by more than chance (Friedman's test, {p}){rest}."
    elif not is_pair_apart:
        yield f"The order may be chance: Friedman's test does not tell the methods apart ({p})."


def _is_apart(pair: Pair, answer: Answer) -> bool:
    return pair["p_holm"] is not None and pair["p_holm"] <= 1 - answer["level"]


def _pair_sentences(answer: Answer) -> Iterator[str]:
    """Who is better and worse than the best method, or than the control."""
    centre = answer["control"] or answer["best"]
    pairs = [pair for pair in answer["pairs"] if centre in pair["names"] and pair["p_holm"] is not None]
    if not pairs:
        return
    kinds = {key: list[str]() for key in ("better", "worse", "same")}
    for pair in pairs:
        (other,) = [name for name in pair["names"] if name != centre]
        is_first_better, p = pair["better"] > pair["worse"], number(pair["p_holm"], digits=2)
        is_worse = is_first_better == (pair["names"][0] == centre)
        kind = "same" if not _is_apart(pair, answer) else "worse" if is_worse else "better"
        kinds[kind].append(plain(other) if kind == "same" else f"{plain(other)} (p = {p})")
    tested = sum(pair["p_holm"] is not None for pair in answer["pairs"])
    how = f"by Friedman's test of two with Holm's correction over {tested} pair{'s' if tested != 1 else ''}"
    name = plain(centre)
    if kinds["worse"]:
        yield f"{name} is better than {_listed(kinds['worse'])}, {how}."
    if kinds["better"]:
        yield f"{_listed(kinds['better'])} {_is(kinds['better'])} better than {name}, {how}."
    if kinds["same"]:
        more = "" if kinds["worse"] or kinds["better"] else f", {how}"
        yield f"{_listed(kinds['same'])} cannot be told apart from {name}{more}."


def _left_sentences(answer: Answer) -> Iterator[str]:
    failed = [plain(data["data"]) for data in answer["datasets"] if data["status"] == "failed"]
    waiting = [plain(data["data"]) for data in answer["datasets"] if data["status"] == "unfinished"]
    codes = {note["code"] for note in answer["notes"]}
    if "few" in codes:
        yield "So few data sets could not have shown a difference."
    if "few pairs" in codes:
        yield "So few data sets cannot show which methods differ."
    if failed:
        yield f"Without an answer: {_listed(failed)}."
    if waiting:
        yield f"Not finished: {_listed(waiting)}."


def pair_score(pair: Pair) -> str:
    """Data sets won, drawn and lost."""
    return f"{pair['better']} / {pair['equal']} / {pair['worse']}"


def percent(value: float | None) -> str:
    """A difference as a share of the baseline's risk.

    >>> percent(-0.0234), percent(None)
    ('-2.34%', '-')
    """
    return MISSING if value is None else f"{100 * value:.3g}%"


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _wrapped(text: str, width: int) -> str:
    return textwrap.fill(text, min(width, LONGEST), break_long_words=False, break_on_hyphens=False)
