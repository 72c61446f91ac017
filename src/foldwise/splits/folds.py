"""K folds: every row is tested once in each repeat."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from foldwise.arrays import IntArray
from foldwise.errors import BadSplits, nearest
from foldwise.shown import Shown
from foldwise.splits.part import Part, check_classes, refuse_groups_with_time, whole_number
from foldwise.splits.split import Splits, partition, plural, refuse_repeats, repeated
from foldwise.splits.temporal import TimeOrdered

SHAPES = ("balanced", "ceiling")


class Splitter(Protocol):
    """Makes splits of a part of the data; more repeats extend the splits of fewer."""

    def make(self, part: Part, repeats: int = 1) -> Splits: ...


@dataclass(frozen=True)
class KFold(Shown):
    """K folds after one random permutation: grouped, stratified or ordered in time as the data ask for.

    Balanced folds differ by at most one row; `folds="ceiling"` cuts blocks of ceil(rows / K), the last one shorter.

    `k`: how many folds.
    `folds`: "balanced" or "ceiling".
    `stratify`: keep the class shares of the table (None: as the study says).

    >>> KFold(8, folds="ceiling")
    KFold(k=8, folds='ceiling', stratify=None)
    """

    k: int = 10
    folds: str = field(default="balanced", kw_only=True)
    stratify: bool | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole_number(self.k, "folds", least=2))
        if self.folds not in SHAPES:
            raise BadSplits(f"unknown shape of folds {self.folds!r}", nearest(self.folds, SHAPES))

    def make(self, part: Part, repeats: int = 1) -> Splits:
        refuse_groups_with_time(part)
        if self.folds == "ceiling":
            self._check_ceiling(part)
        if part.time is not None:
            return TimeOrdered(self.k).make(part, repeats)
        if self.k > len(part.rows):
            remedy = f"Use at most {len(part.rows)} folds" if len(part.rows) > 1 else "Give more rows"
            raise BadSplits(f"cannot make {self.k} folds of {plural(len(part.rows), 'row')}", remedy)
        styles = ["grouped"] * (part.groups is not None) + ["stratified"] * self._is_stratified(part)
        words = [str(self.k), " and ".join(styles), "folds", "(ceiling)" * (self.folds == "ceiling")]
        scheme = repeated(" ".join(filter(None, words)), repeats)
        labels = [self._labels(part, repeat) for repeat in range(repeats)]
        return partition(part.rows, labels, scheme=scheme, kind="folds" if part.groups is None else "grouped")

    def _labels(self, part: Part, repeat: int) -> IntArray:
        """labels[row]: the fold of each row."""
        stratify = self._is_stratified(part)
        if part.groups is not None:
            return grouped_labels(part, self.k, repeat=repeat, stratify=stratify)
        order = part.random("folds", repeat).permutation(len(part.rows))
        if stratify and part.strata is not None:
            check_classes(part, self.k)
            # Dealing row after row, class after class, evens out both the classes and the folds to one row.
            order = order[np.argsort(part.strata[order], kind="stable")]
        labels = np.empty(len(order), dtype=np.int64)
        place = np.arange(len(order))
        labels[order] = place // math.ceil(len(order) / self.k) if self.folds == "ceiling" else place % self.k
        return labels

    def _is_stratified(self, part: Part) -> bool:
        if self.stratify and part.strata is None:
            raise BadSplits(
                "cannot make stratified folds: the data have nothing to stratify on",
                "Give stratify= with the data, or leave out stratify=True",
            )
        return part.strata is not None and self.stratify is not False

    def _check_ceiling(self, part: Part) -> None:
        block = math.ceil(len(part.rows) / self.k)
        if part.groups is not None or part.time is not None:
            raise BadSplits("folds='ceiling' knows neither groups nor time", "Use KFold(k) without folds='ceiling'")
        if self._is_stratified(part):
            raise BadSplits(
                "folds='ceiling' is not stratified",
                f"Use KFold({self.k}, folds='ceiling', stratify=False), or KFold({self.k})",
            )
        if block * (self.k - 1) >= len(part.rows):
            made = math.ceil(len(part.rows) / block)
            raise BadSplits(
                f"cannot make {self.k} folds='ceiling' of {plural(len(part.rows), 'row')}: "
                f"blocks of {plural(block, 'row')} make only {made}",
                "Use fewer folds, or folds='balanced'",
            )


@dataclass(frozen=True)
class LeaveOneOut(Shown):
    """One split per row.

    >>> import foldwise as fw
    >>> fw.risk("linear", "diabetes", outer=LeaveOneOut(), jobs=1)
    3002 (no interval): the learner at 441 training rows
    """

    def make(self, part: Part, repeats: int = 1) -> Splits:
        refuse_repeats("leave-one-out", repeats)
        rows = len(part.rows)
        if rows < 2:
            raise BadSplits(f"cannot leave one out of {plural(rows, 'row')}", "Give at least 2 rows")
        return partition(part.rows, [np.arange(rows)], scheme=f"leave-one-out ({rows} splits)", kind="loo")


@dataclass(frozen=True)
class LeaveOneGroupOut(Shown):
    """One split per group, in the order of the groups.

    >>> import foldwise as fw
    >>> X, y = [[0.1], [0.2], [0.3], [0.4], [0.5], [0.6]], [1.2, 1.9, 3.1, 4.2, 4.8, 6.1]
    >>> fw.plan(["linear"], X, y, outer=LeaveOneGroupOut(), groups=["a", "a", "b", "b", "c", "c"]).outer
    'leave-one-group-out (3 groups)'
    """

    def make(self, part: Part, repeats: int = 1) -> Splits:
        refuse_repeats("leave-one-group-out", repeats)
        if part.groups is None:
            raise BadSplits("cannot leave one group out: the data have no groups", "Give groups=, or use 'loo'")
        groups = int(part.groups.max()) + 1
        if groups < 2:
            raise BadSplits("cannot leave one group out: there is only 1 group", "Give at least 2 groups")
        return partition(part.rows, [part.groups], scheme=f"leave-one-group-out ({groups} groups)", kind="grouped")


@dataclass(frozen=True)
class Repeated(Shown):
    """The splits of `splitter` made several times, each time from another permutation.

    `splitter`: any splitter, or a number of folds.
    `repeats`: how often.

    >>> import foldwise as fw
    >>> result = fw.compare(["linear"], "diabetes", outer=Repeated(fw.KFold(5), repeats=3), jobs=1)
    >>> result.to_dict()["outer"]
    '5 folds, 3 repeats'
    """

    splitter: Any
    repeats: int = 10

    def __post_init__(self) -> None:
        object.__setattr__(self, "repeats", whole_number(self.repeats, "repeats", least=1))


def grouped_labels(part: Part, folds: int, *, repeat: int, stratify: bool) -> IntArray:
    """Fold number of each row: whole groups, dealt greedily so that fold sizes (and classes) are even.

    Large groups go first, in random order among those of like size: with a strict order of size
    every repeat would be the same partition.
    """
    groups = part.groups
    assert groups is not None
    strata = part.strata if stratify else None
    counts = sizes = np.bincount(groups)[:, None]  # rows of each group; then of it in each stratum
    if strata is not None:
        codes = np.unique(strata, return_inverse=True)[1]
        width = int(codes.max()) + 1
        table = np.bincount(groups * width + codes, minlength=len(sizes) * width).reshape(len(sizes), width)
        counts = np.column_stack([sizes, table])
    sizes = sizes[:, 0]
    if len(sizes) < folds:
        raise BadSplits(
            f"cannot make {folds} grouped folds: there {'is' if len(sizes) == 1 else 'are'} "
            f"only {plural(len(sizes), 'group')}",
            f"Use at most {len(sizes)} folds" if len(sizes) > 1 else "Give at least 2 groups",
            found=len(sizes),
        )
    if strata is not None:
        check_classes(part, folds)
    shuffled = part.random("folds", repeat).permutation(len(sizes))
    order = shuffled[np.argsort(-np.floor(np.log2(sizes[shuffled])), kind="stable")]
    return _deal(counts, order, folds)[groups]


def _deal(counts: IntArray, order: IntArray, folds: int) -> IntArray:
    """Fold of each group: always the one where the sum of squared shares grows least; an empty one costs nothing."""
    shares = counts / counts.sum(axis=0)
    held = np.zeros((folds, counts.shape[1]))
    fold_of = np.empty(len(counts), dtype=np.int64)
    for group in order:
        fold = int(np.argmin(held @ shares[group]))
        held[fold] += shares[group]
        fold_of[group] = fold
    return fold_of
