"""Intervals that other tools print and that are not offered: the coverage check shows what they miss."""

from __future__ import annotations

import numpy as np

from foldwise.stats.array_checks import normal_quantile, t_quantile
from foldwise.stats.evidence import Evidence
from foldwise.stats.interval_method import Ends, IntervalMethod


def _no_rows(evidence: Evidence) -> str | None:
    return f"{evidence.loss.name} has no loss per row" if evidence.row_losses is None else None


def _one_split(evidence: Evidence) -> str | None:
    return "one split has no spread" if len(evidence.fold_losses) < 2 else None


def _naive_z(evidence: Evidence, level: float) -> Ends:
    assert evidence.row_losses is not None
    losses = np.concatenate(evidence.row_losses)
    reach = normal_quantile(level) * float(losses.std(ddof=1)) / np.sqrt(losses.size)
    value = float(losses.mean())
    return Ends(value - reach, value + reach, value)


def _fold_t(evidence: Evidence, level: float) -> Ends:
    losses = evidence.fold_losses
    reach = t_quantile(level, losses.size - 1) * float(losses.std(ddof=1)) / np.sqrt(losses.size)
    value = float(losses.mean())
    return Ends(value - reach, value + reach, value)


NAIVE_Z = IntervalMethod("naive z", _naive_z, _no_rows, assumes="losses of all rows, of all repeats, are independent")
FOLD_T = IntervalMethod("fold t", _fold_t, _one_split, assumes="splits are independent")
NOT_OFFERED = {row.name: row for row in (NAIVE_Z, FOLD_T)}
