"""The answer of a benchmark as plain values: that of each data set, and the comparison over all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from foldwise.questions.failures import mixed_words
from foldwise.stats.across import Across, PairAcross, across
from foldwise.stats.array_checks import checked_level
from foldwise.stats.estimate import plain_number

REFERENCES = ("baseline", "auto")  # rows of every study; they are shown and take no part in ranks and pairs
MOST_LISTED = 5  # data sets that a note names
Note = tuple[str, str]


@dataclass(frozen=True)
class Entry:
    """One data set of a benchmark: its answer, or why there is none."""

    data: str
    status: str  # "ok", "failed" or "unfinished"
    answer: dict[str, Any] | None = None
    error: str | None = None
    left_out: tuple[str, ...] = ()  # learners that are not for its task
    cause: Exception | None = None

    def method(self, name: str) -> Mapping[str, Any]:
        methods = self.answer["methods"] if self.answer else []
        return next((method for method in methods if method["name"] == name), {})

    def risk(self, name: str) -> float:
        """The risk of a method; NaN where it has none, or where the baseline stands in for failed fits."""
        method = self.method(name)
        risk = method.get("risk")
        return math.nan if risk is None or mixed_words(method) else float(risk)


def compared_names(entries: Sequence[Entry]) -> list[str]:
    """All methods that are compared, in the order they were first met."""
    every = (method["name"] for entry in entries if entry.answer for method in entry.answer["methods"])
    return [name for name in dict.fromkeys(every) if name not in REFERENCES]


@dataclass(frozen=True)
class Terms:
    """How methods are compared over data sets."""

    level: float = 0.95
    control: str | None = None  # the method that the others are compared to; else all pairs are
    seed: int = 0

    def __post_init__(self) -> None:
        checked_level(self.level)


def compare_entries(entries: Sequence[Entry], terms: Terms) -> Across:
    """The comparison over the data sets that are finished and have a risk of some method."""
    names = compared_names(entries)
    counted = [entry for entry in entries if is_counted(entry, names)]
    return across(
        [[entry.risk(name) for name in names] for entry in counted],
        names,
        [entry.data for entry in counted],
        baseline=[entry.risk("baseline") for entry in counted],
        losses=[entry.answer["loss"] for entry in counted if entry.answer],
        level=terms.level,
        control=terms.control if terms.control in names else None,
    )


def is_counted(entry: Entry, names: Sequence[str]) -> bool:
    return entry.status == "ok" and any(math.isfinite(entry.risk(name)) for name in names)


def benchmark_answer(
    entries: Sequence[Entry], found: Across, *, seed: int, seconds: float, versions: dict[str, str]
) -> dict[str, Any]:
    """The object of `to_dict()` and `--json`, stable for scripts."""
    answers = [entry.answer for entry in entries if entry.answer]
    return {
        "best": found.best,
        "level": found.level,
        "control": found.control,
        "seed": seed,
        "finished": all(entry.status != "unfinished" for entry in entries),
        "losses": _each(entries, "loss"),
        "tasks": _each(entries, "task"),
        "fits": sum(answer["fits"] for answer in answers),
        "fits_made": sum(answer["fits_made"] for answer in answers),
        "seconds": round(seconds, 3),
        "datasets": [_data_dict(entry, found) for entry in entries],
        "methods": [_method_dict(name, entries, found) for name in _ordered(entries, found)],
        "friedman": _friedman(found),
        "nemenyi": _nemenyi(found),
        "pairs": [_pair_dict(pair) for pair in found.pairs],
        "not_told_apart": found.not_told_apart,
        "notes": [{"code": code, "text": text} for code, text in _notes(entries, found)],
        "versions": versions,
    }


def _ordered(entries: Sequence[Entry], found: Across) -> list[str]:
    """Ranked methods by rank, then the others, then the rows for reference."""
    known = [name for name in REFERENCES if any(entry.method(name) for entry in entries)]
    return list(dict.fromkeys([*found.mean_ranks, *found.names, *known]))


def _data_dict(entry: Entry, found: Across) -> dict[str, Any]:
    answer = entry.answer or {}
    return {
        "data": entry.data,
        "status": entry.status,
        "error": entry.error,
        "counted": entry.data in found.data_sets,
        "left_out": list(entry.left_out),
        **{
            key: answer.get(key)
            for key in ("rows", "task", "loss", "loss_label", "best", "fits", "fits_made", "seconds")
        },
        "baseline_risk": plain_number(entry.risk("baseline")),
        "answer": entry.answer,
    }


def _method_dict(name: str, entries: Sequence[Entry], found: Across) -> dict[str, Any]:
    counted = [entry for entry in entries if entry.data in found.data_sets]
    with_baseline = [entry for entry in counted if math.isfinite(entry.risk(name) + entry.risk("baseline"))]
    is_compared = name in found.names
    return {
        "name": name,
        "compared": is_compared,
        "mean_rank": found.mean_ranks.get(name),
        "relative_risk": found.mean_relative(name) if is_compared else None,
        "data_sets": sum(math.isfinite(entry.risk(name)) for entry in counted),
        "best_on": sum(_is_best(entry, name, found.names) for entry in counted) if is_compared else None,
        "beats_baseline": sum(entry.risk(name) < entry.risk("baseline") for entry in with_baseline),
        "risks": {entry.data: plain_number(entry.method(name).get("risk")) for entry in entries},
        "ranks": {entry.data: _rank(entry, name, found) for entry in entries},
        "relative_risks": {entry.data: _relative(entry, name) for entry in entries},
    }


def _is_best(entry: Entry, name: str, names: Sequence[str]) -> bool:
    known = [risk for other in names if math.isfinite(risk := entry.risk(other))]
    return bool(known) and entry.risk(name) == min(known)


def _rank(entry: Entry, name: str, found: Across) -> float | None:
    if entry.data not in found.data_sets or name not in found.ranked:
        return None
    return float(found.ranks[found.data_sets.index(entry.data), found.ranked.index(name)])


def _relative(entry: Entry, name: str) -> float | None:
    under = entry.risk("baseline")
    return plain_number(entry.risk(name) / under) if under > 0 else None


def _friedman(found: Across) -> dict[str, Any] | None:
    if found.friedman is None:
        return None
    test = found.friedman
    return {
        "chi2": plain_number(test.chi2),
        "df": test.df,
        "p": test.p,
        "f": plain_number(test.f),
        "f_df": list(test.f_df),
        "f_p": test.f_p,
        "exact_p": test.exact_p,
        "exact_by": test.exact_by,
        "data_sets": len(found.data_sets),
        "methods": len(found.ranked),
    }


def _nemenyi(found: Across) -> dict[str, Any] | None:
    if found.nemenyi is None:
        return None
    return {
        "critical_difference": found.nemenyi.critical_difference,
        "level": found.nemenyi.level,
        "groups": found.groups,
    }


def _pair_dict(pair: PairAcross) -> dict[str, Any]:
    return {
        "names": list(pair.names),
        "data_sets": len(pair.data_sets),
        "left_out": list(pair.left_out),
        "better": pair.better,
        "equal": pair.equal,
        "worse": pair.worse,
        "difference": pair.difference,
        "p": pair.p,
        "p_holm": pair.p_holm,
    }


def _each(entries: Sequence[Entry], key: str) -> list[str]:
    return list(dict.fromkeys(entry.answer[key] for entry in entries if entry.answer and entry.answer[key]))


def _notes(entries: Sequence[Entry], found: Across) -> Iterator[Note]:
    for entry in entries:
        yield from _entry_notes(entry, found)
    counted = [entry for entry in entries if entry.data in found.data_sets]
    for name in found.names:
        yield from _missing_notes(name, counted)
    yield from _loss_notes(counted)
    yield from _power_notes(found)


def _missing_notes(name: str, counted: Sequence[Entry]) -> Iterator[Note]:
    """The data sets on which a method is not compared, and what follows."""
    lacking = [entry for entry in counted if not math.isfinite(entry.risk(name))]
    if lacking:
        other_task = [entry.data for entry in lacking if name in entry.left_out]
        without = [entry.data for entry in lacking if name not in entry.left_out]
        words = [f"is not for the task of {_listed(other_task)}"] if other_task else []
        words += [f"has no risk of its own on {_listed(without)}"] if without else []
        rest = "it has no mean rank, and is compared on the other data sets alone"
        yield "missing", f"{name} {' and '.join(words)}: {rest}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return ", ".join(names[:MOST_LISTED]) + more


def _entry_notes(entry: Entry, found: Across) -> Iterator[Note]:
    if entry.status == "failed":
        yield "failed", f"{entry.data} has no answer and is left out: {str(entry.error).rstrip('.')}"
    elif entry.status == "unfinished":
        yield "unfinished", f"{entry.data} is not finished and is left out of ranks and tests"
    elif entry.data not in found.data_sets:
        yield "failed", f"no learner has a risk on {entry.data}, which is left out"
    for method in entry.answer["methods"] if entry.answer else []:
        if words := mixed_words(method):
            yield "mixed", f"the risk of {method['name']} on {entry.data} is not compared: {words}"


def _loss_notes(counted: Sequence[Entry]) -> Iterator[Note]:
    losses = _each(counted, "loss")
    if len(losses) > 1:
        words = f"the data sets have different losses ({', '.join(losses)})"
        yield "losses", f"{words}: methods are ranked within each, and no risks are averaged"
        return
    without = [entry.data for entry in counted if not entry.risk("baseline") > 0]
    if without:
        words = f"the baseline has no risk above 0 on {_listed(without)}"
        yield "baseline", f"{words}: there are no relative risks on average"


def _power_notes(found: Across) -> Iterator[Note]:
    """A note where the data sets are too few to show any difference."""
    tested = [pair for pair in found.pairs if pair.p_holm is not None]
    if not tested:
        return
    sets = max(len(pair.data_sets) for pair in tested)
    smallest = min(1.0, len(tested) * 2.0 ** (1 - sets))
    words = f"with {sets} data set{'s' if sets != 1 else ''} and {len(tested)} pair{'s' if len(tested) != 1 else ''}"
    if smallest > 1 - found.level and found.smallest_friedman_p <= 1 - found.level and len(found.ranked) > 2:
        yield "few pairs", f"{words} no p of a pair can be below {smallest:.2g}: which methods differ cannot be shown"
    elif smallest > 1 - found.level:
        yield "few", f"{words} no p can be below {smallest:.2g}: no difference could have been shown, however large"
