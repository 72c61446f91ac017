"""An interval: how it is computed, and where it is refused."""

from __future__ import annotations

import numpy as np

import foldwise as fw
from foldwise.stats.evidence import Evidence


def compute(evidence: Evidence, level: float) -> tuple[float, float]:
    """The middle part of the split losses."""
    low, high = np.quantile(evidence.fold_losses, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def refuse(evidence: Evidence) -> str | None:
    return None if len(evidence.fold_losses) >= 5 else "there are fewer than 5 splits"


SPLIT_RANGE = fw.IntervalMethod("split range", compute, refuse=refuse, assumes="splits as many as patience allows")
