"""When the splits allow a corrected t, and why not where they do not."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadInterval

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
