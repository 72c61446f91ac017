"""The level of the interval of whichever method was picked, from the losses of all that it was picked from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.stats.comparison import Comparison
from foldwise.stats.evidence import Evidence
from foldwise.stats.winner import winner_level

SCHEMES = ("folds", "random splits")  # on one test set intervals are exact, and shared evenly they stay so


def level_of_winner(
    evidence: Sequence[Evidence], details: Sequence[Mapping[str, Any]], pairs: Sequence[Comparison], *, level: float
) -> float | None:
    """The level of the picked method's interval; None where the law of the estimates is not known.

    `details` are those of the methods' intervals, `pairs` the difference of each method to the picked one, whose own
    place has a difference of 0.
    """
    if evidence[0].scheme not in SCHEMES or any(not found.get("se") for found in details):
        return None
    known = [pair.se is not None and math.isfinite(pair.value) for pair in pairs]
    gaps = [max(pair.value, 0.0) if is_known else 0.0 for pair, is_known in zip(pairs, known, strict=True)]
    df_gaps = min((pair.df for pair in pairs if pair.df is not None), default=math.inf)
    return winner_level(
        gaps,
        [pair.se or 0.0 for pair in pairs],
        [found["se"] for found in details],
        correlation_of(evidence),
        df=details[0].get("df") or math.inf,
        df_gaps=df_gaps,
        level=level,
    )


def correlation_of(evidence: Sequence[Evidence]) -> FloatArray:
    """How the estimated risks move together: as the losses of rows (or groups) do.

    Without losses of rows they are taken to be independent, which errs on the wide side: methods are judged on the same
    rows.
    """
    terms = [one.unit_deviations for one in evidence]
    if any(term is None for term in terms):
        return np.eye(len(terms))
    table = np.array(terms)
    sizes = np.sqrt(np.vecdot(table, table))
    if not (sizes > 0).all():
        return np.eye(len(terms))
    return np.asarray(np.clip((table @ table.T) / np.outer(sizes, sizes), -1.0, 1.0))
