"""K folds: every row is tested once in each repeat."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from foldwise.arrays import IntArray
from foldwise.errors import BadSplits, nearest
from foldwise.shown import Shown
from foldwise.splits.grouped import grouped_labels
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
        if self.k > len(part.at):
            raise BadSplits(f"cannot make {self.k} folds of {plural(len(part.at), 'row')}", _at_most(len(part.at)))
        scheme = repeated(f"{self.k} {self._style(part)}folds{self._shape()}", repeats)
        labels = [self._labels(part, repeat) for repeat in range(repeats)]
        return partition(part.at, labels, scheme=scheme, kind="folds" if part.groups is None else "grouped")

    def _labels(self, part: Part, repeat: int) -> IntArray:
        """labels[row]: the fold of each row."""
        stratify = self._is_stratified(part)
        if part.groups is not None:
            return grouped_labels(part, self.k, repeat=repeat, stratify=stratify)
        order = part.random("folds", repeat).permutation(len(part.at))
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
        block = math.ceil(len(part.at) / self.k)
        if part.groups is not None or part.time is not None:
            raise BadSplits("folds='ceiling' knows neither groups nor time", "Use KFold(k) without folds='ceiling'")
        if self._is_stratified(part):
            raise BadSplits(
                "folds='ceiling' is not stratified",
                f"Use KFold({self.k}, folds='ceiling', stratify=False), or KFold({self.k})",
            )
        if block * (self.k - 1) >= len(part.at):
            made = math.ceil(len(part.at) / block)
            raise BadSplits(
                f"cannot make {self.k} folds='ceiling' of {plural(len(part.at), 'row')}: "
                f"blocks of {plural(block, 'row')} make only {made}",
                "Use fewer folds, or folds='balanced'",
            )

    def _style(self, part: Part) -> str:
        styles = ["grouped"] * (part.groups is not None) + ["stratified"] * self._is_stratified(part)
        return " and ".join(styles) + " " * bool(styles)

    def _shape(self) -> str:
        return "" if self.folds == "balanced" else f" ({self.folds})"


@dataclass(frozen=True)
class LeaveOneOut(Shown):
    """One split per row.

    >>> import foldwise as fw
    >>> fw.risk("linear", "diabetes", outer=LeaveOneOut(), jobs=1)
    3002 (no interval): the learner at 441 training rows
    """

    def make(self, part: Part, repeats: int = 1) -> Splits:
        refuse_repeats("leave-one-out", repeats)
        rows = len(part.at)
        if rows < 2:
            raise BadSplits(f"cannot leave one out of {plural(rows, 'row')}", "Give at least 2 rows")
        return partition(part.at, [np.arange(rows)], scheme=f"leave-one-out ({rows} splits)", kind="loo")


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


def _at_most(rows: int) -> str:
    return f"Use at most {rows} folds" if rows > 1 else "Give more rows"
