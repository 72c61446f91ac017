"""What fits into a time limit: a level of effort, splits and methods, chosen from what methods were seen to cost."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.data.dataset import Dataset
from foldwise.learners.named import Named
from foldwise.plans.effort import LEVELS, DefaultEffort, Effort, Words, at_level, choose_scheme, find_level

SAFETY = 0.4  # of the time left that a plan may take: machines differ, and are busy
SPLIT = {"outer": 0.2, "inner": 0.25}  # one train / dev / test split
LEAST = 3  # methods of a default set that are tried in any case, cheap ones first
MOST_SLOW = 4.0  # times slower: more is a moment, not the machine
FEWEST = 25  # rows of the smallest class that one split of few rows needs
OVERHEAD = 0.1  # seconds of a method beside its fits
LOOP = 0.05  # seconds of the loop that tells how fast this machine is just now, where PACES were measured
START = 2.0  # seconds for worker processes to start


@dataclass(frozen=True)
class Pace:
    """What one tuning over a small space takes: seconds for 10,000 rows and 20 columns, and how they grow."""

    seconds: float
    power: float = 1.0  # of the rows
    default: float = 5.0  # times as long with the default space
    fixed: float = 0.0  # seconds at any number of rows


# Measured on one core (docs/effort.md); those of classes are for two.
PACES = {
    "linear": Pace(0.05, default=1.0),
    "naive-bayes": Pace(0.1, default=1.0),
    "ridge": Pace(0.1, default=1.5),
    "logistic": Pace(0.5, default=2.0),
    "tree": Pace(0.8, default=6.0),
    "k-nn": Pace(3.0, power=2.0, default=4.0),
    "boosting": Pace(0.3, default=8.0, fixed=0.4),
    "forest": Pace(2.0, default=30.0),
}
UNKNOWN = Pace(12.0)  # any other learner, also one of the user's own


@dataclass(frozen=True)
class Rung:
    """One study that a limit may choose: a level of effort, and one split where that is taken instead of its own."""

    level: Effort
    tunings: float  # of each method, final ones included
    is_split: bool = False


@dataclass(frozen=True)
class Decision:
    """What is decided for a limit: words for `compare`, and the methods that are left out."""

    words: Mapping[str, Any]  # those of effort, learners, outer and inner that were open
    left_out: tuple[str, ...] = ()


def choose(words: Words, data: Dataset, named: Mapping[str, Any], left: float) -> Decision:
    """The richest study that fits into so many seconds; of the cheapest one, the methods that fit."""
    rungs = _rungs(words, data, named)
    for rung in rungs:
        costs = {name: _seconds(request, data, rung) for name, request in named.items()}
        if sum(costs.values()) <= SAFETY * left:
            return Decision(_words(words, rung, named))
    if words.learners is not None:
        return Decision(_words(words, rungs[-1], named))
    by_cost = sorted(costs, key=costs.__getitem__)
    spent = np.cumsum([costs[name] for name in by_cost])
    kept = by_cost[: max(LEAST, int(np.searchsorted(spent, SAFETY * left, side="right")))]
    left_out = tuple(name for name in named if name not in kept)
    return Decision({**_words(words, rungs[-1], kept), "learners": [name for name in named if name in kept]}, left_out)


def slowness() -> float:
    """How many times slower than the machine of PACES this one is just now, from 1 to a few."""
    started = time.perf_counter()
    table = np.arange(40_000.0).reshape(200, 200)
    for at in range(200):
        table = np.sort(table[:, ::-1] * (1 + at % 3), axis=0)
    return min(max(1.0, (time.perf_counter() - started) / LOOP), MOST_SLOW)


def _rungs(words: Words, data: Dataset, named: Mapping[str, Any]) -> list[Rung]:
    """What a limit may choose, from rich to poor: nothing that a word says is changed."""
    asked, quick = find_level(words.effort), LEVELS["quick"]
    has_sizes = any(at_level(request, quick) != request for request in named.values())
    levels = [asked, quick] if isinstance(words.effort, DefaultEffort) and has_sizes else [asked]
    rungs = [Rung(level, _tunings(words, level, data)) for level in levels]
    if _may_split(words) and data.time is None and _rarest(data) >= FEWEST:
        rungs.append(Rung(levels[-1], tunings=2, is_split=True))
    return rungs


def _may_split(words: Words) -> bool:
    return words.outer is None and words.inner is None and words.repeats is None


def _rarest(data: Dataset) -> int:
    """Rows of the smallest class, or groups: what each part of a split needs some of."""
    least = int(np.bincount(data.codes).min()) if data.classes else data.rows
    return least if data.groups is None else min(least, len(np.unique(data.groups)))


def _tunings(words: Words, level: Effort, data: Dataset) -> float:
    """Tunings of the splits that were asked for, or else of the level's own; roughly."""
    scheme = choose_scheme(level, data, inner=words.inner)
    outer = scheme.outer if words.outer is None else words.outer
    folds: float = outer if isinstance(outer, int) else 1 if isinstance(outer, float) else level.schemes[0].outer
    folds = data.rows if isinstance(outer, str) and outer == "loo" else folds
    within = words.inner if isinstance(words.inner, int) else 1
    return float(folds) * within * (words.repeats or scheme.repeats) + 1


def _seconds(request: Any, data: Dataset, rung: Rung) -> float:
    """What a method would take on one core."""
    name = request.name if isinstance(request, Named) else request
    pace = PACES.get(str(name).partition(":")[0], UNKNOWN) if isinstance(name, str) else UNKNOWN
    is_small = at_level(request, rung.level) == at_level(request, LEVELS["quick"])
    size = 1.0 if is_small and isinstance(name, str) else pace.default
    classes = max(1, len(data.classes) - 1)
    shape: float = (data.rows / 10_000) ** pace.power * max(data.columns / 20, 0.2)
    return OVERHEAD + (pace.fixed + pace.seconds * shape) * classes * size * rung.tunings


def _words(words: Words, rung: Rung, named: Iterable[str]) -> dict[str, Any]:
    """What differs from what would be run without a limit."""
    found: dict[str, Any] = {}
    if rung.level.name != words.effort:
        found["effort"] = rung.level.name
        found |= {"learners": list(named)} if words.learners is None else {}
    return found | SPLIT if rung.is_split else found
