"""Which candidate is chosen from its scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from foldwise.arrays import FloatArray
from foldwise.errors import BadStudy, nearest

RULES = ("best", "one_se")


def check_rule(rule: str) -> str:
    if rule not in RULES:
        raise BadStudy(f"there is no selection rule {rule!r}", nearest(rule, RULES))
    return rule


def choose(scores: FloatArray, *, rule: str = "best", ranks: Sequence[int] | None = None) -> int | None:
    """The chosen candidate, given `scores[candidate, split]`; None if no candidate has a score.

    `best` is the smallest mean, the first on ties. `one_se` is the simplest candidate
    within one standard error (SD of the fold means / sqrt(folds)) of the best: a
    tie-breaker towards simplicity, not a test (Breiman et al., 1984).

    >>> choose(np.array([[0.30, 0.50], [0.30, 0.40], [0.30, 0.40]]))
    1
    >>> choose(np.array([[0.30, 0.48], [0.30, 0.40]]), rule="one_se", ranks=[0, 1])
    0
    """
    means = scores.mean(axis=1)
    usable = np.isfinite(means)
    if not usable.any():
        return None
    best = int(np.argmin(np.where(usable, means, np.inf)))
    if rule == "best" or scores.shape[1] < 2:
        return best
    assert ranks is not None
    reach = scores[best].std(ddof=1) / np.sqrt(scores.shape[1])
    within = [index for index in np.flatnonzero(usable).tolist() if means[index] <= means[best] + reach]
    return min(within, key=lambda index: (ranks[index], means[index], index))
