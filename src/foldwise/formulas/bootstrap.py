"""The leave-one-out bootstrap and its .632 and .632+ corrections (Efron and Tibshirani, 1997).

Arithmetic only: intervals made of them are known to be short of their level, and none is offered.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from foldwise.errors import BadInterval
from foldwise.formulas.checks import as_numbers, checked_table


class Bootstrap632(NamedTuple):
    """The estimates, the overfitting rate and weight of .632+, and the standard error of the first."""

    left_out: float
    point632: float
    point632_plus: float
    overfitting: float
    weight: float
    se: float


def bootstrap_632(losses: Any, counts: Any, *, apparent: float, no_information: float) -> Bootstrap632:
    """From losses[bootstrap, row] and how often each row was drawn, counts[bootstrap, row].

    `apparent` is the training loss of the model fitted to all rows, `no_information` the mean loss over all pairs of
    targets and predictions. Only losses on rows that were not drawn are looked at.
    """
    losses, counts = as_numbers(losses, what="losses"), checked_table(counts, method=".632", axes=("bootstrap", "row"))
    if losses.shape != counts.shape:
        raise BadInterval(f"losses and counts must have the same shape, not {losses.shape} and {counts.shape}")
    is_out = counts == 0
    missed = is_out.sum(axis=0)
    if not missed.all():
        raise BadInterval(f"row {int(missed.argmin())} is in every bootstrap sample", "Draw more samples")
    out = np.where(is_out, losses, 0.0)
    by_row = out.sum(axis=0) / missed
    err1 = float(by_row.mean())
    capped = min(err1, no_information)
    is_overfit = capped > apparent and no_information > apparent
    overfitting = min(1.0, (capped - apparent) / (no_information - apparent)) if is_overfit else 0.0
    weight = 0.632 / (1 - 0.368 * overfitting)
    n = losses.shape[1]
    drift = (counts - counts.mean(axis=0)).T @ out.mean(axis=1) / missed
    influence = (2 + 1 / (n - 1)) * (by_row - err1) / n + drift
    return Bootstrap632(
        left_out=err1,
        point632=0.368 * apparent + 0.632 * err1,
        point632_plus=(1 - weight) * apparent + weight * capped,
        overfitting=overfitting,
        weight=weight,
        se=math.sqrt(float(influence @ influence)),
    )
