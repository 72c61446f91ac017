"""One held-out share of the rows, once or at random many times; and training rows drawn with replacement."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from foldwise.arrays import IntArray
from foldwise.errors import BadSplits
from foldwise.shown import Shown
from foldwise.splits.part import Part, Rows, make_part, refuse_groups_with_time, whole_number
from foldwise.splits.split import Split, Splits, plural, refuse_repeats, repeated, without

MOST_DRAWS = 100  # of a bootstrap, until it leaves rows to test


@dataclass(frozen=True)
class Holdout(Shown):
    """One test set of ceil(share x rows) rows: stratified, of whole groups, or the last ones in time.

    `share`: of the rows that are held out.

    >>> Holdout(0.2)
    Holdout(share=0.2)
    """

    share: float = 0.2

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", check_share(self.share))

    def make(self, part: Part, repeats: int = 1) -> Splits:
        count = held_out_rows(self.share, len(part.rows))
        return _held_out(part, count, draws=1, repeats=repeats, scheme=f"{_percent(self.share)} held out")


@dataclass(frozen=True)
class DevRows:
    """One test set of a given number of rows (what `inner="dev"` becomes)."""

    count: int

    def make(self, part: Part, repeats: int = 1) -> Splits:
        scheme = f"{plural(self.count, 'row')} held out"
        return _held_out(part, self.count, draws=1, repeats=repeats, scheme=scheme)


@dataclass(frozen=True)
class MonteCarlo(Shown):
    """Independent random test sets of ceil(share x rows) rows each.

    `splits`: how many test sets.
    `share`: of the rows that each holds out.

    >>> MonteCarlo(20, share=0.1)
    MonteCarlo(splits=20, share=0.1)
    """

    splits: int = 10
    share: float = 0.2

    def __post_init__(self) -> None:
        object.__setattr__(self, "splits", whole_number(self.splits, "splits", least=1))
        object.__setattr__(self, "share", check_share(self.share))

    def make(self, part: Part, repeats: int = 1) -> Splits:
        count = held_out_rows(self.share, len(part.rows))
        scheme = f"{plural(self.splits, 'random split')}, {_percent(self.share)} held out"
        return _held_out(part, count, draws=self.splits, repeats=repeats, scheme=scheme)


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
                counts = _times_drawn(part, part.random("bootstrap", repeat, fold))
                splits.append(Split(np.repeat(part.rows, counts), part.rows[counts == 0], repeat, fold))
        style = ", whole groups" if part.groups is not None else ", stratified" if part.strata is not None else ""
        scheme = repeated(plural(self.splits, "bootstrap draw") + style, repeats)
        return Splits(tuple(splits), scheme, "bootstrap", is_partition=False)


def _held_out(part: Part, count: int, *, draws: int, repeats: int, scheme: str) -> Splits:
    if part.time is not None:
        refuse_repeats("a held-out share in time", draws * repeats)
    splits = []
    for repeat in range(repeats):
        for fold in range(draws):
            test = hold_out(part, count, part.random("holdout", repeat, fold))
            splits.append(Split(without(part.rows, test), test, repeat, fold))
    kind = "holdout" if draws * repeats == 1 else "monte_carlo"
    kind = "time_holdout" if part.time is not None else kind
    return Splits(tuple(splits), repeated(scheme + _style(part), repeats), kind, is_partition=False)


def hold_out(part: Part, count: int, random: np.random.Generator) -> IntArray:
    """`count` rows of the part (more where whole groups or equal times need it), ascending."""
    refuse_groups_with_time(part)
    rows = len(part.rows)
    if not 0 < count < rows:
        raise BadSplits(f"cannot hold out {plural(count, 'row')} of {rows}", "Leave at least 1 row on each side")
    if part.time is not None:
        # rows of one time stay together: the test begins with the first row of its earliest time
        order = np.argsort(part.time, kind="stable")
        start = int(np.searchsorted(part.time[order], part.time[order[-count]], side="left"))
        if start == 0:
            words = f"cannot hold out the last {plural(count, 'row')} in time: all earlier rows have the same time"
            raise BadSplits(words)
        chosen = order[start:]
    elif part.groups is not None:
        chosen = _whole_groups(part.groups, count, random)
    else:
        chosen = _spread_rows(part, count, random)
    return np.sort(part.rows[chosen])


def _whole_groups(groups: IntArray, count: int, random: np.random.Generator) -> IntArray:
    sizes = np.bincount(groups)
    if len(sizes) < 2:
        raise BadSplits("cannot hold out whole groups: there is only 1 group", "Give at least 2 groups")
    order = random.permutation(len(sizes))
    needed = int(np.searchsorted(np.cumsum(sizes[order]), count)) + 1
    chosen = order[: min(needed, len(order) - 1)]  # one group must be left to train on
    return np.flatnonzero(np.isin(groups, chosen))


def _spread_rows(part: Part, count: int, random: np.random.Generator) -> IntArray:
    order = random.permutation(len(part.rows))
    if part.strata is None:
        return order[:count]
    smallest = part.smallest_class()
    if smallest is not None and smallest[1] < 2:
        raise BadSplits(
            f"cannot hold out a stratified share: class {smallest[0]!r} has 1 row",
            f"Drop or join class {smallest[0]!r}, or stratify=False",
        )
    # Even steps through the rows, class after class, give every class its share to within one row.
    by_class = order[np.argsort(part.strata[order], kind="stable")]
    steps = ((2 * np.arange(count) + 1) * len(order)) // (2 * count)
    return by_class[steps]


def three_way(data: Rows, *, test: float, dev: float | None, seed: int) -> tuple[IntArray, IntArray, IntArray]:
    """Train, dev and test rows; both shares are of all rows, and no dev rows are made for a share of None or 0."""
    part = make_part(data, seed=seed)
    count = held_out_rows(check_share(test), data.rows)
    test_rows = hold_out(part, count, part.random("holdout", 0, 0))
    rest = without(part.rows, test_rows)
    if not dev:
        return rest, rest[:0], test_rows
    count = held_out_rows(check_share(dev), data.rows)
    if count >= len(rest):
        raise BadSplits(
            f"cannot hold out {test} for test and {dev} for dev: no rows of {data.rows} are left to train on",
            "Use smaller shares",
        )
    part = make_part(data, seed=seed, rows=rest)
    dev_rows = hold_out(part, count, part.random("dev"))
    return without(rest, dev_rows), dev_rows, test_rows


def held_out_rows(share: float, rows: int) -> int:
    """
    >>> held_out_rows(0.25, 10)
    3
    """
    count = math.ceil(share * rows)
    if count >= rows:
        raise BadSplits(
            f"cannot hold out {_percent(share)} of {plural(rows, 'row')}: none is left to train on",
            "Use a smaller share or more rows",
        )
    return count


def check_share(share: Any) -> float:
    if isinstance(share, (bool, np.bool_)) or not isinstance(share, (int, float, np.number)) or not 0 < share < 1:
        raise BadSplits(f"a held-out share must lie between 0 and 1, not {share!r}", "Use an int for a number of folds")
    return float(share)


def _style(part: Part) -> str:
    if part.time is not None:
        return ", the last in time"
    if part.groups is not None:
        return ", whole groups"
    return ", stratified" if part.strata is not None else ""


def _percent(share: float) -> str:
    """
    >>> _percent(0.2)
    '20%'
    """
    return f"{100 * share:.6g}%"


def _times_drawn(part: Part, random: np.random.Generator) -> IntArray:
    """How often each row is drawn; draws that leave no row to test are drawn again."""
    groups = part.groups
    units = len(part.rows) if groups is None else int(groups.max()) + 1
    # One stratum for all groups: a group may hold rows of several classes.
    strata = part.strata if groups is None and part.strata is not None else np.zeros(units, dtype=np.int64)
    for _ in range(MOST_DRAWS):
        counts = _drawn_within(strata, random)
        counts = counts if groups is None else counts[groups]
        if (counts == 0).any():
            return counts
    raise BadSplits(
        f"cannot draw a bootstrap that leaves rows to test: {MOST_DRAWS} draws of {plural(len(part.rows), 'row')} left "
        "none",
        "Give more rows or groups, or stratify=False",
    )


def _drawn_within(strata: IntArray, random: np.random.Generator) -> IntArray:
    """Counts of a draw with replacement that keeps the size of every stratum."""
    codes = np.unique(strata, return_inverse=True)[1]
    sizes = np.bincount(codes)
    order = np.argsort(codes, kind="stable")
    first = np.cumsum(sizes) - sizes
    sorted_codes = codes[order]
    drawn = order[first[sorted_codes] + (random.random(len(order)) * sizes[sorted_codes]).astype(np.int64)]
    return np.bincount(drawn, minlength=len(order))
