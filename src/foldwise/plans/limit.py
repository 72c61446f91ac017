"""What fits into a time limit: a level of effort, splits, methods and the rows they learn from, by what they cost."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from foldwise.data.dataset import Dataset
from foldwise.errors import FoldwiseError
from foldwise.learners.named import Named
from foldwise.plans.combined import read_combined
from foldwise.plans.effort import LEVELS, Choices, Effort, at_level, choose_scheme
from foldwise.plans.methods import make_learner
from foldwise.solvers.finding import count_fits

SAFETY = 0.5  # of the time left that a plan may take: machines differ, and are busy
SHARED_OUT = 0.7  # of it where each method has its share: the last ones may be cut, and the others have their risks
SPLIT = {"outer": 0.2, "inner": 0.25}  # one train / dev / test split
LEAST = 3  # methods of a default set that are tried in any case, cheap ones first
MOST_SLOW = 4.0  # times slower: more is a moment, not the machine
FEWEST = 25  # rows of the smallest class that one split of few rows needs
OVERHEAD = 0.1  # seconds of a method beside its fits
LOOP = 0.05  # seconds of the loop that tells how fast this machine is just now, where PACES were measured
START = 2.0  # seconds for worker processes to start
STAGES = (200_000, 100_000, 50_000, 20_000, 10_000, 5_000, 2_000, 1_000)  # rows of a sample to learn from
SMALLER = 0.6  # of the rows: a sample of more saves nothing, as the rest is held out anyway
MERIT = {"boosting": 4.0, "forest": 2.0}  # parts of the time, where others have one: they are the best most often
WITHIN = 3  # training sets of a tuning within an outer fold that inner folds share with other outer folds
ONE_SPLIT = 2.2  # tunings of one split: one without the test rows, and a final one on some more


@dataclass(frozen=True)
class Pace:
    """What one tuning over a small space takes: seconds for 10,000 rows and 20 columns, and how they grow."""

    seconds: float
    power: float = 1.0  # of the rows
    fixed: float = 0.0  # seconds at any number of rows
    apart: float = 1.0  # times as long on a sample, of which candidates share nothing
    predicting: float = 0.02  # the part of the time that a sample does not shorten
    by_class: bool = False  # has every class beyond two a model of its own?


# Roughly, from runs on one core; those of classes are for two. Linear learners are cheap, and boosting predicts about
# as long as it learns: there a sample of rows to learn from saves nothing, but a shorter run does.
PACES = {
    "linear": Pace(0.05, predicting=1.0),
    "naive-bayes": Pace(0.1, predicting=1.0),
    "ridge": Pace(0.03, predicting=1.0),
    "logistic": Pace(0.2, predicting=1.0, by_class=True),
    "tree": Pace(0.3, power=1.2, apart=3.0),
    "k-nn": Pace(0.3, power=2.0, apart=2.5, predicting=0.0),
    "boosting": Pace(0.6, fixed=0.6, predicting=1.0, by_class=True),
    "forest": Pace(1.1, power=1.15, predicting=0.07),
    "extra-trees": Pace(1.5, power=1.1, predicting=0.07),
    "kernel-ridge": Pace(300.0, power=3.0, predicting=0.0),
}
UNKNOWN = Pace(12.0, by_class=True)  # any other learner, also one of the user's own
# Shorter runs of larger steps and the part of the time that they take: not as good as the long one, and far from none.
SHORTER: dict[str, tuple[tuple[float, dict[str, Any]], ...]] = {
    "boosting": tuple(
        (rounds[-1] / 400, {"max_iter": rounds, "learning_rate": rate, "max_leaf_nodes": 6, "min_samples_leaf": 5})
        for rounds, rate in (([25, 50, 100, 200], 0.2), ([25, 50, 100], 0.3), ([25, 50], 0.3), ([10, 25], 0.5))
    )
}


@dataclass(frozen=True)
class Rung:
    """One study that a limit may choose: a level of effort, and one split where that is taken instead of its own."""

    level: Effort
    tunings: float  # of each method, final ones included
    is_split: bool = False


@dataclass(frozen=True)
class Decision:
    """What is decided for a limit: options of `compare`, cheaper forms of dear learners, and who is left out."""

    options: Mapping[str, Any] = field(default_factory=dict)  # those that were open
    left_out: tuple[str, ...] = ()
    changes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # a sample of rows, or a shorter run

    @property
    def learned_options(self) -> dict[str, Any]:
        """The options, with learners that learn from a sample of rows, or in fewer rounds, as such."""
        options = dict(self.options)
        if self.changes:
            options["learners"] = {
                name: Named(name, dict(self.changes[name])) if name in self.changes else name
                for name in options["learners"]
            }
        return options


def choose(choices: Choices, data: Dataset, named: Mapping[str, Any], left: float) -> Decision:
    """The richest study that fits into so many seconds.

    Where none does, every method of a default set keeps its place in the cheapest one, some on a sample of the rows or
    with fewer rounds: a dear learner on fewer rows tells more than a cheap one on more folds.
    """
    rungs = _rungs(choices, data, named)
    for rung in rungs:
        costs = {name: _seconds(request, data, rung) for name, request in named.items()}
        if sum(costs.values()) <= SAFETY * left:
            return Decision(_options(choices, rung, named))
    if choices.learners is not None:
        return Decision(_options(choices, rung, named))
    changes, left_out = _share_out(costs, data.rows, SHARED_OUT * left)
    kept = [name for name in named if name not in left_out]
    return Decision({**_options(choices, rung, kept), "learners": kept}, left_out, changes)


def slowness() -> float:
    """How many times slower than the machine of PACES this one is just now, from 1 to a few."""
    started = time.perf_counter()
    table = np.arange(40_000.0).reshape(200, 200)
    for at in range(200):
        table = np.sort(table[:, ::-1] * (1 + at % 3), axis=0)
    return min(max(1.0, (time.perf_counter() - started) / LOOP), MOST_SLOW)


def _share_out(
    costs: Mapping[str, float], rows: int, left: float
) -> tuple[dict[str, Mapping[str, Any]], tuple[str, ...]]:
    """Changes with which methods fit into their shares of the time, and those that none makes cheap enough.

    What cheap methods leave of their shares is for the dear ones.
    """
    weights = {name: MERIT.get(name, 1.0) for name in costs}
    changes, left_out = dict[str, Mapping[str, Any]](), list[str]()
    for place, name in enumerate(sorted(costs, key=lambda name: costs[name] / weights[name])):
        share = left * weights[name] / sum(weights.values())
        cost, change = _within(share, name, costs[name], rows)
        if cost > share and place >= LEAST and name not in MERIT:
            left_out.append(name)
        else:
            left -= min(cost, share)  # one that takes longer is tried nevertheless, and is cut
            changes |= {name: change} if change else {}
        del weights[name]
    gone = [name for name in costs if (found := read_combined(name)) and set(found.members) & set(left_out)]
    return changes, tuple(name for name in costs if name in left_out or name in gone)


def _within(share: float, name: str, cost: float, rows: int) -> tuple[float, Mapping[str, Any]]:
    """Seconds of a method and its change: the smallest with which it fits into a share, or else what is cheapest."""
    found: tuple[float, Mapping[str, Any]] = (cost, {})
    for part, change in _cheaper(name, rows):
        if found[0] <= share:
            break
        found = min(found, (cost * part, change), key=lambda one: one[0])
    return found


def _cheaper(name: str, rows: int) -> Iterator[tuple[float, Mapping[str, Any]]]:
    """Changes that make a learner cheaper, and the part of the time that it takes then: shorter runs, else samples."""
    pace = PACES.get(name)
    if name in SHORTER or pace is None:
        yield from SHORTER.get(name, ())
        return
    for sample in (stage for stage in STAGES if stage < SMALLER * rows):
        part = pace.predicting + (1 - pace.predicting) * pace.apart * sample / (SMALLER * rows)
        yield part, {"max_rows": sample}


def _rungs(choices: Choices, data: Dataset, named: Mapping[str, Any]) -> list[Rung]:
    """What a limit may choose, from rich to poor: nothing that a word says is changed.

    Where small spaces would have one split too, the spaces that were asked for come with one split first.
    """
    asked, quick = choices.level, LEVELS["quick"]
    has_sizes = any(at_level(request, quick) != request for request in named.values())
    levels = [asked, quick] if choices.effort is None and has_sizes else [asked]
    rungs = [Rung(level, _tunings(choices, level, data)) for level in levels]
    if _may_split(choices) and data.time is None and _rarest(data) >= FEWEST:
        is_narrow = choose_scheme(levels[-1], data).is_one_split
        split = [Rung(level, ONE_SPLIT, is_split=True) for level in (levels if is_narrow else levels[-1:])]
        rungs = [*rungs[:1], *split] if is_narrow else [*rungs, *split]
    return rungs


def _may_split(choices: Choices) -> bool:
    return choices.outer is None and choices.inner is None and choices.repeats is None


def _rarest(data: Dataset) -> int:
    """Rows of the smallest class, or groups: what each part of a split needs some of."""
    least = int(np.bincount(data.codes).min()) if data.classes else data.rows
    return least if data.groups is None else min(least, len(np.unique(data.groups)))


def _tunings(choices: Choices, level: Effort, data: Dataset) -> float:
    """Tunings of the splits that were asked for, or else of the level's own; roughly."""
    scheme = choose_scheme(level, data, inner=choices.inner)
    outer = scheme.outer if choices.outer is None else choices.outer
    if isinstance(outer, float):
        return ONE_SPLIT
    folds: float = outer if isinstance(outer, int) else level.schemes[0].outer
    folds = data.rows if isinstance(outer, str) and outer == "loo" else folds
    within = choices.inner if isinstance(choices.inner, int) else WITHIN
    return float(folds) * within * (choices.repeats or scheme.repeats) + within


def _seconds(request: Any, data: Dataset, rung: Rung) -> float:
    """What a method would take on one core."""
    if read_combined(request) is not None:
        return OVERHEAD  # its members are rows of their own
    name = request.name if isinstance(request, Named) else request
    pace = PACES.get(str(name).partition(":")[0], UNKNOWN) if isinstance(name, str) else UNKNOWN
    classes = len(data.classes) if pace.by_class and len(data.classes) > 2 else 1
    shape: float = (data.rows / 10_000) ** pace.power * max(data.columns / 20, 0.2)
    return OVERHEAD + (pace.fixed + pace.seconds * shape) * classes * _larger(request, data, rung.level) * rung.tunings


def _larger(request: Any, data: Dataset, level: Effort) -> float:
    """How many times as many fits a level's space of a built-in learner takes as the small one."""
    if not isinstance(request, str | Named) or level is LEVELS["quick"]:
        return 1.0
    many, few = (_fits(at_level(request, one), data) for one in (level, LEVELS["quick"]))
    return max(1.0, many / few)


def _fits(request: Any, data: Dataset) -> int:
    """Fits to one training set for all candidates of a learner, those that a solver shares counted once."""
    try:
        learner = make_learner("", request, data)
    except FoldwiseError:  # said when the study is made
        return 1
    if learner.space is None:
        return 1
    return count_fits([learner.at(candidate) for candidate in learner.space.grid()], data)


def _options(choices: Choices, rung: Rung, named: Iterable[str]) -> dict[str, Any]:
    """What differs from what would be run without a limit."""
    options: dict[str, Any] = {}
    if rung.level is not choices.level:
        options["effort"] = rung.level.name
        options |= {"learners": list(named)} if choices.learners is None else {}
    return options | SPLIT if rung.is_split else options
