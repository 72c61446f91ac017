"""What fits into a time limit: a level of effort, splits, methods and the rows they learn from, by what they cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from foldwise.data.dataset import Dataset
from foldwise.learners.named import Named
from foldwise.plans.blends import read_blend
from foldwise.plans.cost import cheaper_forms, tuning_seconds
from foldwise.plans.effort import LEVELS, Effort, StudyChoices, at_level, choose_scheme

SAFETY = 0.5  # of the time left that a plan may take: machines differ, and are busy
SHARED_OUT = 0.7  # of it where each method has its share: the last ones may be cut, and the others have their risks
SPLIT = {"outer": 0.2, "inner": 0.25}  # one train / dev / test split
LEAST = 3  # methods of a default set that are tried in any case, cheap ones first
FEWEST = 25  # rows of the smallest class that one split of few rows needs
START = 2.0  # seconds for worker processes to start
MERIT = {"boosting": 4.0, "forest": 2.0}  # parts of the time, where others have one: they are the best most often
WITHIN = 3  # training sets of a tuning within an outer fold that inner folds share with other outer folds
ONE_SPLIT = 2.2  # tunings of one split: one without the test rows, and a final one on some more


@dataclass(frozen=True)
class Rung:
    """One study that a limit may choose: a level of effort, and one split where that is taken instead of its own."""

    level: Effort
    tunings: float  # of each method, final ones included
    is_split: bool = False


@dataclass(frozen=True)
class LimitDecision:
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


def choose(choices: StudyChoices, data: Dataset, named: Mapping[str, Any], left: float) -> LimitDecision:
    """The richest study that fits into so many seconds.

    Where none does, every method of a default set keeps its place in the cheapest one, some on a sample of the rows or
    with fewer rounds: a dear learner on fewer rows tells more than a cheap one on more folds.
    """
    rungs = _rungs(choices, data, named)
    for rung in rungs:
        costs = {name: tuning_seconds(request, data, rung.level, rung.tunings) for name, request in named.items()}
        if sum(costs.values()) <= SAFETY * left:
            return LimitDecision(_options(choices, rung, named))
    if choices.learners is not None:
        return LimitDecision(_options(choices, rung, named))
    changes, left_out = _share_out(costs, data.rows, SHARED_OUT * left)
    able = [name for name in named if name not in left_out]
    return LimitDecision({**_options(choices, rung, able), "learners": able}, left_out, changes)


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
        cost, change = costs[name], dict[str, Any]()
        for part, cheaper in cheaper_forms(name, rows):  # the smallest change that fits, or else what is cheapest
            if cost > share and costs[name] * part < cost:
                cost, change = costs[name] * part, dict(cheaper)
        if cost > share and place >= LEAST and name not in MERIT:
            left_out.append(name)
        else:
            left -= min(cost, share)  # one that takes longer is tried nevertheless, and is cut
            changes |= {name: change} if change else {}
        del weights[name]
    gone = [name for name in costs if (blend := read_blend(name)) and set(blend.members) & set(left_out)]
    return changes, tuple(name for name in costs if name in left_out or name in gone)


def _rungs(choices: StudyChoices, data: Dataset, named: Mapping[str, Any]) -> list[Rung]:
    """What a limit may choose, from rich to poor: nothing that a word says is changed.

    Where small spaces would have one split too, the spaces that were asked for come with one split first.
    """
    asked, quick = choices.level, LEVELS["quick"]
    has_sizes = any(at_level(request, quick) != request for request in named.values())
    levels = [asked, quick] if choices.effort is None and has_sizes else [asked]
    rungs = [Rung(level, _tunings(choices, level, data)) for level in levels]
    is_open = choices.outer is None and choices.inner is None and choices.repeats is None
    rarest = (
        int(np.bincount(data.codes).min()) if data.classes else data.rows
    )  # what each part of a split needs some of
    rarest = rarest if data.groups is None else min(rarest, len(np.unique(data.groups)))
    if is_open and data.time is None and rarest >= FEWEST:
        is_narrow = choose_scheme(levels[-1], data).is_one_split
        split = [Rung(level, ONE_SPLIT, is_split=True) for level in (levels if is_narrow else levels[-1:])]
        rungs = [*rungs[:1], *split] if is_narrow else [*rungs, *split]
    return rungs


def _tunings(choices: StudyChoices, level: Effort, data: Dataset) -> float:
    """Tunings of the splits that were asked for, or else of the level's own; roughly."""
    scheme = choose_scheme(level, data, inner=choices.inner)
    outer = scheme.outer if choices.outer is None else choices.outer
    if isinstance(outer, float):
        return ONE_SPLIT
    folds: float = outer if isinstance(outer, int) else level.schemes[0].outer
    folds = data.rows if isinstance(outer, str) and outer == "loo" else folds
    within = choices.inner if isinstance(choices.inner, int) else WITHIN
    return float(folds) * within * (choices.repeats or scheme.repeats) + within


def _options(choices: StudyChoices, rung: Rung, named: Iterable[str]) -> dict[str, Any]:
    """What differs from what would be run without a limit."""
    options: dict[str, Any] = {}
    if rung.level is not choices.level:
        options["effort"] = rung.level.name
        options |= {"learners": list(named)} if choices.learners is None else {}
    return options | SPLIT if rung.is_split else options
