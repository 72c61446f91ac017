"""Which candidates can still be the best, from the scores so far: exact for losses that are never negative.

A candidate's sum over the splits can only grow. So one whose sum so far is above the
final sum of another has lost, and need not be fitted on the splits that are left.
"""

from __future__ import annotations

import numpy as np

from foldwise.arrays import BoolArray, FloatArray

ROUNDING = 1e-12  # sums in another order differ by less: such near ties are scored to the end


def open_candidates(scores: FloatArray, is_out: BoolArray) -> BoolArray:
    """Candidates that may still beat, or tie with, the best of the finished ones; `scores[candidate, split]`.

    >>> scores = np.array([[0.2, 0.3], [0.6, np.nan], [0.1, np.nan]])
    >>> open_candidates(scores, np.zeros(3, bool)).tolist()
    [False, False, True]
    """
    is_whole = np.isfinite(scores).all(axis=1)
    sums = np.nansum(scores, axis=1)
    best = sums[is_whole & ~is_out].min(initial=np.inf)
    return np.asarray(~is_whole & ~is_out & (sums <= best * (1 + ROUNDING)))


def next_fit(scores: FloatArray, is_out: BoolArray) -> list[tuple[int, int]]:
    """What to score next, as pairs of candidate and split: the candidate with the smallest sum so far goes on.

    All candidates have a first score to get, so these come together.

    >>> next_fit(np.array([[0.2, np.nan], [0.6, np.nan]]), np.zeros(2, bool))
    [(0, 1)]
    """
    may_win = open_candidates(scores, is_out)
    fresh = may_win & np.isnan(scores).all(axis=1)
    if fresh.any():
        return [(int(at), 0) for at in np.flatnonzero(fresh)]
    if not may_win.any():
        return []
    first = int(np.argmin(np.where(may_win, np.nansum(scores, axis=1), np.inf)))
    return [(first, int(np.flatnonzero(np.isnan(scores[first]))[0]))]
