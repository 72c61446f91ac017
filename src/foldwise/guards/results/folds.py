"""Folds whose loss is far from that of the others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.blocks.numbers import listed, number
from foldwise.guards.codes.results import UNSTABLE
from foldwise.guards.results.outcome import Outcome
from foldwise.questions.method import MethodAnswer
from foldwise.studies.finding import Finding

FEWEST_FOLDS = 5
FEWEST_ROWS = 10  # of a fold; the mean of fewer is a matter of single rows
TIMES = 3.0  # the loss of the others
FAR = 6.0  # robust standard deviations of the folds from their median
LUCK = 0.001  # p of so many errors in one fold, for all folds at once


def unstable_folds(outcome: Outcome) -> Iterator[Finding]:
    """A fold that is several times worse than the others, beyond what so few rows explain; once for all methods."""
    sizes = [len(split.test) for split in outcome.study.outer]
    if len(sizes) < FEWEST_FOLDS or min(sizes) < FEWEST_ROWS:
        return
    odd: dict[int, list[MethodAnswer]] = {}
    for one in outcome.own:
        for at in _odd_folds(one, np.array(sizes)):
            odd.setdefault(at, []).append(one)
    if not odd:
        return
    worst = max(odd, key=lambda at: (len(odd[at]), -at))
    split, first = outcome.study.outer[worst], odd[worst][0]
    others = float(np.median(np.delete(first.fold_losses, worst)))
    names = [one.method.name for one in odd[worst]]
    whose = "every method" if len(names) == len(outcome.own) > 1 else listed(names)
    name = f"{split.repeat}.{split.fold}" if outcome.study.outer.repeats > 1 else f"{split.fold}"
    more = f"; so are {len(odd) - 1} other folds" if len(odd) > 2 else "; so is another fold" if len(odd) == 2 else ""
    yield UNSTABLE.found(
        f"fold {name} is unlike the others for {whose}: {first.method.name} has a loss of "
        f"{number(float(first.fold_losses[worst]))} there, {number(others)} in the middle of the others{more}",
        rows=split.test,
        figures={"folds": sorted(odd), "methods": names, "loss": float(first.fold_losses[worst]), "others": others},
        advice="Look at its rows: extreme values, another source or period; groups or time may have to be declared",
    )


def _odd_folds(one: MethodAnswer, sizes: FloatArray) -> list[int]:
    losses = one.fold_losses
    if one.study.losses[0].name in ("zero_one", "accuracy"):
        return _too_many_errors(losses, sizes)
    middle = float(np.median(losses))
    spread = 1.4826 * float(np.median(np.abs(losses - middle)))
    if not middle > 0:
        return []
    return [int(at) for at in np.flatnonzero((losses > TIMES * middle) & (losses - middle > FAR * spread))]


def _too_many_errors(losses: FloatArray, sizes: FloatArray) -> list[int]:
    """Folds with more errors than luck explains, by the error rate of the others."""
    from scipy.stats import binom

    errors, found = losses * sizes, []
    for at in range(len(losses)):
        rate = (errors.sum() - errors[at] + 1) / (sizes.sum() - sizes[at] + 2)
        p = float(binom.sf(np.ceil(errors[at]) - 1, sizes[at], rate))
        if losses[at] > TIMES * rate and p * len(losses) < LUCK:
            found.append(at)
    return found
