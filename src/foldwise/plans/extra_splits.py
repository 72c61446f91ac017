"""Extra splits, which some intervals need: leave-two-out, and the two halves of the rows."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from foldwise.data.dataset import Dataset
from foldwise.errors import BadInterval, nearest
from foldwise.splits.holdout import Holdout, MonteCarlo
from foldwise.splits.making import make_splits
from foldwise.splits.nesting import inner_splits
from foldwise.splits.split import Split, Splits, without
from foldwise.studies.study import IntervalRequest

NAMES = ("leave-two-out", "halves")
CUTS = 10  # times the rows are cut into halves


def extra_splits(interval: IntervalRequest | None, outer: Splits, data: Dataset, *, seed: int) -> Splits | None:
    """The extra splits an interval needs, or None; refused where the outer splits do not allow them."""
    if interval is None or interval.extra_splits is None:
        return None
    if interval.extra_splits not in NAMES:
        raise BadInterval(
            f"the {interval.name} interval asks for extra splits {interval.extra_splits!r}",
            nearest(interval.extra_splits, NAMES),
        )
    if interval.extra_splits == "leave-two-out":
        if not outer.is_partition or outer.folds < 3:
            raise BadInterval(
                f"the {interval.name} interval needs 3 or more outer folds, not: {outer.scheme}", "Use outer=10"
            )
        return leave_two_out(outer, data.rows)
    if outer.kind != "monte_carlo":
        raise BadInterval(
            f"the {interval.name} interval needs random outer splits, not: {outer.scheme}",
            "Use outer=fw.MonteCarlo(15, share=0.1)",
        )
    return halves(outer, data, seed=seed)


def extra_inner(spec: Any, extra: Splits, outer: Splits, data: Dataset, *, seed: int) -> tuple[Splits, ...]:
    """Inner splits of the training rows of extra splits: the same scheme as inside the outer splits."""
    if isinstance(spec, str) and spec in ("aligned", "lines", "pairs"):
        if spec != "pairs" and outer.folds in (7, 9, 13, 16, 21, 25, 31):
            raise BadInterval(
                "the Bates interval of a tuned learner cannot use lines: leaving out two folds breaks them",
                "Use inner='pairs' or inner=5",
            )
        return tuple(_other_folds(split, outer, data.rows) for split in extra)
    return inner_splits(spec, extra, data, seed=seed).splits


def leave_two_out(outer: Splits, rows: int) -> Splits:
    """Every pair of folds left out together, repeat by repeat: K(K-1)/2 splits each."""
    everything, found = np.arange(rows), []
    for repeat in range(outer.repeats):
        folds = [split.test for split in outer if split.repeat == repeat]
        for number, (i, j) in enumerate(combinations(range(len(folds)), 2)):
            held = np.union1d(folds[i], folds[j])
            found.append(Split(without(everything, held), held, repeat, number))
    return Splits(tuple(found), f"pairs of {outer.folds} folds", "beside", False)


def halves(outer: Splits, data: Dataset, *, seed: int) -> Splits:
    """Random splits inside both halves of the rows, with the test size of the outer ones, cut after cut."""
    test_rows, found = len(outer[0].test), []
    for cut in range(CUTS):
        half = make_splits(Holdout(0.5), data, seed=seed * CUTS + cut + 1)[0]
        for side, rows in enumerate((half.train, half.test)):
            if len(rows) - test_rows < 2:
                raise BadInterval(
                    f"half of {data.rows} rows is too few for {test_rows} test rows", "Use a smaller share"
                )
            within = make_splits(MonteCarlo(len(outer), share=test_rows / len(rows)), data, seed=seed, rows=rows)
            found += [Split(split.train, split.test, 2 * cut + side, at) for at, split in enumerate(within)]
    return Splits(tuple(found), f"{len(outer)} random splits in each half, {CUTS} times", "beside", False)


def _other_folds(pair: Split, outer: Splits, rows: int) -> Splits:
    """Inner folds of a leave-two-out training set: each of the other folds in turn."""
    folds = [split.test for split in outer if split.repeat == pair.repeat]
    others = [fold for fold in folds if not np.isin(fold, pair.test).any()]
    splits = [Split(without(pair.train, fold), fold, pair.repeat, at) for at, fold in enumerate(others)]
    return Splits(tuple(splits), f"{len(others)} folds", "folds", True)
