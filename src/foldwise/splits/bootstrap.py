"""Training rows drawn with replacement; the rows never drawn are the test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foldwise.arrays import IntArray
from foldwise.errors import BadSplits
from foldwise.shown import Shown
from foldwise.splits.part import Part, whole_number
from foldwise.splits.split import Split, Splits, plural, repeated

TRIES = 100


@dataclass(frozen=True)
class Bootstrap(Shown):
    """Draws as many rows as there are, with replacement: within classes where stratified, whole groups where grouped.

    `splits`: how many draws.

    >>> Bootstrap(200)
    Bootstrap(splits=200)
    """

    splits: int = 10

    def __post_init__(self) -> None:
        object.__setattr__(self, "splits", whole_number(self.splits, "splits", least=1))

    def make(self, part: Part, repeats: int = 1) -> Splits:
        if part.time is not None:
            raise BadSplits("a bootstrap draw cannot keep the order of time", "Use TimeOrdered(5), or leave out time")
        splits = []
        for repeat in range(repeats):
            for fold in range(self.splits):
                counts = _draw(part, part.random("bootstrap", repeat, fold))
                splits.append(Split(np.repeat(part.at, counts), part.at[counts == 0], repeat, fold))
        style = ", whole groups" if part.groups is not None else ", stratified" if part.strata is not None else ""
        scheme = repeated(plural(self.splits, "bootstrap draw") + style, repeats)
        return Splits(tuple(splits), scheme, "bootstrap", is_partition=False)


def _draw(part: Part, random: np.random.Generator) -> IntArray:
    """How often each row is drawn; draws that leave no row to test are drawn again."""
    groups = part.groups
    units = len(part.at) if groups is None else int(groups.max()) + 1
    # One stratum for all groups: a group may hold rows of several classes.
    strata = part.strata if groups is None and part.strata is not None else np.zeros(units, dtype=np.int64)
    for _ in range(TRIES):
        counts = _draw_within(strata, random)
        counts = counts if groups is None else counts[groups]
        if (counts == 0).any():
            return counts
    raise BadSplits(
        f"cannot draw a bootstrap that leaves rows to test: {TRIES} draws of {plural(len(part.at), 'row')} left none",
        "Give more rows or groups, or stratify=False",
    )


def _draw_within(strata: IntArray, random: np.random.Generator) -> IntArray:
    """Counts of a draw with replacement that keeps the size of every stratum."""
    codes = np.unique(strata, return_inverse=True)[1]
    sizes = np.bincount(codes)
    order = np.argsort(codes, kind="stable")
    first = np.cumsum(sizes) - sizes
    own = codes[order]
    drawn = order[first[own] + (random.random(len(order)) * sizes[own]).astype(np.int64)]
    return np.bincount(drawn, minlength=len(order))
