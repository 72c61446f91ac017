"""Folds that keep whole groups together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foldwise.arrays import IntArray
from foldwise.errors import BadSplits
from foldwise.shown import Shown
from foldwise.splits.part import Part, check_classes
from foldwise.splits.split import Splits, partition, plural, refuse_repeats


def grouped_labels(part: Part, folds: int, *, repeat: int, stratify: bool) -> IntArray:
    """Fold number of each row: whole groups, dealt greedily so that fold sizes (and classes) are even.

    Large groups go first, in random order among those of like size: with a strict order of size
    every repeat would be the same partition.
    """
    groups = part.groups
    assert groups is not None
    strata = part.strata if stratify else None
    counts = _counts(groups, strata)
    sizes = counts[:, 0]
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


def _counts(groups: IntArray, strata: IntArray | None) -> IntArray:
    """counts[group, 0] rows of the group; counts[group, 1 + stratum] rows of it in each stratum."""
    sizes = np.bincount(groups)
    if strata is None:
        return sizes[:, None]
    codes = np.unique(strata, return_inverse=True)[1]
    width = int(codes.max()) + 1
    table = np.bincount(groups * width + codes, minlength=len(sizes) * width).reshape(len(sizes), width)
    return np.column_stack([sizes, table])


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
        found = int(part.groups.max()) + 1
        if found < 2:
            raise BadSplits("cannot leave one group out: there is only 1 group", "Give at least 2 groups")
        return partition(part.at, [part.groups], scheme=f"leave-one-group-out ({found} groups)", kind="grouped")
