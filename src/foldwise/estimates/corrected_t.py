"""The corrected t interval of a risk, and when the splits allow one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval
from foldwise.estimates.estimate import Interval
from foldwise.formulas.corrected_t import corrected_t, corrected_t_of_runs

NAME = "corrected t"

# Schemes whose fold losses say nothing about their own spread, and why.
REFUSED = {
    "leave-one-out": "leave-one-out folds of one row have no means whose spread could be corrected",
    "time": "time-ordered folds are neither exchangeable nor trained on equal numbers of rows",
    "bootstrap": "bootstrap training sets repeat rows, which the corrected t does not allow for",
    "pairs": "the given splits do not partition the rows, so how far they overlap is not known",
}


class Runs(NamedTuple):
    """Split losses as losses[run, split] with the ratio that corrects them, or None, and the reason in one sentence."""

    losses: FloatArray | None
    test_train_ratio: float
    reason: str


def corrected_t_interval(fold_losses: Any, *, test_train_ratio: float, level: float = 0.95) -> Interval:
    """Interval for the risk when random splits share training rows.

    Approximate, and often still a little short; on one plain K-fold run it errs on the safe side.

    >>> corrected_t_interval([0.20, 0.30, 0.25, 0.35], test_train_ratio=1 / 3)
    0.118 to 0.432 (95%, corrected t)
    """
    found = corrected_t(fold_losses, test_train_ratio=test_train_ratio, level=level)
    return Interval(found.low, found.high, level, NAME)


def cv_interval(
    split_losses: Any,
    *,
    repeats: int,
    folds: int,
    kind: str,
    test_rows: Any,
    train_rows: Any,
    level: float = 0.95,
    is_partition: bool | None = None,
) -> tuple[Interval | None, str]:
    """The interval of a cross-validated risk, or None, and in one sentence why.

    Losses come repeat by repeat; `kind` is that of the splits. Repeats never make it narrower than one run does.
    """
    runs = usable_runs(
        split_losses,
        repeats=repeats,
        folds=folds,
        kind=kind,
        test_rows=test_rows,
        train_rows=train_rows,
        is_partition=is_partition,
    )
    if runs.losses is None:
        return None, runs.reason
    if np.ptp(runs.losses) == 0:
        return None, "all splits have the same loss, so their spread says nothing about the risk"
    found = corrected_t_of_runs(runs.losses, test_train_ratio=runs.test_train_ratio, level=level)
    return Interval(found.low, found.high, level, NAME), runs.reason


def usable_runs(
    split_losses: Any,
    *,
    repeats: int,
    folds: int,
    kind: str,
    test_rows: Any,
    train_rows: Any,
    is_partition: bool | None = None,
) -> Runs:
    """The split losses as runs of a scheme that the corrected t is valid for, or the reason why it is not."""
    losses = np.asarray(split_losses, np.float64).ravel()
    ratio = float(np.mean(test_rows) / np.mean(train_rows))
    if losses.size != repeats * folds:
        raise BadInterval(f"{losses.size} split losses cannot be {repeats} repeats of {folds} folds")
    scheme = _scheme(kind, folds=folds, test_rows=test_rows, is_partition=is_partition)
    if scheme in REFUSED:
        return Runs(None, ratio, REFUSED[scheme])
    if losses.size < 2:
        return Runs(None, ratio, "one test set has no spread over folds")
    if not np.isfinite(losses).all():
        missing = np.count_nonzero(~np.isfinite(losses))
        return Runs(None, ratio, f"{missing} of {losses.size} splits have no finite loss")
    # a repeated single split is one run of random splits
    runs = losses.reshape(repeats, folds) if folds > 1 else losses.reshape(1, -1)
    return Runs(runs, ratio, _reason(scheme, *runs.shape))


def _reason(scheme: str, repeats: int, folds: int) -> str:
    what = {"random": "random splits", "grouped": "folds of whole groups"}.get(scheme, "folds")
    times = f"{repeats} x {folds}" if repeats > 1 else f"{folds}"
    words = f"corrected t over {times} {what}: widened by test rows / training rows, as splits share training rows"
    words += "; the group is the unit" if scheme == "grouped" else ""
    return words + ("; never narrower than one run" if repeats > 1 else "")


def _scheme(kind: str, *, folds: int, test_rows: Any, is_partition: bool | None) -> str:
    """Which rule a kind of splits falls under; given pairs count as a partition only if that is said."""
    word = kind.lower().replace("_", "-").replace(" ", "-")
    is_partition = word != "pairs" if is_partition is None else is_partition
    if word.startswith(("loo", "leave-one-out")) or (is_partition and np.max(test_rows) == 1 and folds > 1):
        return "leave-one-out"
    if "time" in word or "temporal" in word:
        return "time"
    if "bootstrap" in word:
        return "bootstrap"
    if "holdout" in word or "hold-out" in word or "monte" in word:
        return "random"
    if not is_partition:
        return "pairs"
    return "grouped" if "group" in word or word == "logo" else "folds"
